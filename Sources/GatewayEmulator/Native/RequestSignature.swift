internal import Text
internal import GatewayModel
internal import LambdaEmulator
internal import Bytes

/// The Signature Version 4 of a request, as the caller wrote it (IAM User Guide, "Elements of an AWS API request
/// signature").
struct RequestSignature: Equatable, Sendable {
  enum Form: Equatable, Sendable {
    case header
    /// In the query, valid for this many seconds.
    case query(seconds: Int64)
  }

  let form: Form
  let scope: Scope
  /// `X-Amz-Date`, such as `20150830T123600Z`.
  let date: String
  /// The same in Unix seconds.
  let unixSeconds: Int64
  /// The names of the signed headers, as written.
  let signedHeaders: [String]
  let signature: String
  let sessionToken: String?

  /// `ACCESSKEY/DATE/REGION/SERVICE/aws4_request`.
  struct Scope: Equatable, Sendable {
    let accessKey: String
    let date: String
    let region: String
    let service: String
    let terminator: String

    /// The text that is signed: all but the access key.
    var text: String { "\(date)/\(region)/\(service)/\(terminator)" }
  }

  static let algorithm = "AWS4-HMAC-SHA256"

  /// The maximum of `X-Amz-Expires`, seven days (Amazon S3 API Reference, "Authenticating Requests: Using Query
  /// Parameters").
  static let maximumSeconds: Int64 = 604_800

  /// Reads the signature of a request.
  ///
  /// - Throws: `missing`, `incomplete`, or `invalid` for a date that cannot be read. A request with two signatures is
  ///   refused: AWS does not document which one counts.
  init(of request: GatewayRequest, _ query: SignedQuery) throws(SignatureRefusal) {
    let lines = request.values(ofHeader: "Authorization")
    let isInQuery = query.items.contains { Self.queryNames.contains($0.name) }
    switch (lines.count, isInQuery) {
    case (0, false): throw .missing
    case (0, true): try self.init(query)
    case (1, false): try self.init(header: lines[0], request)
    default: throw .incomplete("The request has more than one signature.")
    }
  }

  // MARK: Header

  private init(header: String, _ request: GatewayRequest) throws(SignatureRefusal) {
    let digest = SignatureHash.base64Digest(Array(header.utf8))
    let parts = header.splitBytes(at: " ", maxSplits: 1).map(String.init)
    let algorithm = parts.first ?? ""
    if algorithm.hasBytePrefix("AWS"), algorithm != Self.algorithm {
      throw .incomplete("Unsupported AWS 'algorithm': '\(algorithm)'.")
    }
    var values: [String: String] = [:]
    for pair in (parts.count == 2 ? parts[1] : "").splitBytes(at: ",") {
      let text = pair.trimmingBlanks
      guard let equals = text.unicodeScalars.firstIndex(of: "=") else {
        throw .incomplete(
          "Invalid key=value pair (missing equal-sign) in Authorization header (hashed with SHA-256 and encoded "
            + "with Base64): '\(digest)'.")
      }
      let name = String(text[..<equals])
      guard values[name] == nil else {
        throw .incomplete("The parameter '\(name)' occurs twice in the Authorization header.")
      }
      values[name] = String(text[equals...].dropFirst(bytes: 1))
    }
    let dates = request.values(ofHeader: "X-Amz-Date")
    var missing = ["Credential", "Signature", "SignedHeaders"].filter { (values[$0] ?? "").isEmpty }.map {
      "Authorization header requires '\($0)' parameter."
    }
    if dates.isEmpty {
      missing.append("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.")
    }
    guard algorithm == Self.algorithm, missing.isEmpty, dates.count == 1, values.count == 3 else {
      throw .incomplete(
        (missing + ["(Hashed with SHA-256 and encoded with Base64) Authorization=\(digest)"]).joined(
          separator: " "))
    }
    let tokens = request.values(ofHeader: "X-Amz-Security-Token")
    guard tokens.count <= 1 else { throw .unknownAccessKey }
    try self.init(
      .header, credential: values["Credential"], date: dates[0], headers: values["SignedHeaders"],
      signature: values["Signature"], token: tokens.first)
  }

  // MARK: Query

  /// The parameters of a signature in the query, except for the session token.
  private static let queryNames = [
    "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders",
    SignedQuery.signatureName,
  ]

  private init(_ query: SignedQuery) throws(SignatureRefusal) {
    for name in Self.queryNames + ["X-Amz-Security-Token"] {
      let count = query.items.count { $0.name == name }
      guard count == 1 || count == 0 && name == "X-Amz-Security-Token" else {
        throw .incomplete(
          "AWS query-string parameters must include '\(name)'. Re-examine the query-string parameters.")
      }
    }
    guard query["X-Amz-Algorithm"] == Self.algorithm else {
      throw .incomplete("Unsupported AWS 'algorithm': '\(query["X-Amz-Algorithm"] ?? "")'.")
    }
    guard let expires = query["X-Amz-Expires"], (1...6).contains(expires.utf8.count),
      expires.utf8.allSatisfy(\.isDecimalDigit), let seconds = Int64(expires),
      (1...Self.maximumSeconds).contains(seconds)
    else {
      throw .incomplete("X-Amz-Expires must be from 1 to \(Self.maximumSeconds).")
    }
    try self.init(
      .query(seconds: seconds), credential: query["X-Amz-Credential"], date: query["X-Amz-Date"] ?? "",
      headers: query["X-Amz-SignedHeaders"], signature: query[SignedQuery.signatureName],
      token: query["X-Amz-Security-Token"])
  }

  // MARK: Both

  private init(
    _ form: Form, credential: String?, date: String, headers: String?, signature: String?, token: String?
  ) throws(SignatureRefusal) {
    let parts = (credential ?? "").splitBytes(at: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 5, parts.allSatisfy({ !$0.isEmpty }) else {
      throw .incomplete(
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term.")
    }
    guard let seconds = Timestamp.seconds(basic: date) else {
      throw .incomplete(
        "Date must be in ISO-8601 'basic format'. Got '\(date)'. See http://en.wikipedia.org/wiki/ISO_8601")
    }
    self.form = form
    scope = Scope(
      accessKey: parts[0], date: parts[1], region: parts[2], service: parts[3], terminator: parts[4])
    self.date = date
    unixSeconds = seconds
    signedHeaders = (headers ?? "").splitBytes(at: ";", omittingEmptySubsequences: false).map(String.init)
    self.signature = signature ?? ""
    sessionToken = token
  }
}
