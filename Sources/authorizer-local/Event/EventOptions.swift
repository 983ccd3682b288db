internal import GatewayModel

/// What `event` is told on the command line about a request.
struct EventOptions: Sendable {
  var url: String
  var kind = EventKind.http2
  var method = "GET"
  var headers: [EventRequest.Field] = []
  /// Cookies as NAME=VALUE.
  var cookies: [String] = []
  /// The name of the token that a proof is sent for; `nil` for no proof.
  var proofToken: String?
  /// The stage; `nil` for the first part of the path.
  var stage: String?
  /// The API ID; `nil` for that of the host.
  var api: String?
  /// The region; `nil` for that of the host.
  var region: String?
  var account = "123456789012"
  /// The path of the route; `nil` for that of the request.
  var resource: String?
  var sourceIP = "203.0.113.24"
}
