@testable import LambdaEmulator
import Foundation
import JSON
import TestTokens

/// The function for one issuer with pinned keys, and every line that it writes.
final class LoggingFunction: RecordedFunction, @unchecked Sendable {
  /// Creates a function with these variables and additional members in its configuration.
  ///
  /// - Parameter script: a script for `/bin/sh` with the executable as `$0`; nil to start the executable directly.
  init(in folder: URL, _ variables: [String: String] = [:], members: String = "", script: String? = nil)
    throws
  {
    let set = try FetchingFunction.keys().publicKeySet.bytes()
    try Data(set).write(to: folder.appendingPathComponent("keys.json"))
    let configuration = """
      {"issuers":[{"name":"partner","issuer":"https://id.example.com","audiences":["api"],
      "algorithms":["RS256","ES256"],"keys":{"seed":"keys.json","pinned":true}}]\(members)}
      """
    let own = ["AUTHORIZER_CONFIG": configuration, "AUTHORIZER_DEVELOPMENT": "1"]
    super.init(
      script == nil ? Workshop.bootstrap : "/bin/sh",
      arguments: script.map { ["-c", $0, Workshop.bootstrap] } ?? [], in: folder,
      own.merging(variables) { $1 })
  }

  /// Starts it, sends the events, ends it, and returns the results.
  @discardableResult func run(
    _ events: [[UInt8]], context: InvocationContext = InvocationContext()
  ) async throws -> [InvocationResult] {
    try await run { environment in
      var results: [InvocationResult] = []
      for event in events { results.append(await environment.invoke(event: event, context: context)) }
      return results
    }
  }

  /// Without the warning about development keys.
  override var lines: [String] { super.lines.filter { !$0.contains("AUTHORIZER_DEVELOPMENT") } }

  /// The lines that are JSON.
  var objects: [JSONTree] { lines.compactMap { try? JSONTree(parsing: Array($0.utf8)) } }

  /// Returns one event for each outcome that needs no rules: allowed, unauthorized, failure.
  static func events() throws -> [[UInt8]] {
    let good = try FetchingFunction.event("RS256")
    let arn = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets"
    let bad = #"{"type":"TOKEN","methodArn":"\#(arn)","authorizationToken":"Bearer abc"}"#
    return [good, Array(bad.utf8), Array("{}".utf8)]
  }
}

extension JSONTree {
  /// A string's text.
  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }
}
