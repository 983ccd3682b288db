@testable import GatewayModel
@testable import EmulatorTestSupport
@testable import Templates
import Foundation
import Testing

@Suite("Dashboards, alarms and saved queries of the templates")
struct MonitoredTemplateTests {
  static let authorizer: Set<String> = ["refusals", "token", "durations", "key-trouble", "unknown-keys"]

  /// The templates with their queries. The tickets of the WebSocket API are signed with a secret, so no key is fetched.
  static let templates: [(name: String, queries: Set<String>)] = [
    ("template", authorizer), ("http-api", authorizer), ("simple-answers", authorizer),
    ("identity", authorizer.union(["sign-ins"])), ("websocket", ["refusals", "token", "durations"]),
  ]

  @Test("every widget and every alarm reads what the template creates", arguments: templates)
  func sound(name: String, queries: Set<String>) throws {
    let template = MonitoredTemplate(try TemplateSamples.deployed(name))
    #expect(template.problems == [])
    #expect(Set(template.queries.keys) == queries)
  }

  @Test("saved queries are those of docs/operations.md", arguments: templates)
  func documented(name: String, queries: Set<String>) throws {
    let documented = try QueryPage().queries
    #expect(Set(documented.keys) == Self.authorizer.union(["sign-ins"]))
    for (query, text) in MonitoredTemplate(try TemplateSamples.deployed(name)).queries {
      #expect(text == documented[query], "\(query)")
    }
  }

  @Test("each template has the alarms that its functions need", arguments: templates)
  func alarms(name: String, queries: Set<String>) throws {
    let survey = ParsedTemplate(try Self.text(of: name)).survey
    let alarms = survey.resources.filter { $0.type == "AWS::CloudWatch::Alarm" }
    func count(_ metric: String) -> Int { alarms.count { $0["MetricName"]?.text == metric } }
    // Not the backend of a starter.
    let functions = survey.resources.count {
      $0.type == "AWS::Serverless::Function" && $0["Handler"]?.text == "bootstrap"
    }
    #expect(count("Throttles") == functions)
    #expect(count("Failures") + count("IdentityFailures") == functions)
    let fetches = queries.contains("key-trouble")
    #expect(count("KeyFetchFailures") == (fetches ? 1 : 0))
    #expect(count("KeysServedPastTheirLife") == (fetches ? 1 : 0))
    let patterns = survey.resources.filter { $0.type == "AWS::Logs::MetricFilter" }.compactMap {
      $0["FilterPattern"]?.text
    }
    for code in ["keyFetchFailed", "keysServedPastTheirLife"] {
      let pattern = #"{ $.message = "\#(code)" }"#
      #expect(patterns.count { $0 == pattern } == (fetches ? functions : 0))
    }
  }

  /// These have no dashboard, which costs something, and the same alarms.
  @Test(
    "templates without a dashboard have the alarms that their functions need",
    arguments: ["init/http", "init/rest", "init/websocket", "init/sign-in", "sar"])
  func alarmsWithoutDashboard(name: String) throws {
    try alarms(name: name, queries: Self.authorizer)
    let problems = MonitoredTemplate(try Self.text(of: name)).alarmProblems
    #expect(problems == [])
  }

  /// The stage of a WebSocket API shows a deployment of its own, which is never made again by itself.
  @Test("changes of a WebSocket API go live", arguments: ["template", "websocket", "init/websocket"])
  func deploysWebSockets(name: String) throws {
    let survey = ParsedTemplate(try Self.text(of: name)).survey
    let stages = survey.resources.filter { $0.type == "AWS::ApiGatewayV2::Stage" }
    #expect(stages.count == 1)
    for stage in stages {
      #expect(stage["AutoDeploy"]?.text == "true" && stage["DeploymentId"] == nil, "\(stage.name)")
    }
  }

  private static func text(of name: String) throws -> String {
    try TemplateSamples.deployed(name.hasPrefix("init/") ? name + "/template" : name)
  }

  /// A change of `template.yaml`, and what it causes.
  struct Flaw: Sendable, CustomTestStringConvertible {
    let old: String
    let new: String
    let problem: String
    var testDescription: String { problem + ": " + new }

    init(_ old: String, _ new: String, _ problem: String) {
      (self.old, self.new, self.problem) = (old, new, problem)
    }
  }

  private static let metric = #"["Authorizer/${AWS::StackName}", "Failures"]"#

