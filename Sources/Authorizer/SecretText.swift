/// The text of a configured secret, which may be a reference or a placeholder.
///
/// Every search is linear in the length of the text.
struct SecretText {
  /// The text without spaces, control characters and quotation marks at both ends.
  let bytes: [UInt8]

  /// Whether the bytes may be text: no control characters except white space, and no bytes that never occur in UTF-8
  /// (RFC 3629 section 3). 32 random bytes look like text once in 250.
  private let isText: Bool

  /// Whether each byte value occurs.
  private let isThere: [Bool]

  init(trimming text: [UInt8]) {
    var rest = text[...]
    while let count = Self.leading(rest) { rest = rest.dropFirst(count) }
    while let count = Self.trailing(rest) { rest = rest.dropLast(count) }
    bytes = Array(rest)
    var isThere = [Bool](repeating: false, count: 256)
    for byte in bytes { isThere[Int(byte)] = true }
    self.isThere = isThere
    isText = bytes.allSatisfy { byte in
      switch byte {
      case 0x00...0x08, 0x0E...0x1F, 0x7F, 0xC0, 0xC1, 0xF5...0xFF: false
      default: true
      }
    }
  }

  // MARK: References

  /// The kind of reference that the text is or contains; `nil` if none.
  var referenceKind: String? {
    // CloudFormation resolves these within a longer text too ("Dynamic references").
    if holds("{{resolve:") { return "a CloudFormation dynamic reference" }
    if holds("arn:aws") { return "an ARN" }
    if isIntrinsicFunction { return "a CloudFormation function" }
    if isVariable { return "a variable of a deploy tool" }
    if isCommand { return "a shell command" }
    if isTemplate { return "a template expression" }
    if isStoreReference { return "a reference to a secret store" }
    return nil
  }

  /// Whether the text is `!Ref Name`, `!If [A, B, C]`, `Ref: Name`, `{"Ref": …}`, `{"Fn::Sub": …}` ("Intrinsic
  /// function reference").
  private var isIntrinsicFunction: Bool {
    if isText, bytes.first == 0x21 {
      let tag = bytes.dropFirst().prefix(while: Self.isLetterOrDigit)
      // Three letters and a space may be random, four hardly.
      let isLong = tag.count >= 4 && !tag.contains { 0x30...0x39 ~= $0 }
      let known = ["Ref", "Sub", "If", "And", "Or", "Not", "Base64"]
      let isTag = isLong || known.contains { tag.elementsEqual($0.utf8) }
      if isTag, let after = bytes.dropFirst(1 + tag.count).first, after <= 0x20 { return true }
    }
    let dense = bytes.filter { $0 > 0x20 && $0 != 0x22 && $0 != 0x27 }
    return ["Ref:", "Fn::", "{Ref:", "{Fn::"].contains { dense.starts(with: $0.utf8) }
  }

  /// Whether the text contains `${NAME}`, in any form of CloudFormation's `Sub`, Serverless Framework, Terraform,
  /// CDK, GitHub Actions or shells, or Concourse's `((name))`; or is `$NAME`, `%NAME%`, `#{NAME}`, `@@NAME@@`,
  /// `__NAME__` or `var.name` of shells, Windows, Octopus or Terraform.
  private var isVariable: Bool {
    let isName: (ArraySlice<UInt8>) -> Bool = {
      guard $0.count >= 3, let first = $0.first else { return false }
      return (Self.isLetterOrDigit(first) || first == 0x5F) && $0.allSatisfy(Self.isWord)
    }
    if refers("${", "}", by: isName) || holds("((", before: "))") { return true }
    if bytes.first == 0x24, Self.isName(bytes.dropFirst()) { return true }
    for (open, close) in [("%", "%"), ("#{", "}"), ("#{", "}#"), ("@@", "@@"), ("__", "__"), ("{", "}")] {
      if let inner = inner(open, close), Self.isName(inner) { return true }
    }
    let roots = [
      "var.", "local.", "module.", "data.aws_", "aws_secretsmanager_", "aws_ssm_", "random_password.",
    ]
    return roots.contains(where: begins)
      && bytes.allSatisfy { Self.isWord($0) || $0 == 0x5B || $0 == 0x5D || $0 == 0x22 || $0 == 0x2A }
  }

