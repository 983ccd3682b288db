/// One route with an authorizer, for the status of each answer.
enum StatusTemplates {
  static let rest = TemplateSamples.rest(auth: TemplateSamples.tokenAuth)

  static func http(_ more: String = "") -> String {
    TemplateSamples.http(
      auth: TemplateSamples.requestAuth(
        "            AuthorizerPayloadFormatVersion: '2.0'\n            Identity: { Headers: [Authorization] }\n"
          + more))
  }
}
