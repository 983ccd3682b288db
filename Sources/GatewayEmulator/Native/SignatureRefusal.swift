/// Why a route with `AWS_IAM` refuses a request.
///
/// The messages are those of AWS's Signature Version 4 verification, which REST APIs return.
enum SignatureRefusal: Error, Equatable, Sendable {
  case missing
  /// The signature cannot be read.
  case incomplete(String)
  /// The signature is not valid for the request, the time or the API.
  case invalid(Flaw, String)
  /// AWS knows no such access key, or the session token is not that of the access key.
  case unknownAccessKey

  enum Flaw: String, Sendable { case date, host, scope, header, path, mismatch }

  /// The reason code for the log.
  var code: String { log.code }

  /// The reason for the log, without parts of the request.
  var decision: String { log.decision }

  private var log: (code: String, decision: String) {
    let notAccepted = "signatureNotAccepted"
    return switch self {
    case .missing: ("missingSignature", "the request is not signed")
    case .incomplete: ("incompleteSignature", "the signature is incomplete")
    case .invalid(.date, _): ("signatureExpired", "the signature is too old or from the future")
    case .invalid(.scope, _):
      ("wrongSignatureScope", "the signature is for another region, service or day")
    case .invalid(.host, _): (notAccepted, "the Host header is not signed")
    case .invalid(.header, _): (notAccepted, "an x-amz header is not signed or does not match")
    case .invalid(.path, _): (notAccepted, "the path has empty or dot segments")
    case .invalid(.mismatch, _): ("signatureMismatch", "the signature does not match")
    case .unknownAccessKey: ("unknownAccessKey", "the access key is not the development key")
    }
  }

  var message: String {
    switch self {
    case .missing: "Missing Authentication Token"
    case .incomplete(let message), .invalid(_, let message): message
    case .unknownAccessKey: "The security token included in the request is invalid."
    }
  }

  /// `x-amzn-ErrorType` of REST APIs.
  var errorType: String {
    switch self {
    case .missing: "MissingAuthenticationTokenException"
    case .incomplete: "IncompleteSignatureException"
    case .invalid: "InvalidSignatureException"
    case .unknownAccessKey: "UnrecognizedClientException"
    }
  }

  /// A signature that was made with another secret, or of another request.
  static func mismatch(_ flaw: Flaw = .mismatch) -> SignatureRefusal {
    .invalid(
      flaw,
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access "
        + "Key and signing method. Consult the service documentation for details.")
  }
}
