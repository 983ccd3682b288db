import FunctionHost
import TestSupport
import IssuerKeys
import JSON
import KeyFetcher
import RuleAnalysis
import TestTokens

@testable import Authorizer

/// A configuration, and the decisions of the authorizer itself with it.
struct ConfirmedRules {
  /// 2026-11-21T10:00:00Z.
  static let now: Int64 = 1_795_255_200
  static let stage = "arn:aws:execute-api:us-east-1:123456789012:a/s/"

  let settings: Settings
  private let text: String

  init(_ text: String) throws {
    self.text = text
    settings = try Settings(reading: try Source(text))
  }

  /// The outcome of the authorizer for an example.
  func outcome(_ example: RequestExample) throws -> Outcome {
    let keys = try SharedKeys.all()
    var members: [JSONTree.Member] = [
      .init(name: "type", value: .string("REQUEST")),
      .init(name: "methodArn", value: .string(Self.stage + (example.method ?? "") + example.path)),
    ]
    if example.method == nil {
      members.append(
        .init(name: "requestContext", value: .members(["eventType": .string("CONNECT")])))
    }
    var headers: [(name: String, value: String)] = []
    if let method = example.mcpMethod {
      headers = [("MCP-Protocol-Version", MCPRequest.revisions[0]), ("Mcp-Method", method)]
      if let name = example.mcpName { headers.append(("Mcp-Name", name)) }
    }
    if let recipe = example.token {
      let mint = TokenMint(recipes: TokenRecipes(), keys: keys, now: Self.now)
      let token = try mint.token(try TokenRecipe(recipe, name: "token"), name: "token")
      headers.append(("Authorization", "Bearer " + token))
    }
    members.append(
      .init(name: "headers", value: .object(headers.map { .init(name: $0.name, value: .string($0.value)) })))
    members.append(
      .init(
        name: "multiValueHeaders",
        value: .object(headers.map { .init(name: $0.name, value: .array([.string($0.value)])) })))
    var authorizer = Authorizer(settings: settings, transport: NoKeys(), at: Self.now)
    return authorizer.decide(
      on: JSONTree.object(members).bytes(), at: InvocationTime(unixSeconds: Self.now)
    ).outcome
  }

  private struct Source: ConfigurationSource {
    let text: String
    let keys: [UInt8]

    init(_ text: String) throws {
      self.text = text
      keys = try SharedKeys.all().publicKeySet.bytes()
    }

    func variable(_ name: String) -> String? {
      ["AUTHORIZER_CONFIG": text, "AUTHORIZER_DEVELOPMENT": "1"][name]
    }

    func file(_ path: String, limit: Int) throws(FileError) -> [UInt8] { keys }
  }
}

/// Every key is in the seed.
private struct NoKeys: KeyTransport {
  func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches {
    KeyFetches(results: addresses.map { _ in .failure(.deadlineExceeded) }, elapsedMilliseconds: 0)
  }
}
