/// The quotas and defaults of API Gateway and Lambda that more than one part of the emulator needs.
///
/// The source is "Amazon API Gateway quotas and important notes", except where a comment names another one.
package enum GatewayQuota {
  /// The maximum size of the body of a request or a response in bytes: 10 MB, for all kinds of API.
  package static let payloadBytes = 10 << 20

  /// How long a REST or WebSocket API waits for an integration or an authorizer by default, in milliseconds.
  package static let restIntegrationMilliseconds = 29_000

  /// How long an HTTP API waits for an integration at most, in milliseconds.
  package static let httpIntegrationMilliseconds = 30_000

  /// How long an HTTP API waits for an authorizer, in milliseconds ("Control access to HTTP APIs with AWS Lambda
  /// authorizers").
  package static let httpAuthorizerMilliseconds = 10_000

  /// The values of `timeoutInMillis`. AWS answers "Timeout should be between 50 ms and 29000 ms" to others (recorded
  /// by its users); an account's quota can be raised to 300 s (re:Post, "what the maximum default timeout for API
  /// Gateway can be increased to").
  package static let integrationMilliseconds = 50...300_000

  /// The same for a streamed response: 15 minutes at most ("Set up an HTTP proxy integration with payload response
  /// streaming in API Gateway").
  package static let streamMilliseconds = 50...900_000

  /// The bytes at the start of a function's stream that must have the metadata and the delimiter: 16 KB ("Set up a Lambda
  /// proxy integration with payload response streaming in API Gateway").
  package static let streamMetadataBytes = 16 << 10

  /// The TTL of a REST authorizer's answers in seconds without a setting (API Gateway API Reference, "Authorizer").
  package static let restTimeToLiveSeconds = 300
}
