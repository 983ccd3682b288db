/// The cache key of the API for the authorizer's answers.
enum GatewayCache: String, CaseIterable, Sendable { case token, tokenAndRoute, off }
