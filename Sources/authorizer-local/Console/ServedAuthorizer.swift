internal import GatewayEmulator
internal import LambdaEmulator
internal import Authorizer
internal import FunctionHost
internal import IssuerKeys
internal import JOSE
internal import JSON
internal import KeyFetcher
internal import Text
internal import Withdrawals

/// This project's authorizer as `serve` runs it, for the console: `explain` with the same configuration.
struct ServedAuthorizer {
  /// The name of its resource.
  let name: String
  private let source: LocalSource
  private let machine: Machine
  /// The configuration as the process read it at its start; `nil` if it is invalid, so that the process does not start.
  /// Read once: each refusal is explained for the log.
  private let settings: Settings?

  /// - Parameter settings: the settings of its process.
  init(_ settings: FunctionSettings, on machine: Machine) {
    name = settings.name
    source = LocalSource(variables: settings.variables, taskRoot: settings.taskRoot)
    self.machine = machine
    self.settings = try? source.settings()
  }

  func explanation(of event: [UInt8], at unixSeconds: Int64) -> DecisionExplanation? {
    // The keys are those of the process, which trusts the development keys already.
    let configuration = ExplainedConfiguration(
      source: source, jwks: nil, realKeys: true, machine: machine, known: self.settings)
    guard
      let report = try? ExplanationReport(
        subject: .event(event), configuration: configuration, now: unixSeconds)
    else { return nil }
    return DecisionExplanation(
      sentence: report.sentence, hint: report.hint, reason: report.reason, rule: report.rule,
      needs: report.needs, has: report.has, checks: report.checks)
  }

  /// The rules as the configuration has them.
  var rules: [JSONTree] {
    var reader = source.reader(
      variable: "AUTHORIZER_CONFIG", file: "authorizer.json", hint: "", ProblemList())
    return reader?.value("rules")?.elements.map { (try? JSONTree(parsing: $0.source)) ?? .null } ?? []
  }

  /// The scopes that the rules and issuers require, in their order.
  var scopes: [String] { (settings?.requiredScopes ?? []).map { String(decoding: $0, as: UTF8.self) } }

  /// The routes of rules with a claim.
  var ownedRoutes: [String] { (settings?.ruleRoutes ?? []).joined().filter { $0.containsBytes(of: "${") } }

  /// The key sets by issuer. Fetched keys are in the process alone.
  var keySets: [JSONTree] {
    (settings?.issuers ?? []).map { issuer in
      let source: String
      var keys: [JSONTree] = []
      switch issuer.keys {
      case .secret: source = "a shared secret"
      case .published(let published):
        let fetched = published.address.map { "fetched from " + $0.text }
        guard case .keys(let set)? = issuer.keys.deployed else {
          source = fetched ?? ""
          break
        }
        keys = set.keys.map(Self.tree)
        source =
          set.holdsDevelopmentKeys
          ? "the development keys, in place of the issuer's own"
          : "from the key file of the configuration" + (fetched.map { ", then " + $0 } ?? "")
      }
      return .members([
        "issuer": .string(issuer.profile.issuers.first ?? issuer.profile.name),
        "name": .string(issuer.profile.name),
        "source": .string(source), "keys": .array(keys),
      ])
    }
  }

  private static func tree(_ key: VerificationKey) -> JSONTree {
    let algorithms = key.algorithms.map(\.rawValue)
    return .members([
      "kid": key.keyID.map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null,
      "kty": .string(algorithms.first.map(Self.type) ?? ""),
      "alg": .string(algorithms.joined(separator: ", ")),
      "use": .string("sig"),
    ])
  }

  /// The type of key that an algorithm uses (RFC 7518 section 3.1, RFC 8037).
  private static func type(of algorithm: String) -> String {
    switch algorithm.prefix(2) {
    case "RS", "PS": "RSA"
    case "ES": "EC"
    default: "OKP"
    }
  }

  // MARK: Revocations

  /// The most rows that are shown: our choice.
  private static let maximumRows = 500

  var revocations: JSONTree {
    let path = machine.development.path + "/revocations.json"
    guard let revocation = settings?.revocation else {
      return Self.revocations(how: "the configuration has no revocation (docs/revocation.md)")
    }
    let how =
      revocation.lookups.isEmpty
      ? "curl -d user=SUB -d type=consent-revoked /dev/notification, and post its answer to the identity function"
      : "authorizer-local revoke --issuer NAME --sub SUB --config FILE --file .development/revocations.json"
    guard machine.files.exists(path),
      let bytes = try? machine.files.bytes(at: path, limit: WithdrawalFile.limits.bytes),
      let tree = try? JSONTree(parsing: bytes), case .array(let rows)? = tree["revocations"]
    else { return Self.revocations(how: how) }
    return Self.revocations(rows.suffix(Self.maximumRows), how: how)
  }

  /// - Parameter rows: `nil` if there is no file.
  static func revocations(_ rows: ArraySlice<JSONTree>? = nil, how: String) -> JSONTree {
    .members([
      "available": .boolean(rows != nil), "rows": .array(Array(rows ?? [])), "how": .string(how),
    ])
  }
}