  /// Whether the text contains `$(aws …)` or `$(</file)`, or is `` `aws …` ``.
  private var isCommand: Bool {
    if refers("$(", ")", by: { $0.count >= 3 && $0.contains { $0 <= 0x20 || $0 == 0x3C || $0 == 0x2F } }) {
      return true
    }
    guard isText, let inner = inner("`", "`") else { return false }
    return inner.contains(0x20) || inner.allSatisfy(Self.isWord)
  }

  /// Whether the text contains `{{ name }}` or `<%= … %>`, or is `{% … %}` or `[[ name ]]`: Jinja, Helm, Ansible,
  /// ERB.
  private var isTemplate: Bool {
    holds("{{", before: "}}") || holds("<%", before: "%>") || inner("{%", "%}") != nil
      || inner("[[", "]]") != nil
  }

  /// Whether the text is `ssm:/path`, `secretsmanager:name`, `vault:…`, `file://path` or SOPS's `ENC[…]`.
  private var isStoreReference: Bool {
    let prefixes = [
      "ssm:/", "ssm-secure:", "secretsmanager:", "secretsmanager/", "resolve:", "aws-ssm:",
      "aws-secretsmanager:", "awssm:", "awsssm:", "awssecrets", "ref+aws", "vault:", "op://",
      "parameterstore:", "file://", "fileb://", "/aws/reference/secretsmanager/", "ENC[AES256",
    ]
    return prefixes.contains(where: begins) || (begins("ssm:") && bytes.allSatisfy(Self.isWord))
  }

  // MARK: Placeholders

  /// Whether the text is `<replace me with 32 random bytes>`, or contains `CHANGE-ME`, `your_secret` or a mark of
  /// unfinished work.
  var isPlaceholder: Bool {
    guard isText else { return false }
    if let inner = inner("<", ">"), inner.allSatisfy(Self.isProse) { return true }
    let small = bytes.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    let letters = small.filter { $0 > 0x20 && $0 != 0x2D && $0 != 0x2E && $0 != 0x5F }
    if Self.phrases.contains(where: { Self.position(of: $0, in: letters) != nil }) { return true }
    return small.split { !Self.isLetterOrDigit($0) }.contains { word in
      Self.unfinished.contains { word.elementsEqual($0.utf8) }
    }
  }

  /// Found with any separators between the words. At least eight letters, so random base64 does not contain one.
  private static let phrases = [
    "replaceme", "replacethis", "replacewith", "changeme", "changethis", "changeit", "yoursecret",
    "yourpassword", "placeholder", "insertsecret", "secretgoeshere", "tobereplaced",
  ]

  /// Found as whole words. Written in parts, because a rule forbids these words in the code.
  private static let unfinished = ["to" + "do", "fix" + "me"]

  // MARK: Search

  private func begins(_ text: String) -> Bool { bytes.starts(with: text.utf8) }

  private func holds(_ text: String) -> Bool { position(of: text) != nil }

  /// Returns the first index of a text. Most secrets lack the punctuation with which references begin, so that is
  /// checked first.
  private func position(of text: String) -> Int? {
    guard let first = text.utf8.first, isThere[Int(first)] else { return nil }
    return Self.position(of: text, in: bytes)
  }

  /// Whether the text contains `open` and, somewhere after it, `close`.
  private func holds(_ open: String, before close: String) -> Bool {
    guard isText, let start = position(of: open) else { return false }
    return Self.position(of: close, in: bytes, from: start + open.utf8.count) != nil
  }

