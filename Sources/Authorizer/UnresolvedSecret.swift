/// Why the bytes of a configured secret are not used: whoever reads the template knows or guesses them, and could sign.
///
/// Checked for the HMAC secrets of issuers and for the nonce secret, from variables and files. Random bytes, and random letters and
/// digits (hexadecimal, base64, base64url), are refused by chance once in ten million. Random text with all punctuation is refused
/// about once in a thousand, where it holds a `${` and later a `}`: a refusal at deployment, where a reference taken for a secret
/// would let strangers sign.
package enum UnresolvedSecret: Error, Equatable, Sendable {
  /// A reference that a deploy tool should have replaced: what kind of reference, for people.
  case reference(String)
  /// A text such as `<replace me>` that stands for a secret.
  case placeholder
  /// So many different bytes, which are too few: below ``minimumDistinctBytes``.
  case repetition(distinctBytes: Int)
  /// A text of so many bytes, again and again: no more of a secret than that text.
  case repeated(bytes: Int)

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
    case .repeated(let count): "\(count) bytes, repeated, are no longer secret: use random bytes"
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
    if count < Self.minimumDistinctBytes {
      self = .repetition(distinctBytes: count)
    } else if let period = Self.period(of: bytes) ?? SecretText(trimming: bytes).period {
      self = .repeated(bytes: period)
    } else {
      return nil
    }
  }
}

extension UnresolvedSecret {
  /// Bytes after which everything repeats, at least twice in whole; `nil` for none.
  fileprivate static func period(of bytes: [UInt8]) -> Int? {
    guard bytes.count >= 2 else { return nil }
    return (1...(bytes.count / 2)).first { period in
      (period..<bytes.count).allSatisfy { bytes[$0] == bytes[$0 - period] }
    }
  }
}

/// A secret's text without what stands around it.
private struct SecretText {
  private let bytes: [UInt8]

  init(trimming text: [UInt8]) {
    var rest = text[...]
    while let count = Self.leading(rest) { rest = rest.dropFirst(count) }
    while let count = Self.trailing(rest) { rest = rest.dropLast(count) }
    bytes = Array(rest)
  }

  /// How many bytes at the beginning do not count: a blank, a control character, a quotation mark; `nil` for none.
  private static func leading(_ rest: ArraySlice<UInt8>) -> Int? {
    if let byte = rest.first, isAround(byte) { return 1 }
    return blanks.first { rest.starts(with: $0) }?.count
  }

  private static func trailing(_ rest: ArraySlice<UInt8>) -> Int? {
    if let byte = rest.last, isAround(byte) { return 1 }
    return blanks.first { rest.suffix($0.count).elementsEqual($0) }?.count
  }

  private static func isAround(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x22 || byte == 0x27 }

  /// In UTF-8: next line, no-break space, U+2000 to U+200D, U+2028, U+2029, U+202F, U+2060, ideographic space, byte order mark.
  private static let blanks: [[UInt8]] =
    [[0xC2, 0x85], [0xC2, 0xA0], [0xE2, 0x81, 0xA0], [0xE3, 0x80, 0x80], [0xEF, 0xBB, 0xBF]]
    + (Array(0x80...0x8D) + [0xA8, 0xA9, 0xAF]).map { [0xE2, 0x80, $0] }

  /// See ``UnresolvedSecret/period(of:)``.
  var period: Int? { UnresolvedSecret.period(of: bytes) }

  /// Whether this may be a text: without control characters, and bytes that UTF-8 has not (RFC 3629 section 3). 32 random
  /// bytes look so once in 250.
  private var isText: Bool {
    bytes.allSatisfy { byte in
      switch byte {
      case 0x00...0x08, 0x0E...0x1F, 0x7F, 0xC0, 0xC1, 0xF5...0xFF: false
      default: true
      }
    }
  }

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

