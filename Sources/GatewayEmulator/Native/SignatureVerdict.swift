internal import GatewayModel
internal import LambdaEmulator
internal import Bytes

/// The decision about a signed request to a route with `AWS_IAM`.
enum SignatureVerdict: Equatable, Sendable {
  /// The signature is valid: the access key that made it.
  case allowed(TrustedKeys.AccessKey)
  case refused(SignatureRefusal)

  /// The service of signatures for API Gateway ("Control access to a REST API with IAM permissions").
  static let service = "execute-api"
  /// How far `X-Amz-Date` may be from the gateway's clock, in seconds: five minutes, as AWS's message says.
  static let toleranceSeconds: Int64 = 300

  /// Decides about a request.
  ///
  /// - Parameter service: the service in the scope of the signature.
  init(
    of request: GatewayRequest, region: String, service: String = SignatureVerdict.service,
    accessKeys: [TrustedKeys.AccessKey], at unixMilliseconds: Int64
  ) {
    do throws(SignatureRefusal) {
      let query = try SignedQuery(request.query)
      let signature = try RequestSignature(of: request, query)
      try Self.checkDate(of: signature, at: unixMilliseconds)
      try Self.checkScope(of: signature, region, service)
      let known = accessKeys.first { $0.identifier.utf8.elementsEqual(signature.scope.accessKey.utf8) }
      guard let known, Self.isEqual(known.sessionToken, signature.sessionToken) else {
        throw .unknownAccessKey
      }
      let expected = try SignatureCalculation(of: request, query, signature).expected(secret: known.secret)
      guard let expected, Self.isEqual(expected, signature.signature) else { throw .mismatch() }
      self = .allowed(known)
    } catch {
      self = .refused(error)
    }
  }

  private static func checkDate(
    of signature: RequestSignature, at unixMilliseconds: Int64
  ) throws(SignatureRefusal) {
    let now = unixMilliseconds / 1000
    let (valid, unit) =
      switch signature.form {
      case .header: (toleranceSeconds, "5 min.")
      case .query(let seconds): (seconds, "\(seconds) sec.")
      }
    func text(_ seconds: Int64) -> String { Timestamp.basic(seconds * 1000) }
    guard signature.unixSeconds >= now - valid else {
      throw .invalid(
        .date,
        "Signature expired: \(signature.date) is now earlier than \(text(now - valid)) (\(text(now)) - \(unit))"
      )
    }
    guard signature.unixSeconds <= now + toleranceSeconds else {
      throw .invalid(
        .date,
        "Signature not yet current: \(signature.date) is still later than \(text(now + toleranceSeconds))"
          + " (\(text(now)) + 5 min.)")
    }
  }

  private static func checkScope(
    of signature: RequestSignature, _ region: String, _ service: String
  ) throws(SignatureRefusal) {
    let scope = signature.scope
    var problems: [String] = []
    if scope.region != region {
      problems.append("Credential should be scoped to a valid region, not '\(scope.region)'.")
    }
    if scope.service != service {
      problems.append("Credential should be scoped to correct service: '\(service)'.")
    }
    if scope.terminator != "aws4_request" {
      problems.append(
        "Credential should be scoped with a valid terminator: 'aws4_request', not '\(scope.terminator)'.")
    }
    let day = String(signature.date.prefix(8))
    if scope.date != day {
      problems.append(
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
          + "'\(scope.date)' != '\(day)', from '\(signature.date)'.")
    }
    if !problems.isEmpty { throw .invalid(.scope, problems.joined(separator: " ")) }
  }

  /// Compares secrets without an early end.
  private static func isEqual(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    guard left.utf8.count == right.utf8.count else { return false }
    var difference: UInt8 = 0
    for (one, other) in zip(left.utf8, right.utf8) { difference |= one ^ other }
    return difference == 0
  }
}
