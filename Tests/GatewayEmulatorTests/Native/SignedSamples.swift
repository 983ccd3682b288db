@testable import GatewayEmulator
@testable import GatewayModel

/// A signed request.
struct SignedSample: Sendable {
  let name: String
  var method = "GET"
  var path: String
  var query = ""
  var headers: [GatewayRequest.Header]
  var body = ""
  var sessionToken: String?

  init(
    _ name: String, _ method: String, _ path: String, query: String = "",
    headers: [GatewayRequest.Header] = [], body: String = "", signed: String = "host;x-amz-date",
    host: String = "127.0.0.1:8080", sessionToken: String? = nil, _ signature: String?
  ) {
    self.name = name
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers + [.init("Host", host)]
    self.body = body
    self.sessionToken = sessionToken
    guard let signature else { return }
    let scope = "20240617/us-east-1/execute-api/aws4_request"
    self.headers += [
      .init("X-Amz-Date", "20240617T150203Z"),
      .init(
        "Authorization",
        "AWS4-HMAC-SHA256 Credential=\(SignedSamples.identifier)/\(scope), SignedHeaders=\(signed), Signature=\(signature)"
      ),
    ]
  }

  var accessKey: TrustedKeys.AccessKey {
    .init(identifier: SignedSamples.identifier, secret: SignedSamples.secret, sessionToken: sessionToken)
  }

  func value(_ name: String) -> String { headers.first { $0.name == name }?.value ?? "" }

  mutating func set(_ name: String, _ value: String) {
    headers.removeAll { $0.name == name }
    headers.append(.init(name, value))
  }

  /// The request as the gateway receives it.
  var request: GatewayRequest {
    GatewayRequest(method: method, path: path, query: query, headers: headers, body: Array(body.utf8))
  }

  /// The verdict after a change of the request or of what the gateway knows.
  func verdict(
    region: String = "us-east-1", service: String = "execute-api", accessKey: String? = nil,
    secret: String? = nil, at milliseconds: Int64 = SignedSamples.milliseconds,
    _ change: (inout SignedSample) -> Void = { _ in }
  ) -> SignatureVerdict {
    var sample = self
    change(&sample)
    let known = TrustedKeys.AccessKey(
      identifier: accessKey ?? SignedSamples.identifier, secret: secret ?? SignedSamples.secret,
      sessionToken: sessionToken)
    return SignatureVerdict(
      of: sample.request, region: region, service: service, accessKeys: [known], at: milliseconds)
  }
}

/// Requests that botocore 1.43.11 signed for 2024-06-17T15:02:03Z: `SigV4Auth` and, in the query, `SigV4QueryAuth`.
enum SignedSamples {
  static let identifier = "LOCALTESTKEY00000001"
  static let secret = "not-a-secret-0123456789-for-tests-only-x"
  static let milliseconds: Int64 = 1_718_636_523_035

  static let plain = SignedSample(
    "plain", "GET", "/Api/prod/pets", "97644c1727fc9e718cbffae825fa9b13c8164b9a36dfd146552bbb5d5b3bcec0")

  static let query = SignedSample(
    "query", "GET", "/Api/prod/pets",
    query: presigned(60, "326db3049dc5f9643cab91d21a66c7d0da31f459781e5c2e3a4713f438495d1f"), nil)

  static let temporary = SignedSample(
    "session token", "GET", "/Api/prod/pets",
    headers: [.init("X-Amz-Security-Token", "session/token+1==")],
    signed: "host;x-amz-date;x-amz-security-token", sessionToken: "session/token+1==",
    "5dd5107b0e14d7d8d142fcb9eeb2053979c2911232e729196cfa242ec7ab6338")

  static let all = [
    plain, query, temporary,
    SignedSample(
      "slash at the end", "GET", "/Api/prod/",
      "6dc5affb161661c7413f8ef65c360427956967de23ce5839e4dd8eaf76439237"),
    SignedSample(
      "encoded path", "GET", "/Api/prod/a%20b/%C3%A4:x",
      "2de2793ebe4f3194a8c08dbd0eb2f26aa4a8b8b473465786bd43bfe6bcf0dee8"),
    SignedSample(
      "repeated parameters", "GET", "/Api/prod/pets", query: "b=2&a=1&a=0&c",
      "4d4cc7c70b615d1e8931f2c81381620ca0aec663ef6d24d85d317d524ac34080"),
    SignedSample(
      "encoded query", "GET", "/Api/prod/pets", query: "x=%2F%20%25&y=%C3%A4",
      "8df338b9686dbb781638a278ce40e21178c9a0a68ae9f0b6bc67f336380619c4"),
    SignedSample(
      "JSON", "POST", "/Api/prod/pets", headers: [.init("Content-Type", "application/json")],
      body: #"{"a":1}"#, signed: "content-type;host;x-amz-date",
      "67c799f28c25c985c566a3ec2d8b40743c0a5d2f08736ce95bf37339d5b1b317"),
    SignedSample(
      "blanks in a header", "PUT", "/Api/prod/pets",
      headers: [.init("X-Custom", "  two   words  "), .init("Content-Type", "text/plain")], body: "ä",
      signed: "content-type;host;x-amz-date;x-custom",
      "9469cc9aac9b8e64e34d974ffbe5f0111c90bb8e6a94fb4811379dd693d5f653"),
    SignedSample(
      "another host", "DELETE", "/prod/pets/1", host: "api.localhost:8080",
      "2065d2398aea3eaffa864732e4a04a504bc2bb11e4f4155b2c3540d5d2d72f0d"),
    SignedSample(
      "query with parameters", "GET", "/Api/prod/pets",
      query: "z=1&a=%20&"
        + presigned(900, "a5a9de455ffc72261a58b98c8062fe4f561fb9af075c106b436d32bdbcb4ef15"),
      nil),
  ]

  private static func presigned(_ seconds: Int, _ signature: String) -> String {
    "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=\(identifier)%2F20240617%2Fus-east-1%2Fexecute-api%2Faws4_request"
      + "&X-Amz-Date=20240617T150203Z&X-Amz-Expires=\(seconds)&X-Amz-SignedHeaders=host&X-Amz-Signature=\(signature)"
  }
}
