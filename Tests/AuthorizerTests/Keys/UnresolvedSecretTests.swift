import Foundation
import Testing

@testable import IssuerKeys

/// Every text here except random ones contains the word "canary", which no message may quote.
@Suite("Unresolved secrets")
struct UnresolvedSecretTests {
  typealias Source = SharedSecretSettingsTests

  /// References to a secret by their kind, each of at least 32 bytes.
  static let references: [String: [String]] = [
    "a CloudFormation dynamic reference": [
      "{{resolve:secretsmanager:canary:SecretString:key}}",
      "{{resolve:ssm-secure:/canary/secret/of/the/issuer:1}}", "prefix-{{resolve:ssm:/canary/secret}}-suffix",
      "{resolve:secretsmanager:canary:SecretString}", "{{ resolve:secretsmanager:canary:SecretString",
      #"\{\{resolve:ssm-secure:/canary/secret\}\}"#,
    ],
    "an ARN": [
      "arn:aws:secretsmanager:eu-central-1:123456789012:secret:canary-AbCdEf",
      "arn:aws-cn:ssm:cn-north-1:123456789012:parameter/canary",
    ],
    "a CloudFormation function": [
      "!Ref CanarySecretOfTheIssuerWithALongName", "!Sub \"canary-of-${AWS::StackName}-and-more\"",
      "!GetAtt CanarySecretOfTheIssuer.SecretString", #"{ "Ref": "CanarySecretOfTheIssuerWithALongName" }"#,
      #"{"Fn::GetAtt":["CanarySecret","SecretString"]}"#, "!If [IsProd, !Ref CanarySecret, !Ref DevCanary]",
      "!Transform { Name: Canary, Parameters: {} }", "Ref: CanarySecretParameterOfTheTemplate",
      #"[{"Ref":"CanarySecretOfTheIssuer"}]"#,
    ],
    "a variable of a deploy tool": [
      "${CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS}", "${CANARY_SECRET:-a default of this variable}",
      "$CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS", "%CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS%",
      "#{CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS}", "@@CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS@@",
      "__CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS__", "${ssm:/aws/reference/secretsmanager/canary~true}",
      "${env:CANARY_SECRET, 'a default value of it'}", "prefix ${self:custom.canary.${opt:stage}} suffix",
      #"${file(./canary.json):secrets["of issuers"]}"#, "${{ secrets.CANARY_SECRET_OF_THE_ISSUER }}",
      "${var.canary_secret_of_the_issuer_of_tokens}",
      #"${data.aws_secretsmanager_secret_version.canary["a"].secret_string}"#,
      "data.aws_secretsmanager_secret_version.canary.secret_string",
      "var.canary_secret_of_the_issuer_of_tokens", "${Token[TOKEN.123]}-canary-canary-canary",
      "${{ secrets.CANARY_SECRET || secrets.OTHER_CANARY }}", "$${CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS}",
      #"\${CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS}"#, "canary-${CanarySecretOfTheProductionStage}",
      "${CANARY_SECRET:-please!set#this*value*now}", "canary!#<>?~^${CANARY_SECRET}canary!#<>?~^",
      "https://canary:${CANARY_PASSWORD:?not set!}@id.example.com",
      "((canary-secret-of-production-pipeline))", "\u{A0}${CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS}\u{A0}",
      "\u{200B}$CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS",
      "\u{3000}\u{FEFF}%CANARY_SECRET_OF_THE_ISSUER%\u{2007}", "$env:CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS",
      "$$CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS", #"\$CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS"#,
      "prefix-$CANARY_SECRET_OF_THE_ISSUER", "prefix-$canary_secret-of/$canary_issuer",
      "%%CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS%%", "@CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS@",
      "<<CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS>>", "#{Token[TOKEN.123]}-canary-canary-canary",
      "process.env.CANARY_SECRET_OF_THE_ISSUER", "process.env['CANARY_SECRET_OF_ISSUER']",
      "env:CANARY_SECRET_OF_THE_ISSUER_OF_TOKENS",
    ],
    "a template expression": [
      " {{ resolve:ssm-secure:/canary/b }} tail-of-canary-tail", "{{ .Values.canary.secret.of.the.issuer }}",
      "{{ lookup('env', 'CANARY_SECRET_OF_ISSUER') }}", "<%= ENV.fetch('CANARY_SECRET_OF_THE_ISSUER') %>",
      "[[ canary_secret_of_the_issuer_of_tokens ]]",
    ],
    "a shell command": [
      "$(</run/secrets/canary_secret_for_tokens)",
      "$(aws secretsmanager get-secret-value --secret-id canary)",
      "canary!#<>?~^$(cat /run/canary)canary!#<>?~^", "$(cat /run/secrets/canary/of/the/issuer)",
      "`aws ssm get-parameter --name /canary/secret`",
    ],
    "a reference to a secret store": [
      "file:///run/secrets/canary-key-of-tokens.bin", "fileb://secrets/of/tokens/canary-key.bin",
      "ssm:/canary/secret/of/the/issuer/of/tokens", "ssm:canary-secret-of-the-issuer-of-tokens",
      "secretsmanager:canary:SecretString:password", "resolve:secretsmanager:canary:SecretString:a",
      "vault:secret/data/canary/of/the/issuer#value", "op://canary/secret of the issuer/password",
      "ENC[AES256_GCM,data:canary,iv:canary,tag:canary]", "$ANSIBLE_VAULT;1.1;AES256\ncanary6238633963",
      "sm://project/canary-of-the-issuer-of-tokens", "doppler://canary/secret-of-issuer-of-tokens",
      "s3://canary-bucket/secret-of-issuer-of-tokens", "https://id.example.com/canary/secret?of=issuer",
    ],
    "a path": [
      "/my-canary/production/jwt/signing-secret-name", "/run/secrets/canary/key1/of/the/issuer",
      "/myCanary/production/JwtSecret/value",
    ],
  ]

