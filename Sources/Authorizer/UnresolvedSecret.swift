/// Why the bytes of a configured secret are not used: whoever reads the template knows or guesses them, and could sign.
///
/// Checked for the HMAC secrets of issuers and for the nonce secret, from variables and files. Each form takes four given bytes
/// or more, or words alone from end to end, so that of ten million random secrets of 32 bytes at most one is refused by chance.
package enum UnresolvedSecret: Error, Equatable, Sendable {
  /// A reference that a deploy tool should have replaced: what kind of reference, for people.
  case reference(String)
  /// A text such as `<replace me>` that stands for a secret.
  case placeholder
  /// So many different bytes, which are too few: below ``minimumDistinctBytes``.
  case repetition(distinctBytes: Int)

  /// Different bytes of a secret, at least: ours. 32 random decimal digits have fewer once in 17 million.
  package static let minimumDistinctBytes = 6

  /// What is wrong and what to do about it; never a part of the secret.
  package var description: String {
    switch self {
    case .reference(let kind):
      "\(kind) that was not resolved: its text is no secret; have the deployment put the value in its place"
    case .placeholder: "a placeholder, not a secret: put random bytes in its place"
    case .repetition(let count):
      "\(count) different bytes are too few for a secret, which needs \(Self.minimumDistinctBytes): use random bytes"
    }
  }

  /// Finds a text that stands for a secret; `nil` for what may be one.
  ///
  /// - Parameter text: as it was configured. Blanks, a byte order mark and quotation marks around it do not count.
  package init?(text: [UInt8]) {
    let text = SecretText(trimming: text)
    if let kind = text.referenceKind {
      self = .reference(kind)
    } else if text.isPlaceholder {
      self = .placeholder
    } else {
      return nil
    }
  }

  /// The same, and bytes that repeat.
  ///
  /// - Parameter bytes: what signs.
  package init?(bytes: [UInt8]) {
    if let flaw = UnresolvedSecret(text: bytes) {
      self = flaw
      return
    }
    var isThere = [Bool](repeating: false, count: 256)
    for byte in bytes { isThere[Int(byte)] = true }
    let count = isThere.reduce(0) { $1 ? $0 + 1 : $0 }
    guard count < Self.minimumDistinctBytes else { return nil }
    self = .repetition(distinctBytes: count)
  }
}

/// A secret's text without what stands around it.
private struct SecretText {
  private let bytes: [UInt8]

