import Foundation
import TestSupport

/// A folder with what AWS CDK or the Serverless Framework has built.
enum BuiltProject {
  /// The folder that `Tests/Fixtures/cdk/app.py` has written, by its name in the workshop.
  static let assembly = "their/cdk.out"

  /// The folders of the functions' code in the assembly, each with the file of its handler.
  static func asset(with file: String, in workshop: borrowing Workshop) throws -> String {
    let folder = workshop.folder.appendingPathComponent(assembly)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    return names.first {
      FileManager.default.fileExists(atPath: folder.appendingPathComponent($0 + "/" + file).path)
    } ?? ""
  }

  /// Returns a workshop with a copy of the assembly.
  static func cdk() throws -> Workshop {
    let workshop = try Workshop()
    let manager = FileManager.default
    try manager.createDirectory(
      at: workshop.folder.appendingPathComponent("their"), withIntermediateDirectories: true)
    try manager.copyItem(
      at: Checkout.root.appendingPathComponent("Tests/Fixtures/cdk/cdk.out"),
      to: workshop.folder.appendingPathComponent(assembly))
    return workshop
  }

  /// Replaces a text in a file of the assembly.
  static func change(
    _ file: String, _ old: String, to new: String, in workshop: borrowing Workshop
  ) throws {
    let url = workshop.folder.appendingPathComponent(assembly + "/" + file)
    let text = try String(contentsOf: url, encoding: .utf8)
    try text.replacing(old, with: new).write(to: url, atomically: true, encoding: .utf8)
  }

  /// The template that the Serverless Framework writes for two functions, of which one is the authorizer of the other.
  static let serverless = "their/.serverless/cloudformation-template-update-stack.json"

  private static func function(_ handler: String, _ runtime: String) -> String {
    """
    {"Type":"AWS::Lambda::Function","Properties":{"Code":{"S3Bucket":{"Ref":"ServerlessDeploymentBucket"},
    "S3Key":"serverless/pets/dev/1700000000000-2023-11-14T22:13:20.000Z/pets.zip"},"Handler":"\(handler)","Runtime":"\(runtime)",
    "FunctionName":"pets-dev","MemorySize":1024,"Timeout":6,"Role":{"Fn::GetAtt":["IamRoleLambdaExecution","Arn"]}}}
    """
  }

  private static func uri(_ function: String) -> String {
    """
    {"Fn::Join":["",["arn:",{"Ref":"AWS::Partition"},":apigateway:",{"Ref":"AWS::Region"},
    ":lambda:path/2015-03-31/functions/",{"Fn::GetAtt":["\(function)","Arn"]},"/invocations"]]}
    """
  }

  static let serverlessTemplate = """
    {"AWSTemplateFormatVersion":"2010-09-09","Description":"The AWS CloudFormation template for this Serverless application","Resources":{
    "ServerlessDeploymentBucket":{"Type":"AWS::S3::Bucket"},
    "IamRoleLambdaExecution":{"Type":"AWS::IAM::Role"},
    "CustomApiGatewayAccountCloudWatchRole":{"Type":"Custom::ApiGatewayAccountRole","Properties":{"ServiceToken":{"Fn::GetAtt":["GuardLambdaFunction","Arn"]}}},
    "GuardLambdaFunction":\(function("src/guard.handler", "python3.12")),
    "PetsLambdaFunction":\(function("src/index.handler", "nodejs22.x")),
    "ApiGatewayRestApi":{"Type":"AWS::ApiGateway::RestApi","Properties":{"Name":"dev-pets","EndpointConfiguration":{"Types":["EDGE"]},"Policy":""}},
    "ApiGatewayResourcePets":{"Type":"AWS::ApiGateway::Resource","Properties":{"ParentId":{"Fn::GetAtt":["ApiGatewayRestApi","RootResourceId"]},"PathPart":"pets","RestApiId":{"Ref":"ApiGatewayRestApi"}}},
    "GuardApiGatewayAuthorizer":{"Type":"AWS::ApiGateway::Authorizer","Properties":{"IdentitySource":"method.request.header.Authorization","Name":"guard","RestApiId":{"Ref":"ApiGatewayRestApi"},"Type":"TOKEN",
    "AuthorizerUri":\(uri("GuardLambdaFunction"))}},
    "GuardLambdaPermissionApiGateway":{"Type":"AWS::Lambda::Permission","Properties":{"FunctionName":{"Fn::GetAtt":["GuardLambdaFunction","Arn"]},"Action":"lambda:InvokeFunction","Principal":"apigateway.amazonaws.com"}},
    "ApiGatewayMethodPetsGet":{"Type":"AWS::ApiGateway::Method","Properties":{"HttpMethod":"GET","RequestParameters":{},"ResourceId":{"Ref":"ApiGatewayResourcePets"},"RestApiId":{"Ref":"ApiGatewayRestApi"},"ApiKeyRequired":false,
    "AuthorizationType":"CUSTOM","AuthorizerId":{"Ref":"GuardApiGatewayAuthorizer"},"MethodResponses":[],
    "Integration":{"IntegrationHttpMethod":"POST","Type":"AWS_PROXY","Uri":\(uri("PetsLambdaFunction"))}}},
    "ApiGatewayDeployment1700000000000":{"Type":"AWS::ApiGateway::Deployment","Properties":{"RestApiId":{"Ref":"ApiGatewayRestApi"},"StageName":"dev"},"DependsOn":["ApiGatewayMethodPetsGet"]}}}
    """

  /// The code of both functions, by the path in the project.
  static func code() throws -> [String: String] {
    [
      "src/guard.py": try Checkout.text("Tests/Fixtures/cdk/guard/guard.py"),
      "src/index.js": try Checkout.text("Tests/Fixtures/cdk/backend/index.js"),
    ]
  }
}
