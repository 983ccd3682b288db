import LambdaEmulator
import Foundation
import JSON
import TestSupport
import Testing

/// The program of the harness that calls Python handlers, compared with AWS's own client: the same answers, byte for
/// byte but for the request ID and spaces.
@Suite(.needsPython, .enabled(if: Clients.areInstalled, Clients.why), .hangLimit)
struct HandlerClientTests {
  private static func payloads(_ results: [InvocationResult]) throws -> [JSONTree] {
    try results.map { result in
      // Each process has its own folder.
      let text = String(decoding: result.payload, as: UTF8.self).replacing(result.requestID, with: "ID")
        .replacing(/workshop-[0-9A-F-]{36}/, with: "workshop")
      return try JSONTree(parsing: Array(text.utf8))
    }
  }

  /// Both answers to the same events, in one process each.
  private static func both(
    _ events: [String], source: String? = nil
  ) async throws -> (own: [JSONTree], aws: [JSONTree]) {
    (
      try payloads(await HandlerColumn.python.results(events, source: source)),
      try payloads(await HandlerColumn.awslambdaric.results(events, source: source))
    )
  }

  private static let events = [
    #"{"a":[1,2.5,null,true,"äß€😀\n"]}"#, #"{"do":"nothing"}"#, #"{"do":"log"}"#, #"{"do":"fail"}"#,
    #"{"do":"unauthorized"}"#, #"{"do":"unserializable"}"#, #"{"do":"large","bytes":6000000}"#,
    #"{"do":"large","bytes":7000000}"#, #"{"do":"exit"}"#, #"{"do":"abort"}"#, #"{"do":"leave"}"#, "not JSON",
    "1",
  ]

  @Test("handlers answer alike") func answers() async throws {
    let (own, aws) = try await Self.both(Self.events)
    for (event, (own, aws)) in zip(Self.events, zip(own, aws)) { #expect(own == aws, "\(event)") }
    #expect(own.count == Self.events.count)
  }

  @Test("the context is alike") func context() async throws {
    let (own, aws) = try await Self.both([#"{"do":"tell"}"#])
    for name in ["calls", "request", "arn", "name", "version", "memory", "group", "stream"] {
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
    let (own, aws) = try await Self.both(["{}"], source: source)
    #expect(own == aws)
  }
}