  /// Text before and after a reference that is ignored.
  static let around = [("", ""), (" \t\n", " \n"), ("\"", "\""), ("\u{FEFF}", ""), ("' ", "\r\n'")]

  @Test(
    "an unresolved reference is refused",
    arguments: references.flatMap { kind, texts in texts.map { ($0, kind) } })
  func reference(_ text: String, _ kind: String) {
    let refused = [
      "keys.secret: \(kind) that was not resolved, not a secret; let the deployment replace it with the secret"
    ]
    let inVariable = Source.configuration(keys: Source.fromVariable)
    let inFile = Source.configuration(keys: Source.fromFile)
    let encoded = Source.configuration(keys: #""secret":{"environment":"SECRET","encoding":"base64"}"#)
    for (before, after) in Self.around {
      let text = before + text + after
      #expect(Source.problems(Source.source(inVariable, variable: text)) == refused)
      #expect(Source.problems(Source.source(inFile, file: .text(text))) == refused)
      #expect(Source.problems(Source.source(encoded, variable: text)) == refused, "checked before decoding")
    }
    #expect(
      Source.problems(Source.source(encoded, variable: Data(text.utf8).base64EncodedString())) == refused,
      "checked after decoding")
  }

  @Test(
    "a placeholder is refused",
    arguments: [
      "<replace me with a canary of 32 random bytes>", "<canary-secret-of-the-issuer-of-tokens>",
      "replace-me-with-a-canary-of-32-random-bytes", "CHANGEME_CANARY_CANARY_CANARY_CANARY",
      "Change-This-Canary-To-Something-Else", "your_secret_canary_your_secret_canary",
      "placeholder canary canary canary canary",
      "please replace me with 32 random bytes: canary", "# replace me with 32 random canary bytes",
      "[replace me with 32 random canary bytes]", "s3cr3t-CHANGE-ME-canary-canary-canary",
      "TO" + "DO: put the real canary secret here", "canary-to" + "do-canary-of-the-issuer-of-tokens",
      "[to" + "do] a canary of 32 random bytes", "canary // FIX" + "ME before the release of tokens",
      "<48 random canary bytes: openssl rand -base64 48 | pbcopy>",
      "<secret of canary@example.com, 48 bytes long>", "<< your canary of 48 random bytes here >>",
      "a-canary-secret-at-least-256-bits-long", "a canary of at least thirty-two characters",
      "canary-super-secret-jwt-token-with-at-least-32-characters-long",
      "your-super-secret-canary-of-the-issuer", "do not use this canary in any deployment",
      "canary-canary-change-in-production-canary",
    ])
  func placeholder(_ text: String) {
    let refused = ["keys.secret: a placeholder, not a secret; replace it with random bytes"]
    for (before, after) in Self.around {
      let source = Source.source(
        Source.configuration(keys: Source.fromVariable), variable: before + text + after)
      #expect(Source.problems(source) == refused)
    }
  }

