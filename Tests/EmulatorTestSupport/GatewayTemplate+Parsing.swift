@testable import Templates

extension GatewayTemplate {
  /// Reads a template, with the parameters of `ParsedTemplate`.
  ///
  /// - Throws: `TemplateError` with every finding.
  init(
    parsing text: String, parameters: [String: String] = [:], region: String = "us-east-1",
    account: String = "123456789012", files: TemplateFiles = .none, acceptsNoAPI: Bool = false
  ) throws(TemplateError) {
    self = try ParsedTemplate(
      text, parameters: parameters, region: region, account: account, files: files, acceptsNoAPI: acceptsNoAPI
    ).gateway.get()
  }
}
