/// What decides about every request to an API, before and beside its authorizers.
public struct APIAccess: Equatable, Sendable {
  /// The resource policy of a REST API; `nil` without one.
  public var resourcePolicy: PolicyDocument?
  /// Where the API key of a request is.
  public var keySource = APIKeySource.header
  /// The API keys of the template.
  public var keys: [APIKey] = []
  /// The usage plans of the stage.
  public var plans: [UsagePlan] = []
  /// Whether the address `execute-api` answers; `false` for `DisableExecuteApiEndpoint`.
  public var hasDefaultEndpoint = true

  /// Creates the access of an API that nothing guards.
  public init() {}
}

/// Where the API key of a request is ("Choose an API key source in API Gateway").
public enum APIKeySource: String, CaseIterable, Sendable {
  /// The header `x-api-key`.
  case header = "HEADER"
  /// `usageIdentifierKey` of the authorizer's answer.
  case authorizer = "AUTHORIZER"
}

/// An `AWS::ApiGateway::ApiKey`.
public struct APIKey: Equatable, Sendable {
  /// The name of its resource.
  public let name: String
  /// The value that clients send; `nil` if only AWS knows it.
  public let value: String?
  /// Whether it may be used.
  public let isEnabled: Bool

  /// Creates a key.
  public init(name: String, value: String?, isEnabled: Bool) {
    self.name = name
    self.value = value
    self.isEnabled = isEnabled
  }
}

/// An `AWS::ApiGateway::UsagePlan`.
public struct UsagePlan: Equatable, Sendable {
  /// The name of its resource.
  public let name: String
  /// The names of its keys.
  public let keys: [String]
  /// The limit of requests per time; `nil` without one.
  public let throttle: Throttle?
  /// The limit of requests per period; `nil` without one.
  public let quota: Quota?

  /// A token bucket ("Throttle requests to your REST APIs").
  public struct Throttle: Equatable, Sendable {
    /// Requests per second.
    public let rate: Double
    /// The size of the bucket.
    public let burst: Int
  }

  /// A maximum number of requests per period.
  public struct Quota: Equatable, Sendable {
    /// The number of requests.
    public let limit: Int
    /// The period.
    public let period: Period
    /// How many requests are subtracted in the first period.
    public let offset: Int

    /// The periods.
    public enum Period: String, CaseIterable, Sendable { case day = "DAY", week = "WEEK", month = "MONTH" }
  }

  /// Creates a plan.
  public init(name: String, keys: [String], throttle: Throttle?, quota: Quota?) {
    self.name = name
    self.keys = keys
    self.throttle = throttle
    self.quota = quota
  }
}
