internal import DeploymentChecks
internal import ArgumentParser

struct DoctorCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Finds problems of a deployment, and prints how to fix them.",
    discussion: """
      Takes a package (a ZIP file, or the folder that is deployed), a SAM template, or both, which it compares. \
      Starts no process and fetches nothing. docs/doctor.md lists the codes that it prints.

      The first lines name the configuration that was read: that of the package, or with a template alone the one \
      that sam build would pack. serve may read another file.

      Examples:
        authorizer-local doctor
        authorizer-local doctor dist/authorizer-x86_64.zip
        authorizer-local doctor dist/authorizer-x86_64.zip --template template/template.yaml
        authorizer-local doctor --template app.yaml --parameter Issuer=apple --parameter Audience=com.example.app
        authorizer-local doctor --accept cacheExpectedOff --json .aws-sam/build/AuthorizerFunction

      Exit codes: 0 no errors or warnings, 1 errors or warnings, 64 usage error.
      """)

  @Argument(help: "A package: a ZIP file, or the folder that is deployed.", completion: .file())
  var package: String?

  @Option(
    help: ArgumentHelp(
      "SAM template. Default: without a package, the template that serve takes.", valueName: "file"),
    completion: .file())
  var template: String?

  @OptionGroup var values: TemplateArguments

  @Option(
    help: ArgumentHelp(
      "The configuration deployed with a template. Default: the file that sam build would pack.",
      valueName: "file"), completion: .file())
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Accepts a warning: it is shown, but does not fail the check. Repeatable.", valueName: "code"))
  var accept: [String] = []

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  /// Returns the warnings that do not fail the check.
  func accepted() throws(CommandFailure) -> Set<DeploymentFinding.Code> {
    var accepted: Set<DeploymentFinding.Code> = []
    for text in accept {
      guard let code = DeploymentFinding.Code(rawValue: text) else {
        throw CommandFailure(options: "--accept: there is no finding \(text)")
      }
      if code.severity == .error {
        throw CommandFailure(options: "--accept: \(text) is an error; only warnings can be accepted")
      }
      accepted.insert(code)
    }
    return accepted
  }

  func run(on machine: Machine) throws {
    let accepted = try accepted()
    let examination = try DoctorExamination(
      package: package, template: template, try values.values(), config: config, on: machine)
    try DoctorReport(findings: examination.findings, accepted: accepted, facts: examination.facts)
      .show(on: machine.terminal, isJSON: json)
  }
}
