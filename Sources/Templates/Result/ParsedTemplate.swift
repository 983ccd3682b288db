internal import Text
internal import GatewayModel

/// A template that is read once: for its requests, and for inspections, which do not need a completely supported one.
package struct ParsedTemplate {
  /// What affects requests; the findings of a template that is refused.
  package let gateway: Result<GatewayTemplate, TemplateError>
  private let document: TemplateDocument
  private let place: AWSLocation

  /// Reads a template.
  ///
  /// - Parameters:
  ///   - text: YAML or JSON.
  ///   - parameters: values of the template's parameters; the others use their defaults.
  ///   - region: `AWS::Region`.
  ///   - account: `AWS::AccountId`.
  ///   - files: the files beside the template.
  ///   - acceptsNoAPI: whether the template may have only an authorizer, whose APIs are elsewhere.
  package init(
    _ text: String, parameters: [String: String] = [:], region: String = "us-east-1",
    account: String = "123456789012", files: TemplateFiles = .none, acceptsNoAPI: Bool = false
  ) {
    var place = AWSLocation()
    place.region = region
    place.account = account
    if region.hasBytePrefix("cn-") { place.partition = "aws-cn" }
    if region.hasBytePrefix("us-gov-") { place.partition = "aws-us-gov" }
    self.place = place
    let report = Diagnostics()
    var stacks = NestedStacks(
      TemplateDocument(text, parameters: parameters, files: files, report), place)
    stacks.merge(report)
    let document = stacks.document
    self.document = document
    gateway = Result { () throws(TemplateError) in
      try GatewayTemplate(document, place, acceptsNoAPI: acceptsNoAPI, report)
    }
  }

  /// All readable resources, also of a template that is refused.
  package var survey: LenientTemplate { LenientTemplate(document, place) }
}
