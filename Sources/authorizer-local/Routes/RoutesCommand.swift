internal import Templates
internal import ArgumentParser

struct RoutesCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "routes",
    abstract: "Shows what serve reads in a template: each route, who may call it, and what answers.",
    discussion: """
      serve answers 501 on a route whose authorization it does not emulate. Each such part is shown with its line \
      and what to do. The command starts no process.

      Examples:
        authorizer-local routes
        authorizer-local routes --template app.yaml --parameter Stage=dev
        authorizer-local routes --template app.yaml --json

      Exit codes: 0 at least one API is served, 64 the template is refused.
      """)

  @Option(
    help: ArgumentHelp(
      "SAM or CloudFormation template. Default: template/template.yaml or template.yaml in this folder, else the nearest above.",
      valueName: "file"), completion: .file())
  var template: String?

  @OptionGroup var values: TemplateArguments

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  func run(on machine: Machine) throws {
    let values = try values.values()
    guard let path = template ?? machine.files.nearestTemplate else {
      throw CommandFailure(
        .usage, "no template found", hint: "give --template FILE, or write a project with init")
    }
    let reading = try ParsedTemplate(at: path, values, on: machine).gateway(at: path, for: "routes")
    let list = RouteList(template: reading, file: path)
    machine.terminal.answer(json ? list.json : list.text)
  }
}
