internal import ArgumentParser
internal import Emulator
internal import Foundation
internal import JSON

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Finds problems of a deployment, and prints how to fix them.",
    discussion: """
      Takes a package (a ZIP file, or the folder that is deployed), a SAM template, or both; both are compared with \
      each other. Without a path it takes the template that serve takes. The command starts no process and fetches \
      nothing. Every finding has a stable code; docs/doctor.md \
      lists them.

      The first lines name the configuration that was read. With a package it is the package's own. With a template \
      alone it is the one that sam build would pack: it depends on CodeUri, and serve may read another file.

      Examples:
        authorizer-local doctor
        authorizer-local doctor dist/authorizer-x86_64.zip
        authorizer-local doctor dist/authorizer-x86_64.zip template/template.yaml
        authorizer-local doctor --parameter Issuer=apple --parameter Audience=com.example.app template/template.yaml
        authorizer-local doctor --accept cacheExpectedOff --json .aws-sam/build/AuthorizerFunction

      Exit codes: 0 no errors or warnings, 1 errors or warnings, 64 usage error.
      """)

  @Argument(
    help: ArgumentHelp(
      "A package, a template, or one of each. Default: the template that serve takes.", valueName: "path"))
  var paths: [String] = []

  @Option(help: ArgumentHelp("A value for a parameter of the template.", valueName: "name=value"))
  var parameter: [String] = []

  @Option(
    help: ArgumentHelp(
      "The configuration that is deployed with a template. Default: the file that sam build would pack.",
      valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Accepts a warning: it is still shown, but no longer fails the check. Repeatable.", valueName: "code"))
  var accept: [String] = []

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  func validate() throws {
    for text in parameter where !text.dropFirst().contains("=") {
      throw ValidationError("--parameter needs NAME=VALUE, found \(text)")
    }
    for text in accept {
      guard let code = DeploymentFinding.Code(rawValue: text) else {
        throw ValidationError("--accept: there is no finding \(text)")
      }
      if code.severity == .error {
        throw ValidationError("--accept: \(text) is an error; only warnings can be accepted")
      }
    }
  }

  func run() throws {
    let examination = try DoctorExamination(self)
    let report = DoctorReport(
      findings: examination.findings, accepted: Set(accept), facts: examination.facts)
    if json {
      Terminal.answer(json: report.json)
    } else {
      report.lines.forEach { Terminal.answer($0) }
    }
    if !report.isSound { throw CommandExit.unmet.exit }
  }

  /// Returns the given paths, or the nearest template.
  func examinedPaths() throws(CommandFailure) -> [String] {
    guard paths.isEmpty else { return paths }
    if let template = ServeCommand.nearestTemplate() { return [template] }
    throw CommandFailure(
      .usage, "no template found",
      hint: "name a package or a template, such as dist/authorizer-x86_64.zip")
  }

  var parameters: [String: String] {
    var pairs: [String: String] = [:]
    for text in parameter {
      guard let sign = text.dropFirst().firstIndex(of: "=") else { continue }
      pairs[String(text[..<sign])] = String(text[text.index(after: sign)...])
    }
    return pairs
  }
}

/// The output of `doctor`.
struct DoctorReport {
  let findings: [DeploymentFinding]
  /// Codes of accepted warnings.
  let accepted: Set<String>
  let facts: [(name: String, value: String)]

  /// Whether there are no errors and no warnings, apart from accepted ones.
  var isSound: Bool { findings.allSatisfy { $0.severity == .note || isAccepted($0) } }

  private func isAccepted(_ finding: DeploymentFinding) -> Bool { accepted.contains(finding.code.rawValue) }

  /// The text output, errors first.
  var lines: [StyledText] {
    var lines = facts.map { StyledText(Printable.text("\($0.name): \($0.value)")) }
    for severity in [DeploymentFinding.Severity.error, .warning, .note] {
      for finding in findings where finding.severity == severity && !isAccepted(finding) {
        let style: Terminal.Style = severity == .error ? .red : severity == .warning ? .yellow : .dim
        // Escaped, because names may come from an untrusted archive.
        let what = Printable.text("\(finding.place): \(finding.problem)")
        lines.append("\(severity.rawValue, style) \(finding.code.rawValue): \(what)")
        if severity != .note { lines.append("  cure: \(Printable.text(finding.cure))") }
      }
    }
    for finding in findings where isAccepted(finding) {
      let what = Printable.text("\(finding.place): \(finding.problem)")
      lines.append("\("accepted", .dim) \(finding.code.rawValue): \(what)")
    }
    let errors = findings.count { $0.severity == .error }
    let warnings = findings.count { $0.severity == .warning && !isAccepted($0) }
    lines.append(StyledText("errors: \(String(errors)), warnings: \(String(warnings))"))
    return lines
  }

  /// The JSON output.
  var json: [UInt8] {
    JSONTree.object([
      .init(name: "sound", value: .boolean(isSound)),
      .init(
        name: "facts",
        value: .array(
          facts.map { fact in
            .object([
              .init(name: "name", value: .string(fact.name)),
              .init(name: "value", value: .string(fact.value)),
            ])
          })),
      .init(
        name: "findings",
        value: .array(
          findings.map { finding in
            .object([
              .init(name: "code", value: .string(finding.code.rawValue)),
              .init(name: "severity", value: .string(finding.severity.rawValue)),
              .init(name: "accepted", value: .boolean(isAccepted(finding))),
              .init(name: "place", value: .string(finding.place)),
              .init(name: "problem", value: .string(finding.problem)),
              .init(name: "cure", value: .string(finding.cure)),
            ])
          })),
    ]).bytes(indentedBy: 2)
  }
}