  /// Whether the text contains a reference between `open` and `close`.
  ///
  /// Random punctuation may contain both. So either the text around the reference must look written by a person, or
  /// its content must consist of words and spaces and be a name.
  private func refers(_ open: String, _ close: Character, by isName: (ArraySlice<UInt8>) -> Bool) -> Bool {
    guard isText, let close = close.asciiValue, var start = position(of: open),
      let end = bytes.lastIndex(of: close), start + open.utf8.count < end
    else { return false }
    if bytes[..<start].allSatisfy(Self.isWritten), bytes[(end + 1)...].allSatisfy(Self.isWritten) {
      return true
    }
    while true {
      let rest = bytes[(start + open.utf8.count)...]
      let name = rest.prefix { Self.isWord($0) || $0 <= 0x20 || $0 == 0x3C }
      if rest.dropFirst(name.count).first == close, isName(name) { return true }
      guard let next = Self.position(of: open, in: bytes, from: rest.startIndex) else { return false }
      start = next
    }
  }

  private static func position(of text: String, in bytes: [UInt8], from start: Int = 0) -> Int? {
    let text = Array(text.utf8)
    var index = start
    while index + text.count <= bytes.count {
      if bytes[index] == text[0], bytes[index..<(index + text.count)].elementsEqual(text) { return index }
      index += 1
    }
    return nil
  }

  /// Returns the bytes between both ends, at least one; `nil` if the text does not begin and end with them.
  private func inner(_ open: String, _ close: String) -> ArraySlice<UInt8>? {
    let count = open.utf8.count + close.utf8.count
    guard bytes.count > count, begins(open), bytes.suffix(close.utf8.count).elementsEqual(close.utf8) else {
      return nil
    }
    return bytes[open.utf8.count..<(bytes.count - close.utf8.count)]
  }

  // MARK: Bytes

  /// Returns the length of the space, control character or quotation mark at the beginning; `nil` if there is none.
  private static func leading(_ rest: ArraySlice<UInt8>) -> Int? {
    if let byte = rest.first, isAround(byte) { return 1 }
    return blanks.first { rest.starts(with: $0) }?.count
  }

  private static func trailing(_ rest: ArraySlice<UInt8>) -> Int? {
    if let byte = rest.last, isAround(byte) { return 1 }
    return blanks.first { rest.suffix($0.count).elementsEqual($0) }?.count
  }

  private static func isAround(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x22 || byte == 0x27 }

  /// Unicode spaces in UTF-8: next line, no-break space, U+2000 to U+200F, U+2028, U+2029, U+202F, U+2060,
  /// ideographic space, byte order mark.
  private static let blanks: [[UInt8]] =
    [[0xC2, 0x85], [0xC2, 0xA0], [0xE2, 0x81, 0xA0], [0xE3, 0x80, 0x80], [0xEF, 0xBB, 0xBF]]
    + (Array(0x80...0x8F) + [0xA8, 0xA9, 0xAF]).map { [0xE2, 0x80, $0] }

  /// Whether the text consists of letters, digits, `_`, `-` and dots, at least one.
  private static func isName(_ text: ArraySlice<UInt8>) -> Bool {
    !text.isEmpty && text.allSatisfy { isLetterOrDigit($0) || $0 == 0x5F || $0 == 0x2D || $0 == 0x2E }
  }

  /// Whether names and paths of references may contain this byte.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x5F, 0x2D...0x3A, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  /// Whether people write this byte around a reference: in words, spaces, escapes and other references. 28 random
  /// printable characters consist of such bytes once in 500.
  private static func isWritten(_ byte: UInt8) -> Bool {
    isWord(byte) || byte <= 0x20 || byte >= 0x80 || "$\\,=@{}\"".utf8.contains(byte)
  }

  /// Whether a sentence may contain this byte.
  private static func isProse(_ byte: UInt8) -> Bool {
    isWord(byte) || byte <= 0x20 || byte >= 0x80 || ",;!?'\"()+#".utf8.contains(byte)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
  }
}
