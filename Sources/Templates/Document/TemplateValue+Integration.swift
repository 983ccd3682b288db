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
    return plain.replacing("responses", by: \.responsesByPattern)
  }

  /// The properties of an `AWS::ApiGatewayV2::Integration` with the names of OpenAPI.
  var withVersion2Names: TemplateValue {
    let plain = renamed([
      "IntegrationType": "type", "IntegrationUri": "uri", "IntegrationMethod": "httpMethod",
      "IntegrationSubtype": "integrationSubtype", "CredentialsArn": "credentials",
      "Description": "description", "RequestParameters": "requestParameters",
      "ResponseParameters": "responseParameters", "PassthroughBehavior": "passthroughBehavior",
      "ContentHandlingStrategy": "contentHandling", "TimeoutInMillis": "timeoutInMillis",
      "ConnectionType": "connectionType", "ConnectionId": "connectionId", "TlsConfig": "tlsConfig",
      "PayloadFormatVersion": "payloadFormatVersion", "RequestTemplates": "requestTemplates",
      "TemplateSelectionExpression": "templateSelectionExpression",
    ])
    return plain.replacing("responseParameters", by: \.responseChanges)
  }

  /// Returns the map with another value of a member.
  private func replacing(_ name: String, by change: (TemplateValue) -> TemplateValue) -> TemplateValue {
    mapMembers { Member(name: $0.name, value: $0.name == name ? change($0.value) : $0.value) }
  }

  /// `{"500": {ResponseParameters: [{Destination, Source}]}}` as `{"500": {DESTINATION: SOURCE}}`.
  private var responseChanges: TemplateValue {
    mapMembers { status in
      guard let list = status.value["ResponseParameters"]?.list else { return status }
      let changes = list.map { change in
        // A change without a destination is refused as what it is: no mapping.
        Member(name: change["Destination"]?.text ?? "", value: change["Source"] ?? change)
      }
      return Member(name: status.name, value: TemplateValue(line: status.value.line, content: .map(changes)))
    }
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