  init(trimming text: [UInt8]) {
    var rest = text[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    while let first = rest.first, Self.isAround(first) { rest = rest.dropFirst() }
    while let last = rest.last, Self.isAround(last) { rest = rest.dropLast() }
    bytes = Array(rest)
  }

  /// Blanks, control characters, quotation marks.
  private static func isAround(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x22 || byte == 0x27 }

  // MARK: References

  /// What kind of reference this is; `nil` for none.
  var referenceKind: String? {
    // "Dynamic references" (CloudFormation): also within a longer text.
    if holds("{{resolve:") { return "a CloudFormation dynamic reference" }
    if holds("arn:aws") { return "an ARN" }
    if isIntrinsicFunction { return "a CloudFormation function" }
    if isVariable { return "a variable of a deploy tool" }
    if isCommand { return "a shell command" }
    if isTemplate { return "a template expression" }
    if isStoreReference { return "a reference to a secret store" }
    return nil
  }

  /// `!Ref Name`, `!Sub …`, `{"Ref": …}`, `{"Fn::Sub": …}` ("Intrinsic function reference").
  private var isIntrinsicFunction: Bool {
    let tags = [
      "!Ref ", "!Sub ", "!GetAtt ", "!ImportValue ", "!Join ", "!FindInMap ", "!Select ", "!Base64 ",
    ]
    if tags.contains(where: begins) || begins("Fn::") { return true }
    let dense = bytes.filter { $0 > 0x20 }
    return dense.starts(with: #"{"Ref":"#.utf8) || dense.starts(with: #"{"Fn::"#.utf8)
      || dense.starts(with: "{Ref:".utf8) || dense.starts(with: "{Fn::".utf8)
  }

  /// `${NAME}`, `${ssm:/path}`, `${var.name}`, `${{ secrets.NAME }}`, `$NAME`, `%NAME%`, `#{NAME}`, `@@NAME@@`, `__NAME__`,
  /// `var.name`: of shells, CloudFormation's Sub, Serverless Framework, Terraform, CDK, GitHub Actions, Windows, Octopus.
  private var isVariable: Bool {
    let known = [
      "${ssm:", "${self:", "${env:", "${opt:", "${cf:", "${cf.", "${file(", "${secretsManager", "${aws:",
      "${AWS::",
      "${var.", "${local.", "${data.", "${module.", "${Token[", "${Token.",
    ]
    if known.contains(where: holds) { return true }
    if let inner = inner("${", "}"), inner.allSatisfy({ Self.isWord($0) || Self.isExpression($0) }) {
      return true
    }
    if bytes.first == 0x24, isName(bytes.dropFirst()) { return true }
    for (open, close) in [("%", "%"), ("#{", "}"), ("#{", "}#"), ("@@", "@@"), ("__", "__"), ("{", "}")] {
      if let inner = inner(open, close), isName(inner) { return true }
    }
    let roots = [
      "var.", "local.", "module.", "data.aws_", "aws_secretsmanager_", "aws_ssm_", "random_password.",
    ]
    return roots.contains(where: begins)
      && bytes.allSatisfy { Self.isWord($0) || $0 == 0x5B || $0 == 0x5D || $0 == 0x22 || $0 == 0x2A }
  }

  /// `$(aws …)`, `` `aws …` ``.
  private var isCommand: Bool {
    for (open, close) in [("$(", ")"), ("`", "`")] {
      if let inner = inner(open, close), inner.contains(0x20) || inner.allSatisfy(Self.isWord) { return true }
    }
    return false
  }

  /// `{{ name }}`, `{% … %}`, `<%= … %>`, `[[ name ]]`: Jinja, Helm, Ansible, ERB.
  private var isTemplate: Bool {
    inner("{{", "}}") != nil || inner("{%", "%}") != nil || inner("<%", "%>") != nil
      || inner("[[", "]]") != nil
  }

  /// `ssm:/path`, `secretsmanager:name`, `vault:…`, SOPS's `ENC[…]`.
  private var isStoreReference: Bool {
    let prefixes = [
      "ssm:/", "ssm://", "ssm-secure:", "secretsmanager:", "secretsmanager/", "secretsmanager//", "resolve:",
      "aws-ssm:", "aws-secretsmanager:", "awssm:", "awsssm:", "awssecrets", "ref+aws", "vault:", "op://",
      "parameterstore:", "/aws/reference/secretsmanager/", "ENC[AES256",
    ]
    return prefixes.contains(where: begins) || (begins("ssm:") && bytes.allSatisfy(Self.isWord))
  }

  // MARK: Placeholders

  /// `<replace me with 32 random bytes>`, `CHANGE-ME-…`, `your_secret_…`.
  var isPlaceholder: Bool {
    if let inner = inner("<", ">"), inner.contains(0x20) || inner.allSatisfy(Self.isWord) { return true }
    let letters = bytes.filter { $0 != 0x20 && $0 != 0x2D && $0 != 0x5F }.map {
      0x41...0x5A ~= $0 ? $0 | 0x20 : $0
    }
    let beginnings = [
      "replaceme", "replacethis", "replacewith", "changeme", "changethis", "yoursecret", "placeholder",
      "insertsecret", "secretgoeshere",
    ]
    return beginnings.contains { letters.starts(with: $0.utf8) }
  }

  // MARK: Bytes

  private func begins(_ text: String) -> Bool { bytes.starts(with: text.utf8) }

  private func holds(_ text: String) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: text.utf8) }
  }

  /// What stands between both, at least a byte; `nil` where one is missing.
  private func inner(_ open: String, _ close: String) -> ArraySlice<UInt8>? {
    let count = open.utf8.count + close.utf8.count
    guard bytes.count > count, begins(open), bytes.suffix(close.utf8.count).elementsEqual(close.utf8) else {
      return nil
    }
    return bytes[open.utf8.count..<(bytes.count - close.utf8.count)]
  }

  /// Letters, digits, `_`, `-` and dots; at least one.
  private func isName(_ text: ArraySlice<UInt8>) -> Bool {
    !text.isEmpty && text.allSatisfy { Self.isLetterOrDigit($0) || $0 == 0x5F || $0 == 0x2D || $0 == 0x2E }
  }

  /// What names and paths of references are made of.
  private static func isWord(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || [0x5F, 0x2D, 0x2E, 0x3A, 0x2F].contains(byte)
  }

  /// What stands between words in `${…}`: blanks, commas, quotation marks, brackets, defaults.
  private static func isExpression(_ byte: UInt8) -> Bool { " ,\"'()[]{}?=+@~$".utf8.contains(byte) }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
  }
}
