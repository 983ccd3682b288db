@testable import LambdaEmulator
import Testing

/// Tests of the Extensions API for internal extensions.
@Suite struct ExtensionTests {
  typealias Machine = RuntimeStateMachine

  static func register(
    _ machine: inout Machine, name: String? = "GoLangEnableSIGTERM", _ body: String = #"{"events":[]}"#,
    identifier: String = "extension"
  ) -> RuntimeReply? {
    reply(
      machine.extensionCall(
        .register(name: name, body: Array(body.utf8), identifier: identifier), exchange: 5))
  }

  static func reply(_ actions: [Machine.Action]) -> RuntimeReply? {
    actions.lazy.compactMap { if case .reply(_, let reply) = $0 { reply } else { nil } }.first
  }

  static func started() -> Machine {
    var machine = Machine()
    _ = machine.processStarted(at: RuntimeStateMachineTests.moment(0))
    return machine
  }

  @Test func registeredExtensionGetsAnIdentifierAndItsPollStaysOpen() {
    var machine = Self.started()
    let reply = Self.register(&machine)
    #expect(reply?.status == 200)
    #expect(
      reply?.headers.last == RuntimeReply.Field(name: "Lambda-Extension-Identifier", value: "extension"))
    #expect(
      reply.map { String(decoding: $0.body, as: UTF8.self) }
        == #"{"functionName":"authorizer","functionVersion":"$LATEST","handler":"bootstrap"}"#)
    #expect(machine.extensionCall(.next(identifier: "extension"), exchange: 6).isEmpty)
    #expect(!machine.extensions.isEmpty)
    // It ends with its process, and its open poll is answered.
    #expect(
      machine.processEnded(.status(0), at: RuntimeStateMachineTests.moment(1)).contains(
        .reply(exchange: 6, .gone)))
    #expect(machine.extensions.isEmpty)
  }

  @Test func subscribedExtensionGetsInvocations() {
    var machine = Self.started()
    _ = Self.register(&machine, #"{"events":["INVOKE"]}"#)
    _ = machine.next(exchange: 1, at: RuntimeStateMachineTests.moment(0))
    _ = machine.extensionCall(.next(identifier: "extension"), exchange: 6)
    let actions = machine.enqueue(
      RuntimeStateMachineTests.invocation("a"), at: RuntimeStateMachineTests.moment(1))
    guard case .reply(6, let event)? = actions.last else {
      Issue.record("no event")
      return
    }
    #expect(
      String(decoding: event.body, as: UTF8.self)
        == #"{"eventType":"INVOKE","deadlineMs":1700000003000,"requestId":"a","invokedFunctionArn":"arn:f","#
        + #""tracing":{"type":"X-Amzn-Trace-Id","value":"Root=1"}}"#)
    // An extension without an open poll gets the event later.
    _ = machine.post(RuntimeStateMachineTests.post("a"), at: RuntimeStateMachineTests.moment(2))
    _ = machine.enqueue(RuntimeStateMachineTests.invocation("b"), at: RuntimeStateMachineTests.moment(3))
    _ = machine.next(exchange: 2, at: RuntimeStateMachineTests.moment(4))
    let later = Self.reply(machine.extensionCall(.next(identifier: "extension"), exchange: 7))
    #expect(later.map { String(decoding: $0.body, as: UTF8.self).contains(#""requestId":"b""#) } == true)
  }

  @Test(
    arguments: [
      (nil, #"{"events":[]}"#, "Extension.InvalidExtensionName"),
      ("x", "events", "InvalidRequestFormat"), ("x", "[]", "InvalidRequestFormat"),
      ("x", #"{"events":["SHUTDOWN"]}"#, "Extension.InvalidEventType"),
      ("x", #"{"events":["TELEPHONE"]}"#, "Extension.InvalidEventType"),
    ] as [(String?, String, String)]) func refusesInvalidRegistrations(
      _ name: String?, _ body: String, _ type: String
    )
  {
    var machine = Self.started()
    let reply = Self.register(&machine, name: name, body)
    #expect(reply?.status == 403)
    #expect(reply.map { String(decoding: $0.body, as: UTF8.self).contains(type) } == true)
    #expect(machine.extensions.isEmpty)
  }

  @Test func registrationClosesWithTheFirstPoll() {
    var machine = Self.started()
    _ = machine.next(exchange: 1, at: RuntimeStateMachineTests.moment(0))
    let reply = Self.register(&machine)
    #expect(reply?.status == 403)
    #expect(
      reply.map { String(decoding: $0.body, as: UTF8.self).contains("Extension.RegistrationClosed") } == true)
  }

  @Test func allowsTenExtensionsWithDifferentNames() {
    var machine = Self.started()
    for number in 0..<10 {
      #expect(Self.register(&machine, name: "e\(number)", identifier: "\(number)")?.status == 200)
    }
    let eleventh = Self.register(&machine, name: "one more", identifier: "10")
    #expect(eleventh.map { String(decoding: $0.body, as: UTF8.self).contains("TooManyExtensions") } == true)
    #expect(Self.register(&machine, name: "e3", identifier: "11")?.status == 403)
  }

  @Test(
    arguments: [
      (nil, "Extension.MissingHeader"), ("stranger", "Extension.UnknownExtensionIdentifier"),
    ] as [(String?, String)]) func refusesUnknownIdentifiers(_ identifier: String?, _ type: String)
  {
    var machine = Self.started()
    for call in [ExtensionRegistry.Call.next(identifier: identifier), .error(identifier: identifier)] {
      let reply = Self.reply(machine.extensionCall(call, exchange: 6))
      #expect(reply?.status == 403)
      #expect(reply.map { String(decoding: $0.body, as: UTF8.self).contains(type) } == true)
    }
  }
}
