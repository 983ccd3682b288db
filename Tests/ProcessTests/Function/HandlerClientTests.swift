import Emulator
import Foundation
import JSON
import TestSupport
import Testing

/// The program of the harness that calls Python handlers, compared with AWS's own client: the same answers, byte for
/// byte but for the request ID and spaces.
@Suite(
  .enabled(if: Clients.areInstalled && Workshop.python != nil, Clients.why),
  .timeLimit(.minutes(HangLimit.minutes)))
struct HandlerClientTests {
  private static func results(
    _ interpreters: String, _ path: String, _ events: [String], in workshop: borrowing Workshop
  ) async throws -> [InvocationResult] {
    for loop in HandlerLoop.all { try workshop.write(loop.text, to: ".loops/" + loop.fileName) }
    let folder = workshop.folder.resolvingSymlinksInPath().path
    let function = try HandlerFunction(
      HandlerSource(path: folder + "/" + path, symbol: "handler"), loops: folder + "/.loops",
      inheriting: ["PATH": interpreters], key: HandlerFunction.AccessKey(identifier: "a", secret: "b"))
    var settings = function.settings(name: "same", variables: [:], given: [:])
    settings.memoryMegabytes = 1024
    settings.initializationMilliseconds = HangLimit.milliseconds
    settings.timeoutMilliseconds = HangLimit.milliseconds
    return try await Clients.run(settings) { pool in
      var results: [InvocationResult] = []
      for event in events { results.append(try await pool.invoke(Array(event.utf8))) }
      return results
    }
  }

  private static func payloads(_ results: [InvocationResult]) throws -> [JSONTree] {
    try results.map { result in
      let text = String(decoding: result.payload, as: UTF8.self).replacing(result.requestID, with: "ID")
      return try JSONTree(parsing: Array(text.utf8))
    }
  }

  /// Both answers to the same events, in one process each.
  private static func both(
    _ files: [String: String], _ path: String, _ events: [String]
  ) async throws -> (own: [JSONTree], aws: [JSONTree]) {
    let workshop = try Workshop(hasDevelopmentKeys: false)
    for (name, text) in files { try workshop.write(text, to: name) }
    let own = try payloads(await results("/usr/bin:/usr/local/bin", path, events, in: workshop))
    let clients = Clients.environment.appendingPathComponent("bin").path
    return (own, try payloads(await results(clients, path, events, in: workshop)))
  }

  private static let events = [
    #"{"a":[1,2.5,null,true,"äß€😀\n"]}"#, #"{"do":"nothing"}"#, #"{"do":"log"}"#, #"{"do":"fail"}"#,
    #"{"do":"unauthorized"}"#, #"{"do":"unserializable"}"#, #"{"do":"large","bytes":6000000}"#,
    #"{"do":"large","bytes":7000000}"#, #"{"do":"exit"}"#, #"{"do":"abort"}"#, "not JSON", "1",
  ]

  @Test("handlers answer alike") func answers() async throws {
    let fixture = Workshop.packageRoot.appendingPathComponent("Tests/Fixtures/handlers/handler.py")
    let (own, aws) = try await Self.both(
      ["handler.py": try String(contentsOf: fixture, encoding: .utf8)], "handler.py", Self.events)
    for (event, (own, aws)) in zip(Self.events, zip(own, aws)) { #expect(own == aws, "\(event)") }
    #expect(own.count == Self.events.count)
  }

  @Test("the context is alike") func context() async throws {
    let fixture = Workshop.packageRoot.appendingPathComponent("Tests/Fixtures/handlers/handler.py")
    let (own, aws) = try await Self.both(
      ["handler.py": try String(contentsOf: fixture, encoding: .utf8)], "handler.py", [#"{"do":"tell"}"#])
    for name in ["calls", "request", "arn", "name", "version", "memory", "group", "stream", "folder"] {
      #expect(own.first?[name] == aws.first?[name], "\(name)")
      #expect(own.first?[name] != nil, "\(name)")
    }
  }

  @Test(
    "starts fail alike",
    arguments: [
      "def handler(", "import no_such_package", "x = 1", "raise KeyError('now')", "import sys; sys.exit(4)",
    ])
  func starts(_ source: String) async throws {
    let (own, aws) = try await Self.both(["app.py": source], "app.py", ["{}"])
    #expect(own == aws)
  }
}