  /// `!Ref Name`, `!If [A, B, C]`, `Ref: Name`, `{"Ref": …}`, `{"Fn::Sub": …}` ("Intrinsic function reference").
  private var isIntrinsicFunction: Bool {
    if isText, bytes.first == 0x21 {
      let tag = bytes.dropFirst().prefix { Self.isLetterOrDigit($0) || $0 == 0x3A }
      let after = bytes.dropFirst(1 + tag.count).first
      if !tag.isEmpty, let after, after <= 0x20 { return true }
    }
    let dense = bytes.filter { $0 > 0x20 && $0 != 0x22 && $0 != 0x27 }
    return ["Ref:", "Fn::", "{Ref:", "{Fn::"].contains { dense.starts(with: $0.utf8) }
  }

  /// `${NAME}` anywhere, with what `Sub`, Serverless Framework, Terraform, CDK, GitHub Actions and shells write in it;
  /// Concourse's `((name))` anywhere; `$NAME`, `%NAME%`, `#{NAME}`, `@@NAME@@`, `__NAME__`, `var.name`: of shells, Windows,
  /// Octopus, Terraform.
  private var isVariable: Bool {
    if holds("${", before: "}") || holds("((", before: "))") { return true }
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

  /// `$(aws …)` anywhere, `` `aws …` ``.
  private var isCommand: Bool {
    if holds("$(", before: ")") { return true }
    guard isText, let inner = inner("`", "`") else { return false }
    return inner.contains(0x20) || inner.allSatisfy(Self.isWord)
  }

  /// `{{ name }}` and `<%= … %>` anywhere, `{% … %}`, `[[ name ]]`: Jinja, Helm, Ansible, ERB.
  private var isTemplate: Bool {
    holds("{{", before: "}}") || holds("<%", before: "%>") || inner("{%", "%}") != nil
      || inner("[[", "]]") != nil
  }

  /// `ssm:/path`, `secretsmanager:name`, `vault:…`, `file://path`, SOPS's `ENC[…]`.
  private var isStoreReference: Bool {
    let prefixes = [
      "ssm:/", "ssm://", "ssm-secure:", "secretsmanager:", "secretsmanager/", "secretsmanager//", "resolve:",
      "aws-ssm:", "aws-secretsmanager:", "awssm:", "awsssm:", "awssecrets", "ref+aws", "vault:", "op://",
      "parameterstore:", "file://", "fileb://", "/aws/reference/secretsmanager/", "ENC[AES256",
    ]
    return prefixes.contains(where: begins) || (begins("ssm:") && bytes.allSatisfy(Self.isWord))
  }

  // MARK: Placeholders

  /// `<replace me with 32 random bytes>`; `CHANGE-ME`, `your_secret`, `TODO: …` anywhere.
  var isPlaceholder: Bool {
    guard isText else { return false }
    if let inner = inner("<", ">"), inner.contains(0x20) || inner.allSatisfy(Self.isWord) { return true }
    let small = bytes.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    let letters = small.filter { !Self.isSeparator($0) }
    let phrases = [
      "replaceme", "replacethis", "replacewith", "changeme", "changethis", "yoursecret", "placeholder",
      "insertsecret", "secretgoeshere",
    ]
    if phrases.contains(where: { Self.position(of: $0, in: letters[...]) != nil }) { return true }
    return small.split(whereSeparator: { Self.isSeparator($0) || $0 == 0x3A }).contains {
      $0.elementsEqual("todo".utf8)
    }
  }

  /// What stands between the words of a phrase.
  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte <= 0x20 || [0x2D, 0x2E, 0x5F].contains(byte)
  }

  // MARK: Bytes

  private func begins(_ text: String) -> Bool { bytes.starts(with: text.utf8) }

  private func holds(_ text: String) -> Bool { Self.position(of: text, in: bytes[...]) != nil }

  /// Whether a text holds the one and, somewhere behind it, the other.
  private func holds(_ open: String, before close: String) -> Bool {
    guard isText, let start = Self.position(of: open, in: bytes[...]) else { return false }
    return Self.position(of: close, in: bytes[(start + open.utf8.count)...]) != nil
  }

  private static func position(of text: String, in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: text.utf8) }
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

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
  }
}
