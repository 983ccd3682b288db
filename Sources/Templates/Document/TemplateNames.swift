internal import GatewayModel
internal import Text

/// The physical names of resources, and the pseudo parameters.
package struct TemplateNames: Sendable {
  let place: AWSLocation
  /// The types of the existing resources, by name.
  private let types: [String: String]

  init(_ place: AWSLocation, resources: [TemplateDocument.Resource]) {
    self.place = place
    types = Dictionary(resources.map { ($0.name, $0.type) }) { first, _ in first }
  }

  /// The pseudo parameters except `AWS::NoValue` (CloudFormation User Guide, "Pseudo parameters reference").
  var pseudoParameters: [String: String] {
    [
      "AWS::AccountId": place.account, "AWS::Partition": place.partition, "AWS::Region": place.region,
      "AWS::StackName": place.stack,
      "AWS::StackId":
        "arn:\(place.partition):cloudformation:\(place.region):\(place.account):stack/\(place.stack)/local",
      "AWS::URLSuffix": place.partition == "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com",
    ]
  }

  /// The variables that API Gateway itself replaces in a document ("AWS variables for OpenAPI import").
  var importVariables: [String: String] {
    pseudoParameters.filter { ["AWS::AccountId", "AWS::Partition", "AWS::Region"].contains($0.key) }
  }

  /// Returns the value of `Ref` for a resource.
  func physicalID(of name: String) -> String? {
    guard let type = types[name] else { return nil }
    switch type {
    case "AWS::Serverless::Api", "AWS::Serverless::HttpApi", "AWS::Serverless::WebSocketApi",
      "AWS::ApiGatewayV2::Api", "AWS::ApiGateway::RestApi":
      return Self.apiIdentifier(name)
    case Self.poolType: return poolIdentifier(name)
    default: return name
    }
  }

  /// Returns the value of `GetAtt` for `Name.Attribute`; the text itself if only AWS knows the value.
  func attribute(_ text: String) -> String? {
    let parts = text.splitBytes(at: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2, let type = types[parts[0]] else { return nil }
    // SAM's references to the alias and the version of AutoPublishAlias.
    if Self.functionTypes.contains(type), ["Arn", "Alias", "Version"].contains(parts[1]) {
      return functionARN(parts[0])
    }
    if ["RestApiId", "ApiId"].contains(parts[1]), let identifier = physicalID(of: parts[0]),
      identifier != parts[0]
    {
      return identifier
    }
    if type == Self.poolType, let value = poolAttribute(parts[1], of: poolIdentifier(parts[0])) {
      return value
    }
    return text
  }

  /// Returns the text if it is `NAME.Outputs.OUTPUT` of a nested application or stack.
  func nestedOutput(_ text: String) -> String? {
    let parts = text.splitBytes(at: ".", maxSplits: 2).map(String.init)
    guard parts.count == 3, parts[1] == "Outputs", let type = types[parts[0]],
      NestedTemplate.locations[type] != nil
    else { return nil }
    return text
  }

  private static let poolType = "AWS::Cognito::UserPool"

  /// Returns the ID of a user pool, such as `us-east-1_0123456789`, stable across starts.
  private func poolIdentifier(_ name: String) -> String {
    "\(place.region)_\(Self.apiIdentifier(name).prefix(9))"
  }

  /// Returns an attribute of a user pool (CloudFormation, `AWS::Cognito::UserPool`, "Return values").
  private func poolAttribute(_ name: String, of pool: String) -> String? {
    let provider = "cognito-idp.\(place.region).amazonaws.com/\(pool)"
    return switch name {
    case "Arn": "arn:\(place.partition):cognito-idp:\(place.region):\(place.account):userpool/\(pool)"
    case "ProviderName": provider
    case "ProviderURL": "https://" + provider
    case "UserPoolId": pool
    default: nil
    }
  }

  private static let functionTypes: Set<String> = ["AWS::Serverless::Function", "AWS::Lambda::Function"]

  private static let qualifiedFunctionTypes: Set<String> = ["AWS::Lambda::Alias", "AWS::Lambda::Version"]

  /// The attributes of these types that are their `Ref`.
  static let qualifiedFunctionARNs = [".AliasArn", ".FunctionArn"]

  /// Whether a resource is an alias or a version of a function.
  func isQualifiedFunction(_ name: String) -> Bool {
    types[name].map(Self.qualifiedFunctionTypes.contains) ?? false
  }

  /// Whether the template has this resource.
  func isResource(_ name: String) -> Bool { types[name] != nil }

  /// Whether a resource is a function.
  func isFunction(_ name: String) -> Bool { types[name].map(Self.functionTypes.contains) ?? false }

  func functionARN(_ name: String) -> String {
    "arn:\(place.partition):lambda:\(place.region):\(place.account):function:\(name)"
  }

  /// The seven or eight parts of a function's ARN, with a version or an alias or without, or of that in the URI that API
  /// Gateway invokes; `nil` for any other text.
  static func functionParts(of text: String) -> [Substring]? {
    var arn = text[...]
    // arn:aws:apigateway:REGION:lambda:path/2015-03-31/functions/ARN/invocations
    if let start = text.firstByteRange(of: ":lambda:path/2015-03-31/functions/") {
      arn = text[start.upperBound...]
      guard arn.hasByteSuffix("/invocations") else { return nil }
      arn = arn.dropLast(bytes: "/invocations".utf8.count)
    }
    let parts = arn.splitBytes(at: ":", omittingEmptySubsequences: false)
    return parts.count == 7 || parts.count == 8 ? parts : nil
  }

  /// Returns the function of an ARN, or of the URI that API Gateway invokes.
  package func function(_ text: String) -> String? {
    guard let parts = Self.functionParts(of: text) else { return nil }
    let name = String(parts[6])
    return isFunction(name) && functionARN(name) == parts[..<7].joined(separator: ":") ? name : nil
  }

  /// Whether a text may be the ID of an API: `StableIdentifier` has the form of API Gateway's, ten letters and digits. No
  /// other text names an API, so CloudFormation would not create the resource.
  static func isAPIIdentifier(_ text: String) -> Bool {
    text.utf8.count == 10
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
  }

  /// Returns the ID of an API, or of a resource within one.
  static func apiIdentifier(_ name: String) -> String { StableIdentifier.text(of: name) }
}
