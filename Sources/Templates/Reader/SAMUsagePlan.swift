internal import GatewayModel

/// `Auth.UsagePlan` of `AWS::Serverless::Api`, from which SAM makes a usage plan and an API key.
struct SAMUsagePlan {
  /// `CreateUsagePlan`.
  enum Scope: String, CaseIterable {
    case perAPI = "PER_API"
    /// One plan and one key for all APIs that say so.
    case shared = "SHARED"
    case none = "NONE"
  }

  private let scope: Scope
  private let throttle: UsagePlan.Throttle?
  private let quota: UsagePlan.Quota?

  /// The name of the plan that APIs share.
  static let sharedName = "ServerlessUsagePlan"

  /// Returns `nil` without a readable plan.
  init?(_ auth: inout PropertyReader) {
    guard var properties = auth.reader("UsagePlan") else { return nil }
    properties.pass(over: "Description", "Tags", "UsagePlanName")
    if !properties.has("CreateUsagePlan") {
      properties.refuse(member: "CreateUsagePlan", "is missing", cure: "write PER_API, SHARED or NONE")
    }
    let scope = properties.word("CreateUsagePlan", Scope.self)
    throttle = UsagePlanReader.throttle(&properties)
    quota = UsagePlanReader.quota(&properties)
    properties.finish()
    guard let scope else { return nil }
    self.scope = scope
  }

  /// Adds the plan and the key, whose value only AWS knows.
  ///
  /// - Parameter api: the name of the API.
  func add(to access: inout APIAccess, of api: String) {
    guard scope != .none else { return }
    let key = scope == .shared ? "ServerlessApiKey" : api + "ApiKey"
    access.keys.append(APIKey(name: key, value: nil, isEnabled: true))
    access.plans.append(
      UsagePlan(
        name: scope == .shared ? Self.sharedName : api + "UsagePlan", keys: [key], throttle: throttle,
        quota: quota))
  }

  /// Gives all APIs the shared plan of the last one, as SAM does.
  static func share(_ apis: inout [GatewayAPI]) {
    guard let last = apis.flatMap(\.access.plans).last(where: { $0.name == sharedName }) else { return }
    for index in apis.indices {
      apis[index].access.plans = apis[index].access.plans.map { $0.name == sharedName ? last : $0 }
    }
  }
}
