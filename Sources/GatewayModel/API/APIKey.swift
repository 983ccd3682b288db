internal import Text

/// Where the API key of a request is ("Choose an API key source in API Gateway").
package enum APIKeySource: String, CaseIterable, Sendable {
  /// The header `x-api-key`.
  case header = "HEADER"
  /// `usageIdentifierKey` of the authorizer's answer.
  case authorizer = "AUTHORIZER"
}

/// An `AWS::ApiGateway::ApiKey`.
package struct APIKey: Equatable, Sendable {
  /// The name of its resource.
  package let name: String
  /// The value that clients send; `nil` if only AWS knows it.
  package var value: String?
  /// Whether it may be used.
  package let isEnabled: Bool

  /// The length of a value in bytes ("API key file format": the key column).
  package static let valueBytes = 20...128

  package init(name: String, value: String?, isEnabled: Bool) {
    self.name = name
    self.value = value
    self.isEnabled = isEnabled
  }

  /// Its ID in events.
  package var identifier: String { StableIdentifier.text(of: name) }
}
