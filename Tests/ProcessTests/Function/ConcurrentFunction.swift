import Foundation
import JSON
import TestSupport
import TestTokens

/// The function with several workers, under a Runtime API of the test.
final class ConcurrentFunction: @unchecked Sendable {
  let process = Process()
  private let output: URL
  private let watchdog: DispatchWorkItem

  /// Starts it for issuers 0, 1 … that publish their keys at `servers`, each with a seed that contains only the RS256
  /// key. Without servers there is issuer 0, which uses a shared secret.
  convenience init(
    _ api: ConcurrentRuntimeAPI, in folder: URL, workers: String = "4",
    keys servers: [LoopbackKeyServer] = [],
    launcher: [String] = []
  ) throws {
    var seed = try JSONTree(parsing: try FetchingFunction.keySet(["rs256"]))
    seed["fetchedAt"] = .number(String(Int64(Date().timeIntervalSince1970)))
    try Data(seed.bytes()).write(to: folder.appendingPathComponent("seed.json"))
    let materials =
      servers.isEmpty
      ? [#""algorithms":["HS256"],"keys":{"secret":{"environment":"SECRET"}}"#]
      : servers.map {
        #""algorithms":["RS256","ES256"],"keys":{"url":"\#($0.address)/jwks","seed":"seed.json"}"#
      }
    let issuers = materials.enumerated().map { number, material in
      #"{"name":"p\#(number)","issuer":"\#(Self.issuer(number))","audiences":["api"],\#(material)}"#
    }
    try self.init(
      api, in: folder, Workshop.bootstrap, workers: workers, launcher: launcher,
      [
        "AUTHORIZER_CONFIG": """
        {"issuers":[\(issuers.joined(separator: ","))],
        \(FetchingFunction.longestFetch)}
        """,
        "AUTHORIZER_DEVELOPMENT": "1", "SECRET": Self.secret,
      ])
  }

  /// Starts a function with these variables in addition to those of Lambda.
  ///
  /// - Parameter launcher: a command that starts the program in its arguments; empty to start it directly.
  init(
    _ api: ConcurrentRuntimeAPI, in folder: URL, _ executable: String, workers: String = "4",
    launcher: [String] = [], _ variables: [String: String]
  ) throws {
    output = folder.appendingPathComponent("output")
    try Data().write(to: output)
    let log = try FileHandle(forWritingTo: output)
    try log.seekToEnd()
    process.executableURL = URL(fileURLWithPath: launcher.first ?? executable)
    if !launcher.isEmpty { process.arguments = launcher.dropFirst() + [executable] }
    process.environment = variables.merging([
      "AWS_LAMBDA_RUNTIME_API": api.address, "LAMBDA_TASK_ROOT": folder.path,
      "AWS_LAMBDA_MAX_CONCURRENCY": workers, "AWS_LAMBDA_LOG_FORMAT": "JSON",
    ]) { $1 }
    process.standardOutput = log
    process.standardError = log
    try process.run()
    watchdog = HangLimit.killer(of: process.processIdentifier)
  }

  deinit {
    watchdog.cancel()
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  var isRunning: Bool { process.isRunning }

  /// How a process ended.
  enum End: Equatable {
    case status(Int32)
    case signal(Int32)
  }

  /// Waits until the function ends, without its status. `finish()` also waits for the programs that it started.
  func waitUntilEnded() {
    var information = unsafe siginfo_t()
    _ = unsafe waitid(P_PID, id_t(process.processIdentifier), &information, WEXITED | WNOWAIT)
  }

  /// Waits until the function ends, and returns how it ended.
  func finish() -> End {
    process.waitUntilExit()
    watchdog.cancel()
    let status = process.terminationStatus
    return process.terminationReason == .exit ? .status(status) : .signal(status)
  }

  /// The lines of its output.
  var lines: [String] {
    ((try? String(contentsOf: output, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }

  /// The lines with this message.
  func lines(_ message: String) -> [JSONTree] {
    lines.compactMap { try? JSONTree(parsing: Array($0.utf8)) }.filter { $0["message"] == .string(message) }
  }

  private static func issuer(_ number: Int) -> String { "https://id\(number).example.com" }

  private static let secret = "a secret of the development issuer, long enough"

  /// Returns an event with a token for this subject, signed with the shared secret or with a key of this algorithm.
  static func event(issuer: Int = 0, subject: String, algorithm: String? = nil) throws -> [UInt8] {
    let key = algorithm.map { #""algorithm":"\#($0)""# } ?? #""secret":"\#(secret)""#
    let recipe =
      #"{"t":{"preset":"oidc:\#(self.issuer(issuer))",\#(key),"claims":{"aud":"api","sub":"\#(subject)"}}}"#
    let mint = TokenMint(
      recipes: try TokenRecipes(parsing: Array(recipe.utf8)), keys: try FetchingFunction.keys(),
      now: Int64(Date().timeIntervalSince1970))
    let token = try mint.token(named: "t")
    let arn = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets"
    return Array(#"{"type":"TOKEN","methodArn":"\#(arn)","authorizationToken":"Bearer \#(token)"}"#.utf8)
  }
}
