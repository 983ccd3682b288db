internal import JSON

/// The known condition keys of one request.
///
/// A key has values, is absent, or is unknown. A policy that depends on an unknown key cannot be evaluated: if the
/// key were treated as absent, a Deny would have no effect.
package struct ConditionContext: Equatable, Sendable {
  private var values: [String: [String]] = [:]
  /// The time of the request. `aws:CurrentTime` is its text, which is made on demand, because few policies read it.
  private var unixSeconds: Int64?
  /// Whether the request is signed, so that it has keys of its signer.
  private var isSigned = false

  enum Knowledge: Equatable {
    case values([String])
    case absent
    case unknown
  }

  /// A request of which nothing is known, except for the keys that requests to an authorizer never have.
  package static let unknown = ConditionContext()

  private init() {}

  /// Creates the context of a request over TLS, as are all requests to API Gateway.
  ///
  /// - Parameters:
  ///   - unixSeconds: for `aws:CurrentTime` and `aws:EpochTime`; `nil` if the time is unknown.
  ///   - sourceIP: the caller's address; `nil` if it is unknown.
  package init(at unixSeconds: Int64?, sourceIP: String? = nil) {
    values["aws:securetransport"] = ["true"]
    self.unixSeconds = unixSeconds
    if let unixSeconds { values["aws:epochtime"] = [String(unixSeconds)] }
    if let sourceIP { values["aws:sourceip"] = [sourceIP] }
  }

  /// Sets the values of a key; an empty list means that the request does not have the key.
  ///
  /// - Throws: `ConditionContextError` for a key that API Gateway does not document, or an invalid value.
  package mutating func set(_ name: String, to newValues: [String]) throws(ConditionContextError) {
    guard let key = ConditionKey(name) else { throw .unknownKey(name) }
    if newValues.count > 1, !key.isMultivalued { throw .severalValues(key.name) }
    for value in newValues where !Self.isValue(value, of: key.kind) {
      throw .wrongValue(key.name, value)
    }
    values[key.name.lowercased()] = newValues
  }

  /// Sets the keys of an IAM user who signed the request (IAM User Guide, "AWS global condition context keys"). The other
  /// keys of signed requests, such as tags and the organization, are unknown.
  package mutating func setSigner(arn: String, account: String, userID: String, userName: String) {
    isSigned = true
    values["aws:principalarn"] = [arn]
    values["aws:principalaccount"] = [account]
    values["aws:principaltype"] = ["User"]
    values["aws:userid"] = [userID]
    values["aws:username"] = [userName]
  }

  /// Reads the keys from an authorizer's event.
  ///
  /// A TOKEN event has none of them. All other events have headers, and `requestContext` has the addresses and the
  /// endpoint of a private API.
  package init(event: [UInt8], at unixSeconds: Int64?) {
    let root = try? JSONDocument(parsing: event, limits: .event).root
    let request = root?["requestContext"]
    let identity = request?["identity"]
    self.init(at: unixSeconds, sourceIP: (identity ?? request?["http"])?["sourceIp"]?.text)
    guard let headers = root?["headers"], headers.kind == .object else { return }
    for (key, header) in [("aws:referer", "referer"), ("aws:useragent", "user-agent")] {
      let sent = headers.members.first { $0.name.text?.lowercased() == header }?.value.text
      values[key] = sent.map { [$0] } ?? []
    }
    let isPrivate = identity?["vpceId"]?.text != nil || identity?["vpcId"]?.text != nil
    for (key, member) in [("aws:sourcevpce", "vpceId"), ("aws:sourcevpc", "vpcId")] {
      values[key] = identity?.member(named: Array(member.utf8))?.text.map { [$0] } ?? []
    }
    // A request from the internet has neither. Of one through a VPC endpoint, the event does not have them.
    if !isPrivate { for key in ["aws:sourcearn", "aws:vpcsourceip"] { values[key] = [] } }
  }

  private static func isValue(_ value: String, of kind: ConditionKey.Kind) -> Bool {
    switch kind {
    case .text, .arn: true
    case .address: ConditionNetwork(address: value) != nil
    case .boolean: value == "true" || value == "false"
    case .number: ConditionNumber(value) != nil
    case .date, .epoch: ConditionDate(value) != nil
    }
  }

  func knowledge(of key: ConditionKey) -> Knowledge {
    let name = key.name.lowercased()
    guard let values = values[name] else {
      if name == "aws:currenttime", let unixSeconds {
        return .values([ConditionDate(unixMilliseconds: unixSeconds * 1000).text])
      }
      return key.presence == .signedRequestsOnly && !isSigned ? .absent : .unknown
    }
    return values.isEmpty ? .absent : .values(values)
  }
}

package enum ConditionContextError: Error, Equatable, Sendable {
  /// API Gateway does not document it.
  case unknownKey(String)
  /// It has one value at most.
  case severalValues(String)
  /// The value is invalid for the key.
  case wrongValue(String, String)

  /// The message, in lower case.
  package var description: String {
    switch self {
    case .unknownKey(let name): "\(name) is not a condition key that API Gateway documents"
    case .severalValues(let name): "\(name) has one value at most"
    case .wrongValue(let name, let value): "\(name) cannot be \(value)"
    }
  }
}
