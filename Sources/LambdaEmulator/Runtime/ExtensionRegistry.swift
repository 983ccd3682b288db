internal import JSON

/// The Extensions API 2020-01-01 for internal extensions, which run inside the function's process.
///
/// A runtime registers one to get a shutdown signal: only then does Lambda send SIGTERM before SIGKILL. External
/// extensions (`/opt/extensions`) are not started, so all are internal and none gets `SHUTDOWN`.
struct ExtensionRegistry: Equatable {
  enum Call: Equatable {
    /// `POST /extension/register`; `identifier` is the one to assign.
    case register(name: String?, body: [UInt8], identifier: String)
    /// `GET /extension/event/next`.
    case next(identifier: String?)
    /// `POST /extension/init/error` and `…/exit/error`.
    case error(identifier: String?)
  }

  private struct Member: Equatable {
    let name: String
    let hearsInvocations: Bool
    var poll: Int?
    var events: [RuntimeReply] = []
  }

  private var members: [String: Member] = [:]

  /// The maximum number of extensions of one environment (`Extension.TooManyExtensions`, AWS Lambda quotas).
  private static let maximumCount = 10
  /// The maximum number of events queued for an extension that does not poll; the oldest are dropped. Our choice:
  /// Lambda would wait for the extension.
  private static let maximumEvents = 100

  /// Whether there is no extension. If there is one, the process gets SIGTERM first.
  var isEmpty: Bool { members.isEmpty }

  mutating func handle(
    _ call: Call, exchange: Int, mayRegister: Bool
  ) -> [RuntimeStateMachine.Action] {
    switch call {
    case .register(let name, let body, let identifier):
      let reply = register(name: name ?? "", body, identifier, mayRegister)
      return [.reply(exchange: exchange, reply)]
    case .next(let identifier):
      guard let identifier else { return [.reply(exchange: exchange, .extensionIdentifierMissing)] }
      guard var member = members[identifier] else {
        return [.reply(exchange: exchange, .extensionUnknown)]
      }
      defer { members[identifier] = member }
      if !member.events.isEmpty { return [.reply(exchange: exchange, member.events.removeFirst())] }
      let abandoned = member.poll
      member.poll = exchange
      return abandoned.map { [.reply(exchange: $0, .gone)] } ?? []
    case .error(let identifier):
      guard let identifier else { return [.reply(exchange: exchange, .extensionIdentifierMissing)] }
      return [.reply(exchange: exchange, members[identifier] == nil ? .extensionUnknown : .accepted)]
    }
  }

  /// Sends the invocation to the extensions that subscribed to `INVOKE`.
  mutating func deliver(
    _ invocation: Invocation, deadlineUnixMilliseconds: Int64
  ) -> [RuntimeStateMachine.Action] {
    var actions: [RuntimeStateMachine.Action] = []
    for (identifier, var member) in members where member.hearsInvocations {
      let event = RuntimeReply.extensionEvent(
        invocation, deadlineUnixMilliseconds: deadlineUnixMilliseconds)
      if let poll = member.poll {
        member.poll = nil
        actions.append(.reply(exchange: poll, event))
      } else {
        member.events.append(event)
        if member.events.count > Self.maximumEvents { member.events.removeFirst() }
      }
      members[identifier] = member
    }
    return actions
  }

  /// Removes all extensions and returns their open polls.
  mutating func removeAll() -> [Int] {
    defer { members = [:] }
    return members.values.compactMap(\.poll).sorted()
  }

  private mutating func register(
    name: String, _ body: [UInt8], _ identifier: String, _ mayRegister: Bool
  ) -> RuntimeReply {
    guard !name.isEmpty else {
      return .extensionRefusal(type: "Extension.InvalidExtensionName", "Empty extension name")
    }
    guard let document = try? JSONDocument(parsing: body, limits: .event), document.root.kind == .object
    else {
      return .extensionRefusal(type: "InvalidRequestFormat", "The body is not a JSON object")
    }
    guard mayRegister, !members.values.contains(where: { $0.name == name }) else {
      return .extensionRefusal(
        type: "Extension.RegistrationClosed", "Extension registration closed already")
    }
    guard members.count < Self.maximumCount else {
      return .extensionRefusal(
        type: "Extension.TooManyExtensions", "Extension limit (\(Self.maximumCount)) reached")
    }
    var hearsInvocations = false
    for event in document.root["events"].map({ Array($0.elements) }) ?? [] {
      if event.equals("INVOKE") {
        hearsInvocations = true
      } else if event.equals("SHUTDOWN") {
        return .extensionRefusal(
          type: "Extension.InvalidEventType", "SHUTDOWN: ShutdownEventNotSupportedForInternalExtension")
      } else {
        return .extensionRefusal(
          type: "Extension.InvalidEventType", "\(event.text ?? "?"): ErrorInvalidEventType")
      }
    }
    members[identifier] = Member(name: name, hearsInvocations: hearsInvocations)
    return .extensionRegistered(identifier: identifier)
  }
}

extension RuntimeReply {
  fileprivate static let extensionIdentifierMissing = extensionRefusal(
    type: "Extension.MissingHeader", "Missing Lambda-Extension-Identifier header")
  fileprivate static let extensionUnknown = extensionRefusal(
    type: "Extension.UnknownExtensionIdentifier", "Unknown extension identifier")

  fileprivate static func extensionRefusal(type: String, _ message: String) -> RuntimeReply {
    RuntimeReply(status: 403, errorType: type, message: message)
  }

  fileprivate static func extensionRegistered(identifier: String) -> RuntimeReply {
    let body = JSONTree.members([
      "functionName": .string(LambdaVariables.functionName),
      "functionVersion": .string(LambdaVariables.functionVersion), "handler": .string("bootstrap"),
    ])
    return RuntimeReply(
      status: 200, json: body.bytes(), [Field(name: "Lambda-Extension-Identifier", value: identifier)])
  }

  fileprivate static func extensionEvent(
    _ invocation: Invocation, deadlineUnixMilliseconds: Int64
  ) -> RuntimeReply {
    let event = JSONTree.members([
      "eventType": .string("INVOKE"), "deadlineMs": .integer(deadlineUnixMilliseconds),
      "requestId": .string(invocation.requestID), "invokedFunctionArn": .string(invocation.functionARN),
      "tracing": .members(["type": .string("X-Amzn-Trace-Id"), "value": .string(invocation.traceID)]),
    ])
    return RuntimeReply(
      status: 200, json: event.bytes(),
      [Field(name: "Lambda-Extension-Event-Identifier", value: invocation.requestID)])
  }
}
