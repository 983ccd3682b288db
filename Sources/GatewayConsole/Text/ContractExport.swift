internal import AuthorizerContract
internal import Bytes
internal import GatewayModel
internal import Text
internal import GatewayEmulator
internal import JSON

/// A decision as a contract test: an event file with a placeholder for its token, the recipe of the token, and the
/// expectation (docs/harness/tests.md).
struct ContractExport {
  private let text: DecisionText

  /// The recipe's name, and the first part of the file's name: `get-users-bob-alice-403-0de2dd`. A part of the request's ID
  /// makes it unique: the number of a decision begins again with each start.
  private let name: String

  /// The most bytes of method, path and user in a name: our choice, half a line of a terminal.
  private static let maximumNameBytes = 40

  init(_ text: DecisionText) {
    self.text = text
    let (served, request) = (text.served, text.served.request)
    let path = served.api.pathBehindStage(request.path) ?? request.path
    let words = "\(request.method) \(path) \(text.credentials.token?.subject ?? "")"
    let letters = text.redactor.text(words).utf8.split { !$0.isLetterOrDigit }.joined(separator: [.hyphen])
    name =
      String(decoding: Array(letters.prefix(Self.maximumNameBytes)).lowercase, as: UTF8.self)
      + "-\(served.record.status)-\(served.identity.requestID.prefix(6))"
  }

  /// The files; with `note` instead if the decision cannot be repeated by a test. `null` without an event.
  var tree: JSONTree {
    let evidence = text.served.exchange?.evidence
    guard !text.credentials.isExcessive else { return .null }
    guard let bytes = evidence?.call?.event, let event = try? JSONTree(parsing: bytes), let expectation else {
      return .null
    }
    var recipe: JSONTree?
    if let token = text.credentials.token {
      recipe = Self.recipe(
        token, at: text.served.identity.unixMilliseconds / 1000, reason: text.reasonCode, text.redactor)
      if recipe == nil {
        return .members(["note": .string("only a token of the development issuer can be made again")])
      }
    }
    guard !Redactor.hasPlaceholder(event) else {
      return .members(["note": .string("the request contains {{, which event files use for placeholders")])
    }
    let proof = text.served.request.values(ofHeader: "DPoP").first.flatMap(DecodedToken.init)
    let filled = text.redactor.keepingPlaceholders(in: withPlaceholders(event, proof))
    return .members([
      "event": .string("events/\(name).json"), "expected": .string("events/\(name).expected.json"),
      "eventDocument": filled, "expectedDocument": expectation,
      "tokens": recipe.map { .object([.init(name: name, value: $0)]) },
    ])
  }

  // MARK: The expectation

  private var expectation: JSONTree? {
    let reason = text.reasonCode.map { JSONTree.string(text.redactor.text($0)) }
    let evidence = text.served.exchange?.evidence
    guard let outcome = evidence?.evaluation?.outcome else { return nil }
    // The ARN of the event is in the policy, and times of the token: the caller is what stays.
    let response = (evidence?.grant?.answer.principal).map { principal in
      JSONTree.members([
        "$includes": .members(["principalId": .string(text.redactor.text(principal))])
      ])
    }
    return .members(["outcome": .string(outcome.rawValue), "reason": reason, "response": response])
  }

  // MARK: The event

  /// Returns the event with placeholders for the token and the proof.
  private func withPlaceholders(_ tree: JSONTree, _ proof: DecodedToken?) -> JSONTree {
    switch tree {
    case .string(let value):
      if let proof, value.hasSameBytes(as: proof.text), case .string(let method)? = proof.claims["htm"],
        case .string(let address)? = proof.claims["htu"], !method.containsBytes(of: " "),
        !address.containsBytes(of: " ")
      {
        return .string("{{proof \(name) \(method) \(address)}}")
      }
      guard let token = text.credentials.token?.text else { return tree }
      return .string(value.replacingBytes(of: token, with: "{{token \(name)}}"))
    case .array(let elements): return .array(elements.map { withPlaceholders($0, proof) })
    case .object(let members):
      return .object(members.map { .init(name: $0.name, value: withPlaceholders($0.value, proof)) })
    case .number, .boolean, .null: return tree
    }
  }

  // MARK: The token

  private static let times: Set<String> = ["exp", "iat", "nbf", "auth_time"]

  /// Returns the recipe of a token of the development issuer; `nil` for other tokens.
  private static func recipe(_ token: DecodedToken, at now: Int64, reason: String?, _ redactor: Redactor)
    -> JSONTree?
  {
    guard let recorded = RecordedRecipe(token, refused: reason), case .object(let members) = token.claims
    else { return nil }
    let isBound = token.claims["cnf"]?["jkt"] != nil
    let claims = members.compactMap { member -> JSONTree.Member? in
      if isBound, member.name == "cnf" { return nil }
      guard times.contains(member.name), case .number(let text) = member.value, let time = Int64(text) else {
        return .init(name: member.name, value: redactor.tree(member.value, byName: false))
      }
      let (distance, isTooFar) = time.subtractingReportingOverflow(now)
      if isTooFar { return member }
      return .init(name: member.name, value: .string((distance < 0 ? "-" : "+") + "\(distance.magnitude)s"))
    }
    return recorded.tree(claims: claims, binds: isBound) { redactor.tree($0, byName: false) }
  }
}

extension Redactor {
  /// Returns an event in which placeholders stay and all credentials are removed.
  ///
  /// - Parameter name: the member that contains the value.
  fileprivate func keepingPlaceholders(in tree: JSONTree, of name: String = "") -> JSONTree {
    guard Self.hasPlaceholder(tree) else {
      return self.tree(.object([.init(name: name, value: tree)]))[text(name)] ?? .null
    }
    switch tree {
    case .string(let value):
      switch name.lowercased() {
      case "cookie", "cookies": return .string(cookies(value))
      case "rawquerystring": return .string(query(value))
      default: return .string(text(value))
      }
    case .array(let elements): return .array(elements.map { keepingPlaceholders(in: $0, of: name) })
    case .object(let members):
      return .object(
        members.map {
          .init(name: text($0.name), value: keepingPlaceholders(in: $0.value, of: $0.name))
        })
    case .number, .boolean, .null: return tree
    }
  }

  fileprivate static func hasPlaceholder(_ tree: JSONTree) -> Bool {
    switch tree {
    case .string(let text): text.containsBytes(of: "{{")
    case .array(let elements): elements.contains(where: hasPlaceholder)
    case .object(let members):
      members.contains { $0.name.containsBytes(of: "{{") || hasPlaceholder($0.value) }
    case .number, .boolean, .null: false
    }
  }
}