  @Test(
    "text in another encoding is refused",
    arguments: [
      // Latin-1.
      (Array("<32 random bytes, einf".utf8) + [0xFC] + Array("gen, canary>".utf8), placeholderProblem),
      // UTF-16 with a byte order mark, also of a text that is random.
      ([0xFF, 0xFE] + wide("{{resolve:secretsmanager:canary}}"), utf16Problem),
      ([0xFE, 0xFF] + wide("{{resolve:secretsmanager:canary}}", isBigEndian: true), utf16Problem),
      ([0xFF, 0xFE] + wide("q7ZtW2nLk8uXd5eMmVhPx3RaB9cYfGj4\r\n"), utf16Problem),
      // UTF-16 without.
      (wide("{{resolve:secretsmanager:canary}}"), referenceProblem),
      (wide("{{resolve:secretsmanager:canary}}\r\n", isBigEndian: true), referenceProblem),
      (wide("\"canary-CHANGE-ME-canary\""), placeholderProblem),
    ] as [([UInt8], String)])
  func encoding(_ secret: [UInt8], _ problem: String) {
    let source = Source.source(Source.configuration(keys: Source.fromFile), file: .bytes(secret))
    #expect(Source.problems(source) == ["keys.secret: " + problem])
  }

  static let placeholderProblem = "a placeholder, not a secret; replace it with random bytes"
  static let utf16Problem = "text in UTF-16; save the file as ASCII or UTF-8"
  static let referenceProblem =
    "a CloudFormation dynamic reference that was not resolved, not a secret; "
    + "let the deployment replace it with the secret"

  /// The text in UTF-16.
  static func wide(_ text: String, isBigEndian: Bool = false) -> [UInt8] {
    text.utf8.flatMap { isBigEndian ? [0, $0] : [$0, 0] }
  }

  @Test("random bytes after a byte order mark are accepted")
  func randomAfterMark() {
    let bytes = (0..<46).map { UInt8(truncatingIfNeeded: $0 * $0 * 31 + 7) }
    #expect(UnresolvedSecret(bytes: [0xFF, 0xFE] + bytes) == nil)
    #expect(UnresolvedSecret(bytes: [0xFE, 0xFF] + bytes) == nil)
  }

