internal import ArgumentParser
internal import Emulator
internal import JSON

struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Says what an IAM policy decides about a call, and which statement decided.",
    discussion: """
      POLICY is a policy document or an authorizer's whole answer; - reads standard input. What cannot be evaluated \
      (Condition, policy variables) is refused, never passed over.

      Example:
        authorizer-local evaluate policy.json --arn arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets

      Exit codes: 0 allowed, 1 not allowed, 64 the policy cannot be evaluated.
      """)

  @Argument(help: "File with the policy, or - for standard input.")
  var policy: String

  @Option(help: "The method or route asked for: arn:aws:execute-api:REGION:ACCOUNT:API/STAGE/VERB/PATH.")
  var arn: String

  @Option(help: "The action asked for.")
  var action = PolicyEvaluator.invoke

  @Flag(help: "Answers in JSON.")
  var json = false

  func run() throws {
    let root: JSONValue
    let document: PolicyDocument
    do {
      root = try JSONDocument(parsing: try FileSystem.bytes(at: policy), limits: .event).root
      document = try PolicyDocument(root["policyDocument"] ?? root)
    } catch let error as JSONError {
      throw CommandFailure(.usage, "\(policy) is not JSON: \(error.description)")
    } catch let error as PolicyError {
      throw CommandFailure(
        .usage, "the policy cannot be evaluated: \(error.description)",
        hint: "API Gateway or this evaluator would not know what it means")
    }
    let decision = PolicyEvaluator(document).decision(for: arn, action: action)
    if json {
      Terminal.answer(Self.json(decision))
    } else {
      Terminal.answer(decision.description)
      if let index = Self.statement(decision), let text = Self.source(of: index, in: root) {
        Terminal.answer(text)
      }
    }
    if !decision.isAllowed { throw CommandExit.unmet.exit }
  }

  private static func statement(_ decision: PolicyEvaluator.Decision) -> Int? {
    switch decision {
    case .allowed(let index), .explicitlyDenied(let index): index
    case .implicitlyDenied: nil
    }
  }

  private static func source(of index: Int, in root: JSONValue) -> String? {
    guard let list = (root["policyDocument"] ?? root)["Statement"] else { return nil }
    let statements = list.kind == .array ? Array(list.elements) : [list]
    guard statements.indices.contains(index) else { return nil }
    return String(decoding: JSONTree(statements[index]).bytes(indentedBy: 2), as: UTF8.self)
  }

  private static func json(_ decision: PolicyEvaluator.Decision) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("allowed")
    writer.boolean(decision.isAllowed)
    writer.name("decision")
    switch decision {
    case .allowed: writer.string("allowed")
    case .explicitlyDenied: writer.string("explicitlyDenied")
    case .implicitlyDenied: writer.string("implicitlyDenied")
    }
    if let index = statement(decision) {
      writer.name("statement")
      writer.integer(Int64(index))
    }
    writer.endObject()
    return writer.bytes
  }
}