  static let flaws = [
    Flaw("Type: AWS::CloudWatch::Dashboard", "Type: AWS::CloudWatch::Alarm", "0 dashboards"),
    Flaw("-${AWS::Region}", "", "the dashboard's name is local"),
    Flaw("-${AWS::Region}", " ${AWS::Region}", "the dashboard's name is local us-east-1"),
    Flaw(#"{"widgets": ["#, #"{"widgets": [,"#, "the body is not an object with widgets"),
    Flaw(#"{"widgets": ["#, #"{"widget": ["#, "the body is not an object with widgets"),
    Flaw(#""query": "SOURCE '${AuthorizerLogs}'"#, #""query": "SOURCE '${X}'"#, "the body is not an object"),
    Flaw(#"{"widgets": ["#, #"{"widgets": ["# + String(repeating: "{},", count: 500), "511 widgets"),
    Flaw(#"{"type": "alarm", "#, #"{"type": "alarms", "#, "unknown type"),
    Flaw(#"{"type": "alarm", "#, "{", "unknown type"),
    Flaw(#"{"type": "alarm", "#, #"{"type": "alarm", "x": 24, "#, "unknown member x"),
    Flaw(#""width": 24"#, #""width": 25"#, "the width is not from 1 to 24"),
    Flaw(#""width": 24"#, #""width": "24""#, "the width is not from 1 to 24"),
    Flaw(#""height": 2,"#, #""height": 0,"#, "the height is not from 1 to 1000"),
    Flaw(#""title": "Alarms", "#, "", "no title"),
    Flaw("${AuthorizerStaleKeys.Arn}", "${AuthorizerRole.Arn}", "no alarm AuthorizerRole.Arn"),
    Flaw("${AuthorizerStaleKeys.Arn}", "${AuthorizerThrottles.Arn}", "not shown: AuthorizerStaleKeys.Arn"),
    Flaw(#""region": "${AWS::Region}""#, #""region": "eu-west-1""#, "another region"),
    Flaw(#""region": "${AWS::Region}", "#, "", "another region"),
    Flaw(#""period": 300"#, #""period": 90"#, "the period is not a multiple of 60 s"),
    Flaw(#""stat": "p50""#, #""stat": "P50""#, "unknown statistic"),
    Flaw(#""stat": "Sum""#, #""stat": "sum""#, "unknown statistic"),
    Flaw(#""yAxis": "right""#, #""yAxis": "east""#, "unknown axis"),
    Flaw(#""yAxis": "right""#, #""axis": "right""#, "unknown member axis"),
    Flaw(metric, #"["Authorizer/${AWS::StackName}", "Failure"]"#, "nothing writes the metric"),
    Flaw(metric, #"["Authorizer/${AWS::StackName}", "Failure"]"#, #"not shown: ["Authorizer/local", "Failu"#),
    Flaw(metric, #"["Authorizer/${AWS::StackName}"]"#, "a metric is not a namespace"),
    Flaw(
      metric, #"["Authorizer/${AWS::StackName}", "Failures", "FunctionName"]"#, "a metric is not a namespace"),
    Flaw(metric, #"["Authorizer/${AWS::StackName}", 1]"#, "a metric is not a namespace"),
    Flaw(#""Throttles", "FunctionName""#, #""Throttle", "FunctionName""#, "nothing writes the metric"),
    Flaw(#""4xx""#, #""4XXError""#, "nothing writes the metric"),
    Flaw(#""ApiName", "${AWS::StackName}-rest""#, #""ApiName", "${AWS::StackName}""#, "not shown: RestApi"),
    Flaw(#""ApiId", "${HttpApi}""#, #""ApiId", "${WebSocketApi}""#, "not shown: HttpApi"),
    Flaw(#"SOURCE '${AuthorizerLogs}'"#, "SOURCE '/aws/lambda/other'", "no log group /aws/lambda/other"),
    Flaw(#"SOURCE '${AuthorizerLogs}' | "#, "", "not a saved query"),
    Flaw(#""view": "table""#, #""view": "list""#, "unknown view"),
    Flaw("by reason, issuer\n", "by reason\n", "not a saved query"),
    Flaw("LogGroupNames: [!Ref AuthorizerLogs]", "LogGroupNames: []", "RefusalsQuery: no log group"),
    Flaw(
      "LogGroupNames: [!Ref AuthorizerLogs]", "LogGroupNames: [!Ref AuthorizerRole]",
      "RefusalsQuery: no log group AuthorizerRole"),
    Flaw(
      "MetricName: KeyFetchFailures\n          MetricValue", "MetricName: Fetches\n          MetricValue",
      "AuthorizerKeyFetchFailures: nothing writes the metric"),
    Flaw(
      "Dimensions: [{ Name: FunctionName, Value: !Ref AuthorizerFunction }]", "Dimensions: []",
      "AuthorizerThrottles: nothing writes the metric"),
    Flaw("TreatMissingData: notBreaching", "TreatMissingData: breaching", "alarms if nothing happens"),
  ]

  @Test("a flaw is found", arguments: flaws)
  func finds(_ flaw: Flaw) throws {
    let text = try TemplateSamples.deployed()
    let changed = text.replacing(flaw.old, with: flaw.new)
    #expect(changed != text)
    let problems = MonitoredTemplate(changed).problems
    #expect(problems.contains { $0.contains(flaw.problem) }, "\(problems)")
  }

  @Test("serve reads the templates and has no note on dashboards, alarms and queries", arguments: templates)
  func withoutInfluence(name: String, queries: Set<String>) throws {
    let text = try TemplateSamples.deployed(name)
    let parameters = name == "simple-answers" ? ["Issuer": "apple", "Audience": "a"] : [:]
    let template = try GatewayTemplate(parsing: text, parameters: parameters)
    // Limits of messages are not emulated.
    let known = [
      "Settings: is not emulated", "Settings: limits $connect only: limits of messages are not emulated",
    ]
    #expect(template.notes.allSatisfy { note in known.contains { note.text().hasSuffix($0) } })
    #expect(!template.authorizerFunctions.isEmpty)
  }
}

/// The section "Queries" of `docs/operations.md`.
private struct QueryPage {
  /// The queries by the name in the sentence before them.
  private(set) var queries: [String: String] = [:]

  init() throws {
    let page = TemplateSamples.packageRoot.appendingPathComponent("docs/operations.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    for match in text.matches(of: #/\(`([a-z-]+)`\):\n\n```logs-insights\n(?<query>[^`]*)\n```\n/#) {
      queries[String(match.1)] = String(match.query)
    }
    // Each query has a name.
    #expect(queries.count == text.components(separatedBy: "```logs-insights\n").count - 1)
  }
}
