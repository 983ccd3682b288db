internal import GatewayModel
internal import Text
internal import Bytes

/// The signature that a request must have (IAM User Guide, "Create a signed AWS API request").
struct SignatureCalculation {
  let canonicalRequest: String
  private let signature: RequestSignature

  /// Builds the canonical form of a request.
  ///
  /// The hash of the body is always that of the received body: `UNSIGNED-PAYLOAD` is documented for Amazon S3 only.
  /// - Throws: `invalid` for a path or a header that could have two meanings under one signature.
  init(
    of request: GatewayRequest, _ query: SignedQuery, _ signature: RequestSignature
  ) throws(SignatureRefusal) {
    self.signature = signature
    let isInQuery = signature.form != .header
    canonicalRequest = [
      request.method, try Self.path(request.sentPath), query.canonical(isSignedHere: isInQuery),
      try Self.headers(of: request, signature.signedHeaders),
      signature.signedHeaders.joined(separator: ";"), SignatureHash.hexadecimalDigest(request.body),
    ].joined(separator: "\n")
  }

  /// The text that the signature is made of.
  var stringToSign: String {
    [
      RequestSignature.algorithm, signature.date, signature.scope.text,
      SignatureHash.hexadecimalDigest(Array(canonicalRequest.utf8)),
    ].joined(separator: "\n")
  }

  /// The signature by an access key's secret in hexadecimal; `nil` only if libcrypto fails.
  func expected(secret: String) -> String? {
    var key: [UInt8]? = Array("AWS4\(secret)".utf8)
    let scope = signature.scope
    for part in [scope.date, scope.region, scope.service, scope.terminator] {
      key = key.flatMap { SignatureHash.authenticationCode(part, key: $0) }
    }
    let code = key.flatMap { SignatureHash.authenticationCode(stringToSign, key: $0) }
    return code.map { String(decoding: $0.hexadecimal, as: UTF8.self) }
  }

  // MARK: Parts

  /// The path, each segment encoded a second time.
  ///
  /// The canonical form drops empty segments and resolves dot segments. Such a path is refused here: a caller who has
  /// one signed request could otherwise send it to another route.
  private static func path(_ path: String) throws(SignatureRefusal) -> String {
    let segments = path.splitBytes(at: "/", omittingEmptySubsequences: false)
    let inner = segments.dropFirst()
    guard segments.first == "", !inner.dropLast().containsText(""), !inner.containsText("."),
      !inner.containsText("..")
    else { throw .mismatch(.path) }
    return PercentText.encoded(path, keeping: "/")
  }

  /// The lines of the signed headers: values without blanks at the ends, and with single spaces within.
  private static func headers(
    of request: GatewayRequest, _ names: [String]
  ) throws(SignatureRefusal) -> String {
    try check(names, in: request)
    return names.map { name in
      let values = request.values(ofHeader: name).map { value in
        value.utf8.split { $0 == .space || $0 == .tab }.map { String(Substring($0)) }.joined(separator: " ")
      }
      return "\(name):\(values.joined(separator: ","))\n"
    }.joined()
  }

  /// `Host` and all `x-amz-` headers must be signed, and all signed headers must be there.
  ///
  /// The session token is an exception: AWS's own clients for API Gateway add it after signing. It is compared with
  /// that of the access key.
  private static func check(
    _ names: [String], in request: GatewayRequest
  ) throws(SignatureRefusal) {
    guard names.containsText("host"), request.values(ofHeader: "host").count == 1 else {
      throw .invalid(.host, "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.")
    }
    // Sorted names without duplicates: there is one list of each set of headers.
    guard zip(names, names.dropFirst()).allSatisfy({ $0.utf8.lexicographicallyPrecedes($1.utf8) }),
      names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isHeaderByte) }),
      names.allSatisfy({ !request.values(ofHeader: $0).isEmpty })
    else { throw .mismatch(.header) }
    for header in request.headers {
      let name = header.name.lowercased()
      guard name.hasBytePrefix("x-amz-"), name != "x-amz-security-token" else { continue }
      guard names.contains(name) else { throw .mismatch(.header) }
    }
    let claimed = request.values(ofHeader: "x-amz-content-sha256")
    guard claimed.isEmpty || claimed == [SignatureHash.hexadecimalDigest(request.body)] else {
      throw .mismatch(.header)
    }
  }

  /// Lower-case characters of a header's name (RFC 9110 section 5.1).
  private static func isHeaderByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit && !byte.isUppercaseLetter || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
