internal import Text
internal import Bytes
internal import JSON

/// Who sends a request, as the principals of a resource policy see it.
package enum PolicyCaller: Equatable, Sendable {
  /// A request without an AWS signature, also one with a token.
  case anonymous
  /// A request that an IAM identity has signed: its ARN and the number of its account.
  case identity(arn: String, account: String)

  /// The name in the message of a refusal.
  package var name: String {
    switch self {
    case .anonymous: "anonymous"
    case .identity(let arn, _): arn
    }
  }
}

/// `Principal` or `NotPrincipal` of a statement (IAM User Guide, "AWS JSON policy elements: Principal").
enum PolicyPrincipals: Equatable, Sendable {
  /// `"*"` and `{"AWS": "*"}`: also requests without a signature.
  case all
  /// ARNs of identities, and numbers of accounts for all identities of an account.
  case only([String])
  /// `NotPrincipal`, which this evaluator supports in a Deny only.
  case allExcept([String])

  /// Reads the element of a statement, which is required in a resource policy.
  init(ofStatement statement: JSONValue, at path: String, effect: PolicyDocument.Effect) throws(PolicyError) {
    switch (statement["Principal"], statement["NotPrincipal"]) {
    case (nil, nil): throw PolicyError("\(path).Principal", .missing)
    case (_?, _?): throw PolicyError("\(path).Principal", .both("Principal", "NotPrincipal"))
    case (let value?, nil):
      let names = try Self.names(value, at: "\(path).Principal")
      self = names.containsText("*") ? .all : .only(names)
    case (nil, let value?):
      // With an Allow it would admit every caller whom it does not name, also without a signature.
      guard effect == .deny else { throw PolicyError("\(path).NotPrincipal", .notEvaluated) }
      self = .allExcept(try Self.names(value, at: "\(path).NotPrincipal"))
    }
  }

  func include(_ caller: PolicyCaller) -> Bool {
    switch self {
    case .all: true
    case .only(let names): names.contains { Self.isName($0, of: caller) }
    case .allExcept(let names): !Self.areAllNames(of: caller, in: names)
    }
  }

  /// The kinds of principals beside `AWS`. None of them is the caller of an API, but a service that acts for it.
  private static let otherKinds = ["Service", "Federated", "CanonicalUser"]

  private static func names(_ value: JSONValue, at path: String) throws(PolicyError) -> [String] {
    if value.text == "*" { return ["*"] }
    guard value.kind == .object else {
      throw PolicyError(path, .wrongType(#""*" or an object with AWS"#, found: value))
    }
    var names: [String] = []
    var isEmpty = true
    for (kind, list) in value.members {
      let kind = kind.text ?? ""
      let place = "\(path).\(kind)"
      guard kind == "AWS" || otherKinds.contains(kind) else { throw PolicyError(place, .notEvaluated) }
      isEmpty = false
      for element in list.kind == .array ? Array(list.elements) : [list] {
        guard let text = element.text else {
          throw PolicyError(place, .wrongType("a string or an array of strings", found: element))
        }
        guard kind == "AWS" else { continue }
        // IAM matches no part of a principal by a wildcard.
        guard text == "*" || !text.utf8.contains(where: { $0 == .asterisk || $0 == .questionMark }) else {
          throw PolicyError(place, .wrongValue("an account, an ARN without wildcards or *", found: text))
        }
        names.append(text)
      }
    }
    if isEmpty { throw PolicyError(path, .empty) }
    return names
  }

  /// Whether `NotPrincipal` spares the caller: it must name the identity, its account too and, for a session, also its role.
  /// Otherwise the statement may deny the whole account (IAM User Guide, "AWS JSON policy elements: NotPrincipal").
  private static func areAllNames(of caller: PolicyCaller, in names: [String]) -> Bool {
    if names.containsText("*") { return true }
    guard case .identity(let arn, let account) = caller else { return false }
    let isSession = arn.splitBytes(at: ":", maxSplits: 5).last?.hasBytePrefix("assumed-role/") == true
    return names.contains { $0.hasSameBytes(as: arn) } && names.contains { isAccount($0, account) }
      && (!isSession
        || names.contains {
          !$0.hasSameBytes(as: arn) && !isAccount($0, account) && isName($0, of: caller)
        })
  }

  /// Whether a principal is an account: its number, or the ARN of its root.
  private static func isAccount(_ name: String, _ account: String) -> Bool {
    if name.hasSameBytes(as: account) { return true }
    let parts = name.splitBytes(at: ":", omittingEmptySubsequences: false)
    return parts.count == 6 && parts[2] == "iam" && parts[4].hasSameBytes(as: account) && parts[5] == "root"
  }

  /// Whether a principal's name is the caller: its ARN, that of its role, or its account.
  private static func isName(_ name: String, of caller: PolicyCaller) -> Bool {
    guard case .identity(let arn, let account) = caller else { return false }
    if name.hasSameBytes(as: arn) || isAccount(name, account) { return true }
    let parts = name.splitBytes(at: ":", maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 6, parts[2] == "iam", parts[4].hasSameBytes(as: account) else { return false }
    // `assumed-role/NAME/SESSION` is a session of `role/PATH/NAME`.
    let session = arn.splitBytes(at: ":", maxSplits: 5).last.map { $0.splitBytes(at: "/") } ?? []
    let role = parts[5].splitBytes(at: "/")
    return session.count == 3 && session[0] == "assumed-role" && role.first == "role"
      && role.last == session[1]
  }
}
