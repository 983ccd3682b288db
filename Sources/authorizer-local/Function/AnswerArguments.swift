internal import AuthorizerContract
internal import GatewayModel
internal import Templates
internal import ArgumentParser

/// The settings of the API by which an answer is interpreted.
struct AnswerArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "SAM or CloudFormation template of the API, for EnableSimpleResponses of its authorizers.",
      valueName: "file"), completion: .file())
  var template: String?

  @Flag(
    inversion: .prefixedNo,
    help:
      "EnableSimpleResponses of the API is true, with --no- false, for events of kind http2. Default: both forms of answers are accepted."
  )
  var simpleResponses: Bool?

  func options(
    _ values: TemplateArguments, _ assumed: AssumptionArguments
  ) throws(CommandFailure) -> AnswerOptions {
    if template != nil, simpleResponses != nil {
      throw CommandFailure(options: "give --template or --simple-responses, not both")
    }
    let values = try values.values()
    if template == nil, !values.parameters.isEmpty {
      throw CommandFailure(options: "--parameter needs --template")
    }
    return AnswerOptions(
      template: template, values: values,
      rules: AnswerRules(takesSimpleAnswers: simpleResponses, assumptions: try assumed.behaviors()))
  }
}

/// The choice of behaviors that AWS does not document.
struct AssumptionArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Selects a behavior that AWS does not document; serve --assumptions prints all. Repeatable.",
      valueName: "name=value"))
  var assume: [String] = []

  func behaviors() throws(CommandFailure) -> Assumptions {
    var behaviors = Assumptions()
    for text in assume {
      if let problem = behaviors.assume(text) { throw CommandFailure(options: problem) }
    }
    return behaviors
  }
}

/// What answers are interpreted by.
struct AnswerOptions: Sendable {
  /// The template whose authorizers say whether they take simple answers.
  var template: String?
  var values = TemplateValues()
  var rules = AnswerRules()

  /// Returns the rules, with the setting of the template.
  func rules(on machine: Machine) throws(CommandFailure) -> AnswerRules {
    guard let template else { return rules }
    let authorizers = try apis(on: machine).flatMap(\.routes).compactMap(\.authorizer)
    var names: [Bool: String] = [:]
    for case (let name, .http2(_, let isSimple)) in authorizers.map({ ($0.name, $0.form) }) {
      names[isSimple] = name
    }
    if let simple = names[true], let other = names[false] {
      throw CommandFailure(
        .usage, "\(template): EnableSimpleResponses is true for \(simple) and false for \(other)",
        hint: "give --simple-responses or --no-simple-responses instead of --template")
    }
    var rules = rules
    rules.takesSimpleAnswers = names.keys.first
    return rules
  }

  /// Returns the APIs of the template; none without one.
  func apis(on machine: Machine) throws(CommandFailure) -> [GatewayAPI] {
    guard let template else { return [] }
    return try ParsedTemplate(at: template, values, on: machine).gateway(at: template, for: "routes").apis
  }
}
