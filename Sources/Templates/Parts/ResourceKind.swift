internal import GatewayModel
internal import Text

/// Whether a resource affects requests.
enum ResourceKind {
  case read
  case withoutInfluence
  /// A type of API Gateway that this version does not know: it may change who gets in.
  case unknown

  init(_ type: String) {
    if Self.readTypes.contains(type) {
      self = .read
    } else if Self.normalizedTypes.contains(Self.normalized(type)) {
      // CloudFormation refuses it; without the resource, another would get its requests.
      self = .unknown
    } else if type.hasBytePrefix("AWS::ApiGateway") || type.hasBytePrefix("AWS::Serverless::") {
      self = Self.typesWithoutInfluence.contains(type) ? .withoutInfluence : .unknown
    } else {
      // A misspelled API or authorizer would be skipped like a table.
      self = Self.meant(by: type) == nil ? .withoutInfluence : .unknown
    }
  }

  /// Returns the known type that a misspelled one probably means.
  static func meant(by type: String) -> String? {
    guard type.utf8.starts(with: "AWS".utf8) else { return nil }
    return NearestName.of(type, among: knownTypes)
  }

  private static let readTypes: Set<String> = [
    "AWS::Serverless::Api", "AWS::Serverless::HttpApi", "AWS::Serverless::WebSocketApi",
    "AWS::Serverless::Function", "AWS::Serverless::StateMachine",
    "AWS::ApiGateway::RestApi", "AWS::ApiGateway::Resource", "AWS::ApiGateway::Method",
    "AWS::ApiGateway::Authorizer", "AWS::ApiGateway::GatewayResponse", "AWS::ApiGateway::Deployment",
    "AWS::ApiGateway::Stage", "AWS::ApiGateway::UsagePlan", "AWS::ApiGateway::UsagePlanKey",
    "AWS::ApiGateway::ApiKey", "AWS::ApiGateway::RequestValidator", "AWS::WAFv2::WebACLAssociation",
    "AWS::WAFRegional::WebACLAssociation",
    "AWS::Lambda::Function", "AWS::Lambda::Alias", "AWS::Lambda::Version",
    "AWS::ApiGatewayV2::Api", "AWS::ApiGatewayV2::Authorizer", "AWS::ApiGatewayV2::Integration",
    "AWS::ApiGatewayV2::Route", "AWS::ApiGatewayV2::Stage", "AWS::ApiGatewayV2::RouteResponse",
    "AWS::ApiGatewayV2::IntegrationResponse", "AWS::Lambda::Permission",
  ]

  private static let knownTypes = readTypes.union(typesWithoutInfluence)

  private static let normalizedTypes = Set(readTypes.map(normalized))

  private static func normalized(_ type: String) -> String { type.trimmingBlanks.lowercased() }

  private static let typesWithoutInfluence: Set<String> = [
    "AWS::ApiGatewayV2::Deployment", "AWS::ApiGatewayV2::Model", "AWS::ApiGatewayV2::VpcLink",
    "AWS::ApiGateway::Account",
    "AWS::ApiGateway::Model", "AWS::ApiGateway::VpcLink",
    "AWS::ApiGateway::ClientCertificate",
    "AWS::ApiGateway::DomainNameV2", "AWS::ApiGateway::BasePathMappingV2",
    "AWS::ApiGateway::DomainNameAccessAssociation", "AWS::ApiGateway::DocumentationPart",
    "AWS::ApiGateway::DocumentationVersion", "AWS::Serverless::LayerVersion", "AWS::Serverless::SimpleTable",
    "AWS::Serverless::Application", "AWS::Serverless::Connector",
    "AWS::Serverless::GraphQLApi", "AWS::Serverless::CapacityProvider",
  ]
}
