extension TemplateValue {
  /// The integration of an `AWS::ApiGateway::Method` with the names of OpenAPI.
  var withOpenAPINames: TemplateValue {
    let plain = renamed([
      "Type": "type", "Uri": "uri", "IntegrationHttpMethod": "httpMethod", "Credentials": "credentials",
      "RequestParameters": "requestParameters", "RequestTemplates": "requestTemplates",
      "PassthroughBehavior": "passthroughBehavior", "ContentHandling": "contentHandling",
      "TimeoutInMillis": "timeoutInMillis", "ConnectionType": "connectionType",
      "ConnectionId": "connectionId",
      "CacheNamespace": "cacheNamespace", "CacheKeyParameters": "cacheKeyParameters",
      "IntegrationResponses": "responses", "ResponseTransferMode": "responseTransferMode",
    ])
    guard let members = plain.members else { return plain }
    return TemplateValue(
      line: line,
      content: .map(
        members.map {
          $0.name == "responses" ? Member(name: $0.name, value: $0.value.responsesByPattern) : $0
        }))
  }

  /// A list of integration responses as the map of OpenAPI: by `SelectionPattern`, or `default`.
  private var responsesByPattern: TemplateValue {
    guard let list else { return self }
    return TemplateValue(
      line: line,
      content: .map(
        list.map { response in
          let pattern = response["SelectionPattern"]?.text.flatMap { $0.isEmpty ? nil : $0 } ?? "default"
          let rest = (response.members ?? []).filter { $0.name != "SelectionPattern" }
          let plain = TemplateValue(line: response.line, content: .map(rest)).renamed([
            "StatusCode": "statusCode", "ResponseParameters": "responseParameters",
            "ResponseTemplates": "responseTemplates", "ContentHandling": "contentHandling",
          ])
          return Member(name: pattern, value: response.members == nil ? response : plain)
        }))
  }
}
