/// A reader for the resource policies of REST APIs.
struct ResourcePolicyReader {
  private let reader: TemplateReader
  private let report: TemplateReport

  /// - Parameter report: the report about the API.
  init(_ reader: TemplateReader, _ report: TemplateReport) {
    self.reader = reader
    self.report = report
  }

  /// Returns the policy; `nil` without one, or with a finding that closes the API.
  func document(_ value: TemplateValue?, of identifier: String, at path: String) -> PolicyDocument? {
    guard let value else { return nil }
    report.refuse(value, path, "a resource policy is not emulated", cure: "remove it in a local copy")
    return nil
  }
}
