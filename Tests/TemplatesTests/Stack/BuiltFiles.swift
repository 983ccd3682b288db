@testable import Templates

/// What a tool has built in the folder `/out` of a template.
enum BuiltFiles {
  /// Returns the files with these texts, and these folders.
  static func files(_ texts: [String: String], folders: Set<String> = []) -> TemplateFiles {
    TemplateFiles { location, limit in
      guard let text = texts[location] else { return .failure(.missing) }
      return text.utf8.count <= limit ? .success(text) : .failure(.init("it is too large"))
    } finding: { location in
      if texts[location] != nil || folders.contains(location) { return .success("/out/" + location) }
      return .failure(location.hasPrefix("../") ? .init("it is outside of /out") : .missing)
    }
  }

  /// The manifests of an assembly, in which each path has a key.
  static func manifests(_ paths: [String: String]) -> [String: String] {
    let files = paths.map { key, path in
      #""\#(key)":{"source":{"path":"\#(path)"},"destinations":{"here":{"objectKey":"\#(key)"}}}"#
    }
    return [
      "manifest.json":
        #"{"artifacts":{"S.assets":{"type":"cdk:asset-manifest","properties":{"file":"S.assets.json"}}}}"#,
      "S.assets.json": #"{"files":{\#(files.joined(separator: ","))}}"#,
    ]
  }

  /// A REST API whose only method is open, in a template with these resources too.
  static func template(_ resources: String, head: String = "") -> String {
    """
    \(head)
    Resources:
      Back:
        Type: AWS::Lambda::Function
        Properties: { Runtime: nodejs22.x, Handler: index.handler, Code: { ZipFile: x } }
      Api: { Type: AWS::ApiGateway::RestApi, Properties: { Name: a } }
      Proxy:
        Type: AWS::ApiGateway::Resource
        Properties: { RestApiId: !Ref Api, ParentId: !GetAtt Api.RootResourceId, PathPart: "{proxy+}" }
      Any:
        Type: AWS::ApiGateway::Method
        Properties: { RestApiId: !Ref Api, ResourceId: !Ref Proxy, HttpMethod: ANY, Integration: { Type: MOCK } }
      Deployment: { Type: AWS::ApiGateway::Deployment, Properties: { RestApiId: !Ref Api, StageName: prod } }
    \(resources)
    """
  }
}
