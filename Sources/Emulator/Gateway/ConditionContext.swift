internal import JSON

/// The condition keys of one request, as far as they are known.
///
/// A key may have values, be absent, or be unknown. A policy that asks for an unknown one gets no verdict: taken for
/// absent it would turn a Deny into nothing.
public struct ConditionContext: Equatable, Sendable {
  private var values: [String: [String]] = [:]

  /// What is known of a key.
  enum Knowledge: Equatable {
    case values([String])
    case absent
    case unknown
  }

  /// Nothing is known but what no request to an authorizer has.
  public static let unknown = ConditionContext()

  private init() {}

  /// A request over TLS, as all to API Gateway are.
  ///
  /// - Parameters:
  ///   - unixSeconds: for `aws:CurrentTime` and `aws:EpochTime`; `nil` where the time is not known.
  ///   - sourceIP: the caller's address; `nil` where it is not known.
  public init(at unixSeconds: Int64?, sourceIP: String? = nil) {
    values["aws:securetransport"] = ["true"]
    if let unixSeconds {
      values["aws:epochtime"] = [String(unixSeconds)]
      values["aws:currenttime"] = [ConditionDate(unixMilliseconds: unixSeconds * 1000).text]
    }
    if let sourceIP { values["aws:sourceip"] = [sourceIP] }
  }

  /// Gives a key its values; none of them says that the request does not have it.
  ///
  /// - Throws: `ConditionContextError` for a key that API Gateway does not document and a value that it cannot have.
  public mutating func set(_ name: String, to newValues: [String]) throws(ConditionContextError) {
    guard let key = ConditionKey(name) else { throw .unknownKey(name) }
    if newValues.count > 1, !key.isMultivalued { throw .severalValues(key.name) }
    for value in newValues where !Self.isValue(value, of: key.kind) {
      throw .wrongValue(key.name, value)
    }
    values[key.name.lowercased()] = newValues
  }

  /// What an authorizer's event tells of its request.
  ///
  /// A TOKEN event tells nothing. All others have headers; addresses and the endpoint of a private API stand in
  /// `requestContext`.
  init(event: [UInt8], at unixSeconds: Int64?) {
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
    // Which address the caller had inside of its network is not told.
    if !isPrivate { values["aws:vpcsourceip"] = [] }
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
    guard let values = values[key.name.lowercased()] else {
      return key.presence == .signedRequestsOnly ? .absent : .unknown
    }
    return values.isEmpty ? .absent : .values(values)
  }
}

/// Why a key cannot be given.
public enum ConditionContextError: Error, Equatable, Sendable {
  /// API Gateway does not document it.
  case unknownKey(String)
  /// It has one value at most.
  case severalValues(String)
  /// The value is none that the key can have.
  case wrongValue(String, String)

  /// A stable name of the problem.
  public var code: String {
    switch self {
    case .unknownKey: "unknownKey"
    case .severalValues: "severalValues"
    case .wrongValue: "wrongValue"
    }
  }

  /// For people, in lower case.
  public var description: String {
    switch self {
    case .unknownKey(let name): "\(name) is no condition key that API Gateway documents"
    case .severalValues(let name): "\(name) has one value at most"
    case .wrongValue(let name, let value): "\(name) cannot be \(value)"
    }
  }
}
