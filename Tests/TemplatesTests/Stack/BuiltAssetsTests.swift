@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// The code of functions that AWS CDK and the Serverless Framework have built beside the template.
@Suite struct BuiltAssetsTests {
  private static func place(
    _ code: String, metadata: String = "", runtime: String = "nodejs22.x", head: String = "",
    more: String = "",
    files: [String: String], folders: Set<String> = []
  ) throws -> FunctionCode.Place? {
    let function = """
        F:
          Type: AWS::Lambda::Function
          Metadata: { \(metadata) }
          Properties: { Runtime: \(runtime), Handler: index.handler, Code: \(code) }
      \(more)
      """
    let template = try GatewayTemplate(
      parsing: BuiltFiles.template(function, head: head), files: BuiltFiles.files(files, folders: folders))
    return template.functions["F"]?.package.place
  }

  private static let code = "{ S3Bucket: !Sub 'assets-${AWS::Region}', S3Key: k1.zip }"

  private static func metadata(_ path: String, _ property: String = "Code") -> String {
    "aws:asset:path: '\(path)', aws:asset:property: \(property)"
  }

  @Test(
    arguments: [
      // By the metadata, by the manifest, by both.
      (metadata("asset.1"), [:], .local("/out/asset.1")),
      ("", ["k1.zip": "asset.1"], .local("/out/asset.1")),
      (metadata("asset.1"), ["k1.zip": "asset.1"], .local("/out/asset.1")),
      (metadata("asset.1"), ["k2.zip": "asset.2"], .local("/out/asset.1")),
      // The asset of another property is another one.
      (metadata("asset.1", "TemplateURL"), [:], .elsewhere("s3://assets-us-east-1/k1.zip")),
      ("", ["k2.zip": "asset.1"], .elsewhere("s3://assets-us-east-1/k1.zip")),
      ("", ["1.zip": "asset.1"], .elsewhere("s3://assets-us-east-1/k1.zip")),
      // One of the two lies, or is old.
      (
        metadata("asset.1"), ["k1.zip": "asset.2"],
        .refused("its metadata and the asset manifests name different assets: asset.1, asset.2")
      ),
      (metadata("asset.3"), [:], .refused("its asset asset.3 is not used: it does not exist")),
      (metadata("../../etc"), [:], .refused("its asset ../../etc is not used: it is outside of /out")),
      ("", ["k1.zip": "../../etc"], .refused("its asset ../../etc is not used: it is outside of /out")),
    ] as [(String, [String: String], FunctionCode.Place)])
  func anAssetIsFound(_ metadata: String, _ paths: [String: String], _ place: FunctionCode.Place) throws {
    #expect(
      try Self.place(
        Self.code, metadata: metadata, files: BuiltFiles.manifests(paths), folders: ["asset.1", "asset.2"])
        == place)
  }

  /// A manifest that cannot be read says nothing against what it may contradict.
  @Test(
    arguments: [
      ("manifest.json", "{", "manifest.json is not JSON, or too large"),
      ("S.assets.json", "[1", "S.assets.json is not JSON, or too large"),
      ("S.assets.json", nil, "S.assets.json, which manifest.json names, does not exist"),
      (
        "manifest.json", String(repeating: " ", count: 17 << 20), "manifest.json is not read: it is too large"
      ),
    ] as [(String, String?, String)])
  func aDamagedManifestIsNoPermission(_ name: String, _ text: String?, _ reason: String) throws {
    var files = BuiltFiles.manifests(["k1.zip": "asset.1"])
    files[name] = text
    #expect(
      try Self.place(Self.code, metadata: Self.metadata("asset.1"), files: files, folders: ["asset.1"])
        == .refused(reason))
  }

  @Test func manifestsOfTooManyStacksAreNotRead() throws {
    let artifacts = (0...CloudAssembly.maximumManifests).map {
      #""A\#($0)":{"type":"cdk:asset-manifest","properties":{"file":"S.assets.json"}}"#
    }
    let files = [
      "manifest.json": #"{"artifacts":{\#(artifacts.joined(separator: ","))}}"#, "S.assets.json": "{}",
    ]
    #expect(
      try Self.place(Self.code, metadata: Self.metadata("a"), files: files, folders: ["a"])
        == .refused("manifest.json names over 200 asset manifests"))
  }

  @Test func manifestsThatAreTooLargeTogetherAreNotRead() throws {
    let artifacts = (0..<5).map {
      #""A\#($0)":{"type":"cdk:asset-manifest","properties":{"file":"S\#($0).assets.json"}}"#
    }
    var files = ["manifest.json": #"{"artifacts":{\#(artifacts.joined(separator: ","))}}"#]
    let large = "{}" + String(repeating: " ", count: 15 << 20)
    for index in 0..<5 { files["S\(index).assets.json"] = large }
    #expect(
      try Self.place(Self.code, metadata: Self.metadata("a"), files: files, folders: ["a"])
        == .refused("S4.assets.json is not read: it is too large"))
  }

  /// `manifest.json` is also the name of a web page's manifest.
  @Test func aManifestOfSomethingElseIsNone() throws {
    let files = ["manifest.json": #"{"name":"page","icons":[]}"#]
    #expect(
      try Self.place(Self.code, metadata: Self.metadata("asset.1"), files: files, folders: ["asset.1"])
        == .local("/out/asset.1"))
  }

  /// CDK 1 has parameters for the bucket and the key of each asset.
  @Test func anAssetOfAnOlderVersionIsFoundByItsParameter() throws {
    let head = """
      Parameters: { AssetParametersK1S3BucketA: { Type: String }, AssetParametersK1S3VersionKeyB: { Type: String } }
      """
    let key = "!Select [0, !Split ['||', !Ref AssetParametersK1S3VersionKeyB]]"
    let code =
      "{ S3Bucket: !Ref AssetParametersK1S3BucketA, S3Key: !Join ['', [\(key), \(key)]] }"
    let manifest = """
      {"artifacts":{"S":{"type":"aws:cloudformation:stack","metadata":{"/S":[{"type":"aws:cdk:asset","data":{
      "path":"asset.1","s3BucketParameter":"AssetParametersK1S3BucketA","s3KeyParameter":"AssetParametersK1S3VersionKeyB"
      }}]}}}}
      """
    #expect(
      try Self.place(code, head: head, files: ["manifest.json": manifest], folders: ["asset.1"])
        == .local("/out/asset.1"))
  }

  @Test(
    arguments: [
      ("serverless/app/dev/1700-2023/app.zip", "", ["app.zip"], .local("/out/app.zip")),
      ("serverless/app/dev/1700-2023/app.zip", "", ["../serverless.yml", ".."], .local("/out/..")),
      ("serverless/app/dev/1700-2023/app.zip", "", ["../serverless.ts", ".."], .local("/out/..")),
      (
        "serverless/app/dev/1700-2023/app.zip", "", [".."],
        .elsewhere("s3://b/serverless/app/dev/1700-2023/app.zip")
      ),
      ("own/app.zip", "ServerlessDeploymentBucket", ["app.zip"], .local("/out/app.zip")),
      // An archive of the same name beside any other template is not its code.
      ("own/app.zip", "Bucket", ["app.zip"], .elsewhere("s3://b/own/app.zip")),
      ("serverless/../../etc.d", "", ["etc.d"], .elsewhere("s3://b/serverless/../../etc.d")),
    ] as [(String, String, [String], FunctionCode.Place)])
  func codeOfTheServerlessFrameworkIsFound(
    _ key: String, _ bucket: String, _ found: [String], _ place: FunctionCode.Place
  ) throws {
    #expect(
      try Self.place(
        "{ S3Bucket: b, S3Key: \(key) }",
        more: bucket.isEmpty ? "" : "  \(bucket): { Type: AWS::S3::Bucket }", files: [:], folders: Set(found))
        == place)
  }

  @Test func aLayerOfCDKIsFound() throws {
    let resources = """
        L: { Type: AWS::Lambda::LayerVersion, Metadata: { \(Self.metadata("asset.1", "Content")) }, Properties: { Content: \(Self.code) } }
        F: { Type: AWS::Lambda::Function, Properties: { Handler: a.b, Code: { ZipFile: x }, Layers: [!Ref L] } }
      """
    let template = try GatewayTemplate(
      parsing: BuiltFiles.template(resources), files: BuiltFiles.files([:], folders: ["asset.1"]))
    #expect(template.functions["F"]?.package.layers == [.local("/out/asset.1")])
  }

  /// The document of an API may be an asset too. One that is not read closes the API.
  @Test(arguments: [("asset.yaml", nil), ("none.yaml", "its asset none.yaml is not used: it does not exist")])
  func anOpenAPIDocumentIsFound(_ path: String, _ reason: String?) throws {
    let text = """
      Resources:
        Api:
          Type: AWS::ApiGateway::RestApi
          Metadata: { \(Self.metadata(path, "BodyS3Location")) }
          Properties: { Name: a, BodyS3Location: { Bucket: b, Key: k } }
        Deployment: { Type: AWS::ApiGateway::Deployment, Properties: { RestApiId: !Ref Api, StageName: prod } }
      """
    let document =
      "openapi: 3.0.1\npaths: { /a: { get: { x-amazon-apigateway-integration: { type: mock } } } }"
    let files = BuiltFiles.files(["asset.yaml": document])
    if let reason {
      let error = try #require(throws: TemplateError.self) {
        try GatewayTemplate(parsing: text, files: files)
      }
      #expect(error.findings.map(\.problem) == [reason])
    } else {
      let template = try GatewayTemplate(parsing: text, files: files)
      #expect(template.apis.flatMap(\.routes).map(\.key) == ["GET /a"])
    }
  }

  /// What CDK adds to a template affects no request.
  @Test func partsOfEachTemplateOfCDKAreRead() throws {
    let head = """
      Parameters:
        BootstrapVersion: { Type: AWS::SSM::Parameter::Value<String>, Default: /cdk-bootstrap/hnb659fds/version }
      Rules: { CheckBootstrapVersion: { Assertions: [{ Assert: !Not [!Contains [["1"], !Ref BootstrapVersion]] }] } }
      Conditions: { CDKMetadataAvailable: !Or [!Equals [!Ref AWS::Region, us-east-1], !Equals [!Ref AWS::Region, a]] }
      """
    let template = try GatewayTemplate(
      parsing: BuiltFiles.template(
        "  Meta: { Type: AWS::CDK::Metadata, Condition: CDKMetadataAvailable, Properties: { Analytics: a } }",
        head: head))
    #expect(template.closures.isEmpty && template.skippedResources == ["AWS::CDK::Metadata": 1])
  }

  /// The Serverless Framework removes an earlier resource policy with an empty one.
  @Test func anEmptyPolicyIsNone() throws {
    let template = try GatewayTemplate(
      parsing: BuiltFiles.template("").replacing("{ Name: a }", with: "{ Name: a, Policy: '' }"))
    #expect(template.apis.first?.access.resourcePolicy == nil && template.closures.isEmpty)
  }
}
