internal import Text
internal import JSON

/// The `$context` variables of one exchange ("Variables for data transformations for API Gateway").
package struct ContextVariables: Sendable {
  /// The known names for all kinds of APIs. `authorizer.…` is also known, and `error.…` in gateway responses.
  package static let names: Set<String> = [
    "accountId", "apiId", "awsEndpointRequestId", "connectedAt", "connectionId", "deploymentId", "domainName",
    "domainPrefix", "eventType", "extendedRequestId", "httpMethod", "isCanaryRequest", "messageDirection",
    "messageId", "path", "protocol", "requestId", "requestTime", "requestTimeEpoch", "resourceId",
    "resourcePath",
    "routeKey", "stage", "wafResponseCode", "webaclArn", "xrayTraceId", "identity.accessKey",
    "identity.accountId", "identity.apiKey", "identity.apiKeyId", "identity.caller",
    "identity.cognitoAuthenticationProvider", "identity.cognitoAuthenticationType",
    "identity.cognitoIdentityId", "identity.clientCert.clientCertPem", "identity.clientCert.issuerDN",
    "identity.clientCert.serialNumber", "identity.clientCert.subjectDN",
    "identity.clientCert.validity.notAfter", "identity.clientCert.validity.notBefore",
    "identity.cognitoIdentityPoolId", "identity.principalOrgId", "identity.sourceIp", "identity.user",
    "identity.userAgent", "identity.userArn", "identity.vpcId", "identity.vpceId",
  ]
  /// The last one has a value only where a model refuses a body, which is not emulated.
  static let errorNames: Set<String> = [
    "error.message", "error.messageString", "error.responseType", "error.validationErrorString",
  ]

  package private(set) var values: [String: String]

  package init(_ values: [String: String]) { self.values = values }

  /// Returns the value, or the empty string for a variable without a value, as API Gateway does.
  package subscript(_ name: String) -> String { value(name) ?? "" }

  /// Returns the value, or `nil` for a variable without a value.
  package func value(_ name: String) -> String? { values.value(named: name) }

  package mutating func set(_ name: String, _ value: String) { values[name] = value }

  /// The authorizer's values by name, without the prefix.
  package var authorizerValues: [String: String] {
    let prefix = "authorizer."
    return Dictionary(
      values.compactMap {
        $0.key.hasBytePrefix(prefix) ? (String($0.key.dropFirst(bytes: prefix.utf8.count)), $0.value) : nil
      }
    ) { first, _ in first }
  }

  package static func isKnown(_ name: String, withErrors: Bool) -> Bool {
    names.contains(name) || name.hasBytePrefix("authorizer.") || (withErrors && errorNames.contains(name))
  }
}
