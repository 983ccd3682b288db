import Bytes

extension SecretText {
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
    if isPath { return "a path" }
    // Without the braces, or with escaped or single ones.
    if ["resolve:ssm:", "resolve:ssm-secure:", "resolve:secretsmanager:"].contains(where: holds) {
      return "a CloudFormation dynamic reference"
    }
    return nil
  }

  /// Whether the text is `!Ref Name`, `!If [A, B, C]`, `Ref: Name`, `{"Ref": …}`, `[{"Fn::Sub": …}]`
  /// ("Intrinsic function reference").
  private var isIntrinsicFunction: Bool {
    if isText, bytes.first == 0x21 {
      let tag = bytes.dropFirst().prefix { $0.isLetterOrDigit }
      // Three letters and a space may be random, four hardly.
      let isLong = tag.count >= 4 && !tag.contains { $0.isDecimalDigit }
      let known = ["Ref", "Sub", "If", "And", "Or", "Not", "Base64"]
      let isTag = isLong || known.contains { tag.elementsEqual($0.utf8) }
      if isTag, let after = bytes.dropFirst(1 + tag.count).first, after <= 0x20 { return true }
    }
    let dense = bytes.filter { $0 > 0x20 && $0 != .quote && $0 != 0x27 }.drop { $0 == .openingBracket }
    return ["Ref:", "Fn::", "{Ref:", "{Fn::"].contains { dense.starts(with: $0.utf8) }
  }

  /// Whether the text contains `${NAME}`, in any form of CloudFormation's `Sub`, Serverless Framework, Terraform,
  /// CDK, GitHub Actions or shells, Concourse's `((name))` or CDK's `Token[…]`; or is `$NAME`, `prefix-$NAME`,
  /// `%NAME%`, `#{NAME}`, `@@NAME@@`, `__NAME__`, `<<NAME>>`, `var.name` or `process.env.NAME` of shells, Windows,
  /// Octopus, Terraform or Node.js.
  private var isVariable: Bool {
    let isName: (ArraySlice<UInt8>) -> Bool = {
      guard $0.count >= 3, let first = $0.first else { return false }
      return (first.isLetterOrDigit || first == .underscore) && $0.allSatisfy(Self.isWord)
    }
    if refers("${", "}", by: isName) || encloses("((", "))", by: isName) || holds("Token[") { return true }
    if bytes.first == .dollar, Self.isName(bytes.dropFirst()) { return true }
    if namesShellVariable { return true }
    let ends = [
      ("%", "%"), ("%%", "%%"), ("#{", "}"), ("#{", "}#"), ("@", "@"), ("@@", "@@"), ("__", "__"), ("{", "}"),
      ("<<", ">>"),
    ]
    for (open, close) in ends {
      if let inner = inner(open, close), Self.isName(inner) { return true }
    }
    let roots = [
      "var.", "local.", "module.", "data.aws_", "aws_secretsmanager_", "aws_ssm_", "random_password.",
      "process.env", "os.environ", "env:", "env.", "secrets.",
    ]
    return roots.contains(where: begins) && bytes.allSatisfy { Self.isWord($0) || "[]\"'*".utf8.contains($0) }
  }

  /// Whether the text consists of words, with a variable such as `$NAME`, `$$NAME`, `\$NAME` or `$env:NAME` at the
  /// beginning or after a separator.
  ///
  /// The name has at least three characters and does not begin with a digit, unlike the parts of a password hash such
  /// as `$2b$12$…` or `$y$…`.
  private var namesShellVariable: Bool {
    guard bytes.contains(.dollar) else { return false }
    guard bytes.allSatisfy({ Self.isWord($0) || $0 == .dollar || $0 == .backslash }) else { return false }
    let parts = bytes.split(separator: .dollar, omittingEmptySubsequences: false)
    // An empty part is the beginning, or is between two dollar signs.
    return zip(parts, parts.dropFirst()).contains { before, name in
      guard before.last?.isLetterOrDigit != true, let first = name.first else { return false }
      return name.count >= 3 && (first == .underscore || (first.isLetterOrDigit && !first.isDecimalDigit))
    }
  }

  /// Whether the text contains `$(aws …)` or `$(</file)`, or is `` `aws …` ``.
  private var isCommand: Bool {
    if refers("$(", ")", by: { $0.count >= 3 && $0.contains { $0 <= 0x20 || $0 == 0x3C || $0 == .slash } }) {
      return true
    }
    guard isText, let inner = inner("`", "`") else { return false }
    return inner.contains(.space) || inner.allSatisfy(Self.isWord)
  }

  /// Whether the text contains `{{ name }}` or `<%= … %>`, or is `{% … %}` or `[[ name ]]`: Jinja, Helm, Ansible,
  /// ERB.
  private var isTemplate: Bool {
    encloses("{{", "}}", by: { $0.count >= 3 }) || encloses("<%", "%>", by: { $0.count >= 3 })
      || inner("{%", "%}") != nil || inner("[[", "]]") != nil
  }

  /// Whether the text is `ssm:/path`, `secretsmanager:name`, `vault:…`, SOPS's `ENC[…]`, or an address such as
  /// `file://path` or `https://host`.
  private var isStoreReference: Bool {
    let prefixes = [
      "ssm:/", "ssm-secure:", "secretsmanager:", "secretsmanager/", "resolve:", "aws-ssm:",
      "aws-secretsmanager:", "awssm:", "awsssm:", "awssecrets", "ref+aws", "vault:", "parameterstore:",
      "/aws/reference/secretsmanager/", "ENC[AES256", "$ANSIBLE_VAULT;",
    ]
    if prefixes.contains(where: begins) || (begins("ssm:") && bytes.allSatisfy(Self.isWord)) { return true }
    let scheme = bytes.prefix { $0.isLetterOrDigit || $0 == .plus || $0 == .hyphen }
    guard scheme.count >= 2, let first = scheme.first, !first.isDecimalDigit else { return false }
    return bytes.dropFirst(scheme.count).starts(with: "://".utf8)
  }

  /// Whether the text is `/run/secrets/name` or a parameter's name such as `/app/production/jwt-key`.
  ///
  /// Standard base64 may begin with a slash. It contains no `-`, `_` or `.`, and hardly ever 31 characters without a
  /// digit and without two capitals in a row.
  private var isPath: Bool {
    guard begins("/"), bytes.allSatisfy({ Self.isWord($0) && $0 != .colon }) else { return false }
    if begins("/run/secrets/") { return true }
    let names = bytes.dropFirst().split(separator: .slash, omittingEmptySubsequences: false)
    guard names.count >= 2, names.allSatisfy({ $0.count >= 2 }) else { return false }
    if bytes.contains(.hyphen) || bytes.contains(.underscore) { return true }
    let isCapital: (UInt8) -> Bool = { 0x41...0x5A ~= $0 }
    return !bytes.contains { $0.isDecimalDigit }
      && !zip(bytes, bytes.dropFirst()).contains { isCapital($0) && isCapital($1) }
  }
}
