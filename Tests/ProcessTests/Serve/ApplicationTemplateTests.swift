import Foundation
import TestSupport
import Testing

/// `authorizer-local doctor` on `template/sar.yaml`, which has an authorizer and no API.
@Suite(.hangLimit) struct ApplicationTemplateTests {
  typealias Doctor = DoctorCommandTests

  static func shipped() throws -> String {
    try Checkout.text("template/sar.yaml")
  }

  static let issuer = #""issuers":[{"preset":"apple","audiences":["a"]}]"#
  static let rules = #","default":"deny","rules":[{"routes":["GET /a/*"],"allow":true}]"#

  @Test(
    arguments: [
      (["Issuer=apple", "Audience=com.example.app"], ["noSeed"], 0),
      (["Configuration={\(issuer)}"], ["noSeed"], 0),
      (["Configuration={\(issuer)}", "Issuer=apple"], ["noSeed"], 0),
      (["Configuration={\(issuer)\(rules)}"], ["noSeed"], 0),
      (["Issuer=apple"], ["configurationInvalid"], 1),
      (["Configuration={}"], ["configurationInvalid"], 1),
    ] as [([String], Set<String>, Int32)])
  func examinesTheTemplate(_ parameters: [String], _ codes: Set<String>, _ exit: Int32) async throws {
    let workshop = try Workshop()
    try workshop.write(try Self.shipped(), to: "template/sar.yaml")
    let answer = try await workshop.run(
      ["doctor", "--json", "--template", "template/sar.yaml"] + parameters.flatMap { ["--parameter", $0] })
    #expect(try Doctor.codes(answer) == codes.union(["archiveMissing"]), "\(answer.output)")
    #expect(answer.exit == exit)
  }

  @Test func examinesTheFunctionAndItsRole() async throws {
    let workshop = try Workshop()
    let text = try Self.shipped().replacing("Runtime: provided.al2023", with: "Runtime: provided.al2")
      .replacing("Action: [logs:CreateLogStream, logs:PutLogEvents]", with: "Action: \"*\"")
      .replacing("LogFormat: JSON", with: "LogFormat: Text")
    try workshop.write(text, to: "sar.yaml")
    let answer = try await workshop.run([
      "doctor", "--json", "--parameter", "Issuer=apple", "--parameter", "Audience=a", "--template",
      "sar.yaml",
    ])
    #expect(
      try Doctor.codes(answer) == [
        "archiveMissing", "noSeed", "wrongRuntime", "roleTooWide", "metricFilterUnmatched",
      ],
      "\(answer.output)")
  }

  @Test func comparesTheTemplateWithItsPackage() async throws {
    let workshop = try Workshop()
    try workshop.write(try Self.shipped(), to: "template/sar.yaml")
    let configuration = #"{"issuers":[{"preset":"apple","audiences":["a"]}]}"#
    let package = try Doctor.package([
      "bootstrap": "#!", "fetch-keys": "#!", "authorizer.json": configuration,
    ])
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent("dist"), withIntermediateDirectories: true)
    try Data(package).write(to: workshop.folder.appendingPathComponent("dist/authorizer-x86_64.zip"))
    let answer = try await workshop.run([
      "doctor", "--json", "--parameter", "Configuration=\(configuration)", "--template", "template/sar.yaml",
    ])
    #expect(try Doctor.codes(answer).contains("configurationShadowed"), "\(answer.output)")
  }

  @Test func refusesATemplateWithoutAPIAndAuthorizer() async throws {
    let workshop = try Workshop()
    let text = try Self.shipped().replacing("AuthorizerFunction", with: "Backend")
      .replacing("AUTHORIZER_", with: "OTHER_")
    try workshop.write(text, to: "sar.yaml")
    let answer = try await workshop.run(["doctor", "--template", "sar.yaml"])
    #expect(answer.exit == 1)
    #expect(answer.output.contains("there is no API"), "\(answer.output)")
  }
}
