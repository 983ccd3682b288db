extension Answer {
  /// `errorMessage` of a 401: capital U, nothing before or after. API Gateway turns any other text into a 500 (API
  /// Gateway, "Use API Gateway Lambda authorizers").
  package static let unauthorizedMessage = "Unauthorized"
}