  @Test(
    "a published key is refused",
    arguments: [
      // RFC 7515 A.1, as text, in base64 and in bytes; RFC 7520 section 3.5.
      Array("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow".utf8),
      Array("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ+EstJQLr/T+1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow==".utf8),
      [
        3, 35, 53, 75, 43, 15, 165, 188, 131, 126, 6, 101, 119, 123, 166, 143, 90, 179, 40, 230, 240, 84, 201,
        40, 169, 15, 132, 178, 210, 80, 46, 191, 211, 251, 90, 146, 210, 6, 71, 239, 150, 138, 180, 195, 119,
        98, 61, 34, 61, 46, 33, 114, 5, 46, 79, 8, 192, 205, 154, 245, 103, 208, 128, 163,
      ],
      Array("hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg".utf8),
      Array("404E635266556A586E3272357538782F413F4428472B4B6250645367566B5970".utf8),
      Array("404e635266556a586e3272357538782f413f4428472b4b6250645367566b5970".utf8),
      Array("@NcRfUjXn2r5u8x/A?D(G+KbPdSgVkYp".utf8),
      Array("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=".utf8),
    ] as [[UInt8]])
  func published(_ secret: [UInt8]) { #expect(UnresolvedSecret(bytes: secret) == .published) }

  @Test(
    "bytes with a constant step are refused",
    arguments: [
      Array(0...31), Array((40...99).reversed()), (0..<48).map { $0 &* 5 },
      Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8),
      Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8),
      Array("000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F\n".utf8),
    ] as [[UInt8]])
  func sequence(_ secret: [UInt8]) { #expect(UnresolvedSecret(bytes: secret) == .sequence) }

  @Test("a secret needs at least six different bytes")
  func distinctBytes() {
    for count in 1...8 {
      let letters = Array("canrys!?".prefix(count))
      // The Thue-Morse sequence orders the letters, so the text has no period.
      let secret = String((0..<64).map { letters[($0 + $0.nonzeroBitCount) * ($0 + 1) % count] })
      let refused = [
        "keys.secret: too few different bytes: \(count), at least 6 are needed; use random bytes"
      ]
      let expected = count < 6 ? refused : []
      let source = Source.source(Source.configuration(keys: Source.fromVariable), variable: secret)
      #expect(Source.problems(source) == expected)
    }
    // 48 zero bytes.
    let encoded = Source.configuration(keys: #""secret":{"environment":"SECRET","encoding":"base64"}"#)
    #expect(
      Source.problems(Source.source(encoded, variable: String(repeating: "A", count: 64)))
        == ["keys.secret: too few different bytes: 1, at least 6 are needed; use random bytes"])
  }

  @Test(
    "a repeated text is refused",
    arguments: [
      ("canarysecanarysecanarysecanaryse", 8), ("test-canary-test-canary-test-canary-", 12),
      ("test-canary-test-canary-test-canary-test\n", 12), ("0123456789canary0123456789canary", 16),
    ])
  func repeated(_ secret: String, _ count: Int) {
    let source = Source.source(Source.configuration(keys: Source.fromVariable), variable: secret)
    #expect(
      Source.problems(source) == [
        "keys.secret: a repeated text of \(count) bytes, not a secret; use random bytes"
      ])
  }

  @Test("repetition is also found in base64 before decoding")
  func repeatedBase64() {
    let encoded = Source.configuration(keys: #""secret":{"environment":"SECRET","encoding":"base64"}"#)
    // 21 characters do not encode a whole number of bytes, so the decoded bytes do not repeat.
    let text = "canaryCANARYcanaryZZ0" + "canaryCANARYcanaryZZ0" + "ca"
    #expect(
      Source.problems(Source.source(encoded, variable: text))
        == ["keys.secret: a repeated text of 21 bytes, not a secret; use random bytes"])
  }

  /// Digits, hexadecimal, letters, base64, base64url, printable characters without and with the space, and all bytes.
  static let alphabets: [[UInt8]] =
    [
      "0123456789", "0123456789abcdef",
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    ].map { Array($0.utf8) } + [Array(0x21...0x7E), Array(0x20...0x7E), Array(0...255)]

  @Test("random secrets are accepted", arguments: alphabets)
  func random(_ alphabet: [UInt8]) {
    var state: UInt64 = 1
    for number in 0..<2000 {
      let secret = (0..<(number % 2 == 0 ? 32 : 64)).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return alphabet[Int(state >> 33) % alphabet.count]
      }
      if let flaw = UnresolvedSecret(bytes: secret) {
        Issue.record("\(String(decoding: secret, as: UTF8.self)): \(flaw)")
      }
    }
  }

  @Test(
    "punctuation without a name is accepted",
    arguments: [
      "p#x!R;8~${Zk^2wQ&f}9<L*u[>g?e!M=h", "w(4)T!$(k2~z)r^9;Xq<V&#L*%8u>?e!m",
      "((q7!T^x;2~Wn&#L*%8u>)d?e!m)k=hP",
      "!P 4z;R8~Zk^2wQ&f9<L*u[>g?e!M=h#x", "$5$rounds=9!x^T;r8~Zk^2wQ&f9<L*u[",
      "<4z;R8~Zk^2wQ&f9=L*u[|g?e!M=h#x>",
      "7f{g}h$x(k)!P4zR8~Zk^2wQ&f9<L*u[>", "100%-q7!T^x;2~Wn&#L*8u>)d?e!m)k=%",
      "&{{q7!T^x;2~Wn&#L*8u>)d?e!m)k}}*hP", "&<%q7!T^x;2~Wn&#L*8u>)d?e!m)k%>*hP",
      "q7Tx2WnL8u$dem9kP4zR8Zk2wQf9LuZ$b", "/q7Tx2WnL8u+dem9kP4zR8/Zk2wQf9LuZb+",
      "$2b$12$q7Tx2WnL8u.dem9kP4zR8/Zk2wQf9LuZb",
    ])
  func punctuation(_ secret: String) { #expect(UnresolvedSecret(bytes: Array(secret.utf8)) == nil) }
}
