import Foundation
import Testing

@testable import Emulator

/// No single mistake in a template opens a route: what was guarded stays guarded, is closed, or the template is refused,
/// unless AWS too reads the changed template as open.
@Suite struct TemplateMutationTests {
  @Test func noMistakeOpensASample() throws {
    var tried = 0
    for text in MutationSamples.all {
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).indices {
        tried += try Self.check(text, at: line, [:])
      }
    }
    #expect(tried > 900)
  }

  /// The templates that this project deploys.
  @Test(arguments: ["template", "simple-answers", "http-api", "websocket"])
  func noMistakeOpensADeployedTemplate(_ name: String) throws {
    let text = try TemplateSamples.deployed(name)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).indices
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<80 {
      guard let line = lines.randomElement(using: &generator) else { continue }
      _ = try Self.check(text, at: line, ["Issuer": "apple", "Audience": "com.example.app"])
    }
  }

  /// Templates of others, where a folder of them is beside the package: some lines of each, always the same ones.
  @Test func noMistakeOpensATemplateOfOthers() throws {
    let folder = TemplateSamples.packageRoot.appendingPathComponent("../shared/templates")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    var generator = SeededGenerator(seed: 18)
    for name in names.sorted() where name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).indices
      for _ in 0..<12 {
        guard let line = lines.randomElement(using: &generator) else { continue }
        _ = try Self.check(text, at: line, Self.parameters)
      }
    }
  }

  /// Values for the parameters of others' templates that have no default.
  private static let parameters = [
    "UserPoolId": "pool", "UserPoolClient": "client", "pIpRangeWhitelist": "127.0.0.1/32",
    "SecretToken": "example", "LambdaRole": "role", "BucketName": "bucket", "CACertKey": "key",
    "CustomDomainCertArn": "arn", "CustomDomainName": "a.example",
  ]

  // MARK: The check

  /// Checks all mutations of one line; returns their number.
  private static func check(_ text: String, at line: Int, _ values: [String: String]) throws -> Int {
    let parameters = values.filter { text.contains("\n  \($0.key):") }
    guard let before = try? GatewayTemplate(parsing: text, parameters: parameters) else { return 0 }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let mutations = TemplateMutation.all(of: lines, at: line)
    for mutation in mutations where !isOpening(mutation) {
      guard let after = try? GatewayTemplate(parsing: mutation.text, parameters: parameters) else { continue }
      for api in before.apis {
        guard
          let changed = after.apis.first(where: { $0.name == api.name && $0.stage.name == api.stage.name })
        else { continue }
        for route in api.routes {
          guard let now = Self.route(for: route, of: changed) else { continue }
          #expect(
            isAsStrict(now, as: route),
            "\(mutation): \(api.name) \(route.key): \(now.access) after \(route.access)")
        }
      }
    }
    return mutations.count
  }

  /// The route that gets a request of another route, after the template has changed.
  private static func route(for route: GatewayRoute, of api: GatewayAPI) -> GatewayRoute? {
    let table = RouteTable(api)
    switch route.match {
    case .default: return api.routes.first { $0.match == .default }
    case .connect: return table.route(key: "$connect")
    case .message(let key): return table.route(key: key)
    case .path(let method, let pattern):
      let path = pattern.segments.map { segment in
        if case .literal(let text) = segment { text } else { "value" }
      }
      return table.route(method: method ?? "PATCH", path: "/" + path.joined(separator: "/"))?.route
    }
  }

  private static func isAsStrict(_ now: GatewayRoute, as before: GatewayRoute) -> Bool {
    if case .closed = now.access { return true }
    if before.needsAPIKey, !now.needsAPIKey { return false }
    switch (before.access, now.access) {
    case (.open, _), (.closed, _): return true
    case (.lambda(let one), .lambda(let other)): return one.function == other.function
    case (.token(let one, let scopes), .token(let other, let others)):
      return hasSameIssuers(one, other)
        && (scopes.isEmpty || Set(others).isSubset(of: scopes) && !others.isEmpty)
    case (.signature, .signature): return true
    default: return false
    }
  }

  /// Whether two authorizers accept the tokens of the same issuers. Fewer audiences accept fewer tokens.
  private static func hasSameIssuers(_ one: TokenAuthorizer, _ other: TokenAuthorizer) -> Bool {
    switch (one.kind, other.kind) {
    case (.jwt(let issuer, let audiences), .jwt(let otherIssuer, let others)):
      issuer == otherIssuer && Set(others).isSubset(of: audiences)
    case (.userPools(let pools), .userPools(let others)): Set(others).isSubset(of: pools)
    default: false
    }
  }

  // MARK: What opens on AWS too

  /// Whether AWS reads the changed template as one that asks for less, so that there is nothing to protect.
  private static func isOpening(_ mutation: TemplateMutation) -> Bool {
    let (name, parents) = (mutation.path.last ?? "", mutation.path.dropLast())
    switch mutation.kind {
    case .removed, .null:
      // Without it, nothing says who may call, or another authorizer, scope or key is the one that the template names.
      return guards.contains(name) || mutation.path.contains("AuthorizationScopes")
        // Without it, the route is another one: of another function, of another API, or of none. CloudFormation reads an
        // empty property like an absent one.
        || places.contains(name) || parents.last == "Events" || parents == ["Resources"]
        || name == "Properties" && (mutation.path.count == 3 || mutation.path.contains("Events"))
        || mutation.path == ["Globals"] || parents == ["Globals"]
        || parents.last == "paths" || parents.dropLast().last == "paths"
    case .map:
      // An empty map of these is absent for SAM.
      return name == "Properties" && (mutation.path.count == 3 || mutation.path.contains("Events"))
        || ["Auth", "Events", "Globals", "paths"].contains(name) || parents == ["Globals"]
        || parents.last == "paths"
    case .renamed:
      // Other names of a path, a method or an authorizer's claims.
      return parents.last == "paths" || parents.dropLast().last == "paths"
    case .list: return name == "AuthorizationScopes"
    // Another audience, or another route.
    case .text: return ["audience", "RouteKey"].contains(name)
    }
  }

  private static let guards: Set<String> = [
    "Auth", "DefaultAuthorizer", "Authorizer", "ApiKeyRequired", "security", "AuthorizationType",
  ]

  private static let places: Set<String> = [
    "Events", "RestApiId", "ApiId", "paths", "DefinitionBody", "Resources", "MergeDefinitions", "Cors",
  ]
}

/// The SplitMix64 generator: the same numbers in each run.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
