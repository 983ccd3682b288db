internal import ArgumentParser
internal import Emulator

struct RoutesCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "routes",
    abstract: "Shows what serve reads in a template: each route, who may call it, and what answers.",
    discussion: """
      A route whose guard serve does not emulate is closed: serve answers it with 501. Each closed part is shown with \
      its line and a remedy. The command starts no process.

      Examples:
        authorizer-local routes
        authorizer-local routes --template app.yaml --parameter Stage=dev
        authorizer-local routes --template app.yaml --json

      Exit codes: 0 at least one API is served, 64 the template is refused.
      """)

  @Option(
    help:
      "SAM or CloudFormation template. Default: template/template.yaml or template.yaml in this folder, else in the nearest one above."
  )
  var template: String?

  @OptionGroup var values: TemplateArguments

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  func run(on machine: Machine) throws {
    let parameters = try values.parameters()
    guard let path = template ?? machine.files.nearestTemplate else {
      throw CommandFailure(
        .usage, "no template found", hint: "give --template FILE, or write a project with init")
    }
    let bytes = try machine.files.bytes(at: path, limit: TemplateFiles.maximumBytes)
    let reading: GatewayTemplate
    do throws(TemplateError) {
      reading = try GatewayTemplate(
        parsing: String(decoding: bytes, as: UTF8.self), parameters: parameters, region: values.region,
        files: .beside(path, includeRoot: values.includeRoot, on: machine))
    } catch {
      throw CommandFailure(
        .usage, error.lines(in: path).map { Printable.text($0) }.joined(separator: "\n"),
        hint: error.hint(
          "routes", in: path, otherwise: "serve supports no API of this template; correct the lines above"))
    }
    let list = RouteList(reading, file: path)
    machine.terminal.answer(json ? list.json : list.text)
  }
}
