internal import Mapping
package import Text

/// A Lambda authorizer of the template.
package struct GatewayAuthorizer: Equatable, Sendable {
  /// The name in the template, unique within the API.
  package let name: String
  /// The name of the function's resource.
  package let function: String
  /// The kind of its event and answer.
  package let form: Form
  /// The TTL of the cache in seconds; 0 disables it. An authorizer with a TTL over 0 has an identity source.
  package let timeToLiveSeconds: Int

  package init(name: String, function: String, form: Form, timeToLiveSeconds: Int) {
    self.name = name
    self.function = function
    self.form = form
    self.timeToLiveSeconds = timeToLiveSeconds
  }

  /// The kind of event, with its settings.
  package enum Form: Equatable, Sendable {
    /// REST API, TOKEN: one header, and the expression that it must match before the authorizer is invoked.
    case token(header: String, ValidationExpression?)
    /// REST API, REQUEST.
    case restRequest([IdentitySource])
    /// HTTP API, payload format 1.0.
    case http1([IdentitySource])
    /// HTTP API, payload format 2.0, with or without simple answers.
    case http2([IdentitySource], simpleAnswers: Bool)
    /// WebSocket API, `$connect`.
    case webSocket([IdentitySource])
  }

  /// The maximum TTL in seconds ("Amazon API Gateway quotas").
  package static let maximumTimeToLiveSeconds = 3600

  /// The identity sources. If one is missing, the authorizer is not invoked; their values are the cache key.
  package var identitySources: [IdentitySource] {
    switch form {
    case .token(let header, _): [.header(header)]
    case .restRequest(let sources), .http1(let sources), .http2(let sources, _), .webSocket(let sources):
      sources
    }
  }

  /// How long its answers are cached, for people.
  var cacheText: String {
    timeToLiveSeconds == 0 ? "not cached" : "cached for \(timeToLiveSeconds) s"
  }

  package var eventKind: EventKind {
    switch form {
    case .token: .restToken
    case .restRequest: .restRequest
    case .http1: .http1
    case .http2: .http2
    case .webSocket: .webSocket
    }
  }

  /// How long API Gateway waits for the answer, in milliseconds.
  package var timeoutMilliseconds: Int {
    switch form {
    case .http1, .http2: GatewayQuota.httpAuthorizerMilliseconds
    case .token, .restRequest, .webSocket: GatewayQuota.restIntegrationMilliseconds
    }
  }
}

/// The five events that API Gateway sends to a Lambda authorizer.
package enum EventKind: String, CaseIterable, Sendable {
  /// REST API, TOKEN authorizer.
  case restToken
  /// REST API, REQUEST authorizer.
  case restRequest
  /// HTTP API, payload format 1.0.
  case http1
  /// HTTP API, payload format 2.0.
  case http2
  /// WebSocket API, `$connect`.
  case webSocket
}

/// A part of the request that identifies the caller.
package enum IdentitySource: Equatable, Sendable {
  case header(String)
  /// A query parameter, by its exact name.
  case query(String)
  case stageVariable(String)
  /// A `$context` variable of `ContextVariables.names`, without the prefix.
  case context(String)

  /// The text for messages.
  package var description: String {
    switch self {
    case .header(let name): "header \(name)"
    case .query(let name): "query parameter \(name)"
    case .stageVariable(let name): "stage variable \(name)"
    case .context(let name): "context variable \(name)"
    }
  }
}
