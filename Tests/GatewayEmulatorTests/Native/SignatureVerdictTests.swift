@testable import LambdaEmulator
@testable import GatewayEmulator
@testable import GatewayModel
import Testing

/// Signature Version 4: AWS's published examples, signatures of botocore, and changes of them.
@Suite struct SignatureVerdictTests {
  typealias Header = GatewayRequest.Header

  struct Published: Sendable {
    let name: String
    var method = "GET"
    var path = "/"
    var query = ""
    var headers: [Header] = []
    var body = ""
    var host = "example.amazonaws.com"
    var service = "service"
    var signed = "host;x-amz-date"
    let signature: String
  }

  /// The access key of AWS's documentation.
  private static let documented = TrustedKeys.AccessKey(
    identifier: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")

  /// "Create a signed AWS API request" (`ListUsers`) and cases of the Signature Version 4 test suite.
  @Test(arguments: [
    Published(
      name: "ListUsers", query: "Action=ListUsers&Version=2010-05-08",
      headers: [.init("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")],
      host: "iam.amazonaws.com", service: "iam", signed: "content-type;host;x-amz-date",
      signature: "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"),
    Published(
      name: "get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    Published(
      name: "get-vanilla-query-order-key-case", query: "Param2=value2&Param1=value1",
      signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    Published(
      name: "post-vanilla", method: "POST",
      signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    Published(
      name: "post-x-www-form-urlencoded", method: "POST",
      headers: [.init("Content-Type", "application/x-www-form-urlencoded")], body: "Param1=value1",
      signed: "content-type;host;x-amz-date",
      signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
    Published(
      name: "get-header-value-trim",
      headers: [.init("My-Header1", " value1"), .init("My-Header2", " \"a   b   c\"")],
      signed: "host;my-header1;my-header2;x-amz-date",
      signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
  ]) func published(_ test: Published) {
    let scope = "20150830/us-east-1/\(test.service)/aws4_request"
    let request = GatewayRequest(
      method: test.method, path: test.path, query: test.query,
      headers: test.headers + [
        .init("Host", test.host), .init("X-Amz-Date", "20150830T123600Z"),
        .init(
          "Authorization",
          "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/\(scope), SignedHeaders=\(test.signed), Signature=\(test.signature)"
        ),
      ], body: Array(test.body.utf8))
    let verdict = SignatureVerdict(
      of: request, region: "us-east-1", service: test.service, accessKeys: [Self.documented],
      at: 1_440_938_160_000)
    #expect(verdict == .allowed(Self.documented), "\(test.name)")
  }

  @Test(arguments: SignedSamples.all) func botocore(_ sample: SignedSample) {
    #expect(sample.verdict() == .allowed(sample.accessKey), "\(sample.name)")
  }

  /// A change of anything that is signed makes the signature invalid.
  @Test(arguments: SignedSamples.all) func changesAreRefused(_ sample: SignedSample) {
    #expect(sample.verdict { $0.method = "PATCH" }.code == "signatureMismatch")
    #expect(sample.verdict { $0.path += "x" }.code == "signatureMismatch")
    #expect(sample.verdict { $0.query += "&admin=1" }.code == "signatureMismatch")
    #expect(sample.verdict { $0.body += "x" }.code == "signatureMismatch")
    #expect(sample.verdict { $0.set("Host", "other.localhost:8080") }.code == "signatureMismatch")
    #expect(sample.verdict(secret: "another-secret-of-the-same-length-000000").code == "signatureMismatch")
    #expect(sample.verdict(region: "eu-west-1").code == "wrongSignatureScope")
    #expect(sample.verdict(service: "lambda").code == "wrongSignatureScope")
    #expect(sample.verdict(accessKey: "LOCALTESTKEY00000002").code == "unknownAccessKey")
    #expect(sample.verdict { $0.headers.removeAll { $0.name == "Host" } }.code == "signatureNotAccepted")
    #expect(sample.verdict { $0.headers.append(.init("Host", "x")) }.code == "signatureNotAccepted")
    #expect(sample.verdict { $0.headers.append(.init("X-Amz-Target", "x")) }.code == "signatureNotAccepted")
    // Other headers that are not signed may change: signers leave some out.
    #expect(sample.verdict { $0.headers.append(.init("Accept", "x")) } == .allowed(sample.accessKey))
  }

  @Test(
    arguments: [
      (-301, "signatureExpired"), (-300, nil), (0, nil), (300, nil), (301, "signatureExpired"),
      (86_400, "signatureExpired"),
    ] as [(Int64, String?)]) func headersAreValidForFiveMinutes(_ seconds: Int64, _ code: String?)
  {
    #expect(SignedSamples.plain.verdict(at: SignedSamples.milliseconds + seconds * 1000).code == code)
  }

  @Test(
    arguments: [
      (-301, "signatureExpired"), (-300, nil), (60, nil), (61, "signatureExpired"),
    ] as [(Int64, String?)]) func queriesAreValidAsLongAsTheySay(_ seconds: Int64, _ code: String?)
  {
    #expect(SignedSamples.query.verdict(at: SignedSamples.milliseconds + seconds * 1000).code == code)
  }

  struct Change: Sendable {
    let name: String
    let code: String
    let change: @Sendable (inout SignedSample) -> Void

    init(_ name: String, _ code: String, _ change: @escaping @Sendable (inout SignedSample) -> Void) {
      (self.name, self.code, self.change) = (name, code, change)
    }
  }

  private static func authorization(_ from: String, _ to: String) -> @Sendable (inout SignedSample) -> Void {
    { sample in
      let value = sample.headers.first { $0.name == "Authorization" }?.value ?? ""
      sample.set("Authorization", value.replacing(from, with: to))
    }
  }

  private static let changes: [Change] = [
    Change("none", "missingSignature") { $0.headers.removeAll { $0.name == "Authorization" } },
    Change("token", "incompleteSignature") { $0.set("Authorization", "Bearer a.b.c") },
    Change("empty", "incompleteSignature") { $0.set("Authorization", "") },
    Change("two", "incompleteSignature") { sample in
      sample.headers += sample.headers.filter { $0.name == "Authorization" }
    },
    Change("header and query", "incompleteSignature") { $0.query = SignedSamples.query.query },
    Change("algorithm", "incompleteSignature", authorization("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA1")),
    Change(
      "asymmetric algorithm", "incompleteSignature",
      authorization("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256")),
    Change("no algorithm", "incompleteSignature", authorization("AWS4-HMAC-SHA256 ", "")),
    Change("no signature", "incompleteSignature", authorization("Signature=", "Sign=")),
    Change(
      "two credentials", "incompleteSignature", authorization("Credential=", "Credential=x, Credential=")),
    Change("unknown parameter", "incompleteSignature", authorization("Signature=", "Extra=1, Signature=")),
    Change("short credential", "incompleteSignature", authorization("/us-east-1/", "/")),
    Change("no access key", "incompleteSignature", authorization("LOCALTESTKEY00000001", "")),
    Change("terminator", "wrongSignatureScope", authorization("aws4_request", "aws5_request")),
    Change("day", "wrongSignatureScope", authorization("20240617/", "20240616/")),
    Change("capital digits", "signatureMismatch", authorization("Signature=9", "Signature=A")),
    Change(
      "short signature", "signatureMismatch",
      { $0.set("Authorization", String(($0.value("Authorization")).dropLast())) }),
    Change("no date", "incompleteSignature") { $0.headers.removeAll { $0.name == "X-Amz-Date" } },
    Change("Date instead", "incompleteSignature") { sample in
      sample.headers.removeAll { $0.name == "X-Amz-Date" }
      sample.headers.append(.init("Date", "Mon, 17 Jun 2024 15:02:03 GMT"))
    },
    Change("two dates", "incompleteSignature") { $0.headers.append(.init("x-amz-date", "x")) },
    Change("date", "incompleteSignature") { $0.set("X-Amz-Date", "2024-06-17T15:02:03Z") },
    Change("another second", "signatureMismatch") { $0.set("X-Amz-Date", "20240617T150204Z") },
    Change("host not signed", "signatureNotAccepted", authorization("SignedHeaders=host;", "SignedHeaders=")),
    Change("date not signed", "signatureNotAccepted", authorization("host;x-amz-date", "host")),
    Change("order of headers", "signatureNotAccepted", authorization("host;x-amz-date", "x-amz-date;host")),
    Change("header twice", "signatureNotAccepted", authorization("host;x-amz-date", "host;host;x-amz-date")),
    Change("capitals", "signatureNotAccepted", authorization("host;x-amz-date", "Accept;host;x-amz-date")),
    Change(
      "absent header", "signatureNotAccepted", authorization("host;x-amz-date", "host;x-amz-date;x-custom")),
    Change("session token", "unknownAccessKey") { $0.set("X-Amz-Security-Token", "t") },
    Change("unsigned payload", "signatureNotAccepted") {
      $0.set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
    },
    // Paths that a canonical form would make equal to another path.
    Change("dot segments", "signatureNotAccepted") { $0.path = "/Api/prod/admin/../pets" },
    Change("dot", "signatureNotAccepted") { $0.path = "/Api/./prod/pets" },
    Change("empty segment", "signatureNotAccepted") { $0.path = "/Api//prod/pets" },
    Change("no slash", "signatureNotAccepted") { $0.path = "Api/prod/pets" },
    Change("encoded", "signatureMismatch") { $0.path = "/Api/prod/%70ets" },
    Change("percent", "incompleteSignature") { $0.query = "a=%zz" },
    Change("end in percent", "incompleteSignature") { $0.query = "a=%2" },
  ]

  @Test(arguments: changes.indices) func refusals(_ index: Int) {
    let change = Self.changes[index]
    #expect(SignedSamples.plain.verdict(change.change).code == change.code, "\(change.name)")
  }

  @Test(arguments: [
    ("X-Amz-Signature=", "X-Amz-Sign="), ("X-Amz-Algorithm=AWS4-HMAC-SHA256&", ""),
    ("X-Amz-Algorithm=AWS4-HMAC-SHA256", "X-Amz-Algorithm=none"), ("X-Amz-Expires=60&", ""),
    ("X-Amz-Expires=60", "X-Amz-Expires=604801"), ("X-Amz-Expires=60", "X-Amz-Expires=0"),
    ("X-Amz-Expires=60", "X-Amz-Expires=-1"), ("X-Amz-Expires=60", "X-Amz-Expires=60&X-Amz-Expires=99"),
    ("X-Amz-SignedHeaders=host", "X-Amz-SignedHeaders=host&X-Amz-Date=20240617T150203Z"),
  ]) func queriesAreRefused(_ from: String, _ to: String) {
    let verdict = SignedSamples.query.verdict { $0.query = $0.query.replacing(from, with: to) }
    #expect(verdict.code == "incompleteSignature")
  }

  /// A longer validity is signed, so it cannot be written afterwards.
  @Test func theValidityIsSigned() {
    let verdict = SignedSamples.query.verdict { sample in
      sample.query = sample.query.replacing("X-Amz-Expires=60", with: "X-Amz-Expires=61")
    }
    #expect(verdict.code == "signatureMismatch")
  }

  @Test(
    arguments: [
      (nil, "unknownAccessKey"), ("", "unknownAccessKey"), ("session/token+1=", "unknownAccessKey"),
      ("session/token+1==x", "unknownAccessKey"),
    ] as [(String?, String)]) func temporaryCredentialsNeedTheirToken(_ token: String?, _ code: String)
  {
    let verdict = SignedSamples.temporary.verdict { sample in
      sample.headers.removeAll { $0.name == "X-Amz-Security-Token" }
      if let token { sample.headers.append(.init("X-Amz-Security-Token", token)) }
    }
    #expect(verdict.code == code)
  }

  @Test(
    arguments: [
      ("19700101T000000Z", 0), ("20150830T123600Z", 1_440_938_160), ("20240229T235959Z", 1_709_251_199),
      ("20000229T000000Z", 951_782_400), ("20230229T000000Z", nil), ("20240631T000000Z", nil),
      ("20241301T000000Z", nil), ("20240617T240000Z", nil), ("20240617T150260Z", nil),
      ("20240617T150203", nil),
      ("2024061７T150203Z", nil), ("19691231T235959Z", nil), ("", nil), ("20240617 150203Z", nil),
    ] as [(String, Int64?)]) func dates(_ text: String, _ seconds: Int64?)
  {
    #expect(Timestamp.seconds(basic: text) == seconds)
  }
}

extension SignatureVerdict {
  /// The reason code of a refusal; `nil` for a valid signature.
  var code: String? {
    if case .refused(let reason) = self { reason.code } else { nil }
  }
}
