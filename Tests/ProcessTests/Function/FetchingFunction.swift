@testable import AuthorizerContract
@testable import LambdaEmulator
import Foundation
import TestSupport
import JSON
import TestTokens

/// The function with `fetch-keys` beside it and one issuer, and its output.
final class FetchingFunction: RecordedFunction, @unchecked Sendable {
  static func keys() throws -> DevelopmentKeys { try SharedKeys.all() }

  static let fetchKeys = Workshop.programs.appendingPathComponent("fetch-keys").path

  /// Whether both executables are built and `fetch-keys` finds a libcurl.
  static let isReady: Bool = {
    guard Workshop.hasBootstrap, FileManager.default.isExecutableFile(atPath: fetchKeys) else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: fetchKeys)
    process.arguments = ["--version"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// The longest timeout that a configuration can set.
  static let longestFetchMilliseconds = 8000
  static let longestFetch = fetch(milliseconds: longestFetchMilliseconds)

  /// Returns the member of a configuration that sets the timeouts of a fetch and of its connection.
  static func fetch(milliseconds: Int) -> String {
    #""fetch":{"timeoutMilliseconds":\#(milliseconds),"connectTimeoutMilliseconds":\#(milliseconds)}"#
  }

  /// Creates a function whose only issuer publishes its keys at `server`.
  ///
  /// - Parameters:
  ///   - hasSeed: whether it starts with a fresh seed that contains every development key.
  ///   - timeoutMilliseconds: the time limit of one fetch.
  init(
    in folder: URL, _ server: LoopbackKeyServer, hasSeed: Bool,
    timeoutMilliseconds: Int = longestFetchMilliseconds,
    executable: String = Workshop.bootstrap
  ) throws {
    let seed = hasSeed ? #","seed":"seed.json""# : ""
    if hasSeed {
      var set = try Self.keys().publicKeySet
      set["fetchedAt"] = .number(String(Int64(Date().timeIntervalSince1970)))
      try Data(set.bytes()).write(to: folder.appendingPathComponent("seed.json"))
    }
    let configuration = """
      {"issuers":[{"name":"partner","issuer":"https://id.example.com","audiences":["api"],
      "algorithms":["RS256","ES256"],"keys":{"url":"\(server.address)/jwks"\(seed)}}],
      \(Self.fetch(milliseconds: timeoutMilliseconds))}
      """
    let variables = ["AUTHORIZER_CONFIG": configuration, "AUTHORIZER_DEVELOPMENT": "1"]
    super.init(executable, in: folder, variables)
  }

  /// Returns the JSON lines with this message that it has written so far.
  func lines(_ message: String) -> [JSONTree] {
    lines.compactMap { try? JSONTree(parsing: Array($0.utf8)) }
      .filter { $0["message"] == .string(message) }
  }

  /// Returns an event with a token of the issuer, signed with the key of this algorithm.
  static func event(_ algorithm: String) throws -> [UInt8] {
    let recipe =
      #"{"t":{"preset":"oidc:https://id.example.com","algorithm":"\#(algorithm)","claims":{"aud":"api","sub":"u"}}}"#
    let mint = TokenMint(
      recipes: try TokenRecipes(parsing: Array(recipe.utf8)), keys: try keys(),
      now: Int64(Date().timeIntervalSince1970))
    let token = try mint.token(named: "t")
    let arn = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets"
    return Array(#"{"type":"TOKEN","methodArn":"\#(arn)","authorizationToken":"Bearer \#(token)"}"#.utf8)
  }

  /// Returns the development key set as an issuer publishes it, optionally with these keys only.
  static func keySet(_ identifiers: [String]? = nil) throws -> [UInt8] {
    var set = try keys().publicKeySet
    guard let identifiers, case .array(let members)? = set["keys"] else { return set.bytes() }
    set["keys"] = .array(
      members.filter { member in identifiers.contains { member["kid"] == .string("development-" + $0) } })
    return set.bytes()
  }
}

extension ExecutionEnvironment {
  /// Sends an event and returns the outcome.
  func verdict(_ event: [UInt8]) async -> (outcome: Outcome, result: InvocationResult) {
    let result = await invoke(event: event)
    return (Evaluation(of: result.answer, to: event).outcome, result)
  }
}
