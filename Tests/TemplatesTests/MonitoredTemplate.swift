@testable import GatewayModel
@testable import Templates
import JSON

/// The dashboards, alarms and saved queries of a template, and what is wrong with them.
///
/// CloudFormation takes the body of a dashboard as text. CloudWatch refuses a malformed one only during a deployment, and
/// shows an empty graph for a metric that nothing writes (Amazon CloudWatch API, "Dashboard body structure and syntax").
struct MonitoredTemplate {
  private let survey: LenientTemplate
  private let region: String
  private let stack: String

  init(_ text: String) {
    survey = ParsedTemplate(text).survey
    region = survey.names.place.region
    stack = survey.names.place.stack
  }

  /// The saved queries by the end of their name, after the stack's.
  var queries: [String: String] {
    Dictionary(
      resources("AWS::Logs::QueryDefinition").map { query in
        (String((query["Name"]?.text ?? "").dropFirst(stack.count + 1)), query["QueryString"]?.text ?? "")
      }
    ) { first, _ in first + " (twice)" }
  }

  /// Every flaw, as a sentence.
  var problems: [String] {
    let dashboards = resources("AWS::CloudWatch::Dashboard")
    guard let dashboard = dashboards.first, dashboards.count == 1 else {
      return ["\(dashboards.count) dashboards"]
    }
    var problems: [String] = []
    let name = dashboard["DashboardName"]?.text ?? ""
    if !name.hasSuffix("-" + region) || name.wholeMatch(of: #/[A-Za-z0-9_-]{1,255}/#) == nil {
      problems.append("the dashboard's name is \(name)")
    }
    var shown = Shown()
    problems += check(dashboard["DashboardBody"]?.text ?? "", &shown)
    problems += check(shown)
    problems += alarmProblems
    for query in resources("AWS::Logs::QueryDefinition") {
      problems += groups(of: query).filter { !isLogGroup($0) }.map { "\(query.name): no log group \($0)" }
      if groups(of: query).isEmpty { problems.append("\(query.name): no log group") }
    }
    return problems
  }

  /// The flaws of the alarms.
  var alarmProblems: [String] { resources("AWS::CloudWatch::Alarm").flatMap { check($0) } }

  /// What the widgets of a dashboard show.
  private struct Shown {
    var metrics: Set<[String]> = []
    var alarms: Set<String> = []
  }

  private func resources(_ type: String) -> [LenientTemplate.Resource] {
    survey.resources.filter { $0.type == type }
  }

  /// The ARNs of the alarms as the survey resolves them.
  private var alarmNames: [String] { resources("AWS::CloudWatch::Alarm").map { $0.name + ".Arn" } }

  private func isLogGroup(_ name: String) -> Bool {
    resources("AWS::Logs::LogGroup").contains { $0.name == name }
  }

  private func groups(of query: LenientTemplate.Resource) -> [String] {
    query["LogGroupNames"]?.elements.compactMap(\.text) ?? []
  }
}

// MARK: Widgets

extension MonitoredTemplate {
  /// PutDashboard: "A dashboard can have up to 500 widgets".
  private static let maximumWidgets = 500

  private func check(_ body: String, _ shown: inout Shown) -> [String] {
    guard let tree = try? JSONTree(parsing: Array(body.utf8)), case .array(let widgets)? = tree["widgets"]
    else {
      return ["the body is not an object with widgets"]
    }
    guard 1...Self.maximumWidgets ~= widgets.count else { return ["\(widgets.count) widgets"] }
    return widgets.enumerated().flatMap { number, widget in
      check(widget, &shown).map { "widget \(number): \($0)" }
    }
  }

  private func check(_ widget: JSONTree, _ shown: inout Shown) -> [String] {
    var problems = unknown(widget, ["type", "width", "height", "properties"])
    if !(1...24 ~= (widget["width"].whole ?? 0)) { problems.append("the width is not from 1 to 24") }
    if !(1...1000 ~= (widget["height"].whole ?? 0)) { problems.append("the height is not from 1 to 1000") }
    guard let properties = widget["properties"], properties["title"].text?.isEmpty == false else {
      return problems + ["no title"]
    }
    switch widget["type"].text {
    case "alarm": problems += alarms(properties, &shown)
    case "metric": problems += metrics(properties, &shown)
    case "log": problems += log(properties)
    default: problems.append("unknown type")
    }
    return problems
  }

  private func alarms(_ properties: JSONTree, _ shown: inout Shown) -> [String] {
    var problems = unknown(properties, ["title", "alarms"])
    let texts = properties["alarms"].list.map { $0.text ?? "" }
    if texts.isEmpty { problems.append("no alarms") }
    for text in texts where !alarmNames.contains(text) { problems.append("no alarm \(text)") }
    shown.alarms.formUnion(texts)
    return problems
  }

  private func metrics(_ properties: JSONTree, _ shown: inout Shown) -> [String] {
    var problems = unknown(properties, ["title", "region", "period", "stat", "metrics"])
    if properties["region"].text != region { problems.append("another region than the stack's") }
    if properties["period"].whole.map({ $0 > 0 && $0 % 60 == 0 }) != true {
      problems.append("the period is not a multiple of 60 s")
    }
    if !isStatistic(properties["stat"]) { problems.append("unknown statistic") }
    let rows = properties["metrics"].list
    if rows.isEmpty { problems.append("no metrics") }
    for row in rows {
      var parts = row.list
      if case .object? = parts.last, let options = parts.popLast() {
        problems += unknown(options, ["stat", "label", "yAxis"])
        if let statistic = options["stat"], !isStatistic(statistic) { problems.append("unknown statistic") }
        if let axis = options["yAxis"], axis.text != "left" && axis.text != "right" {
          problems.append("unknown axis")
        }
      }
      let texts = parts.compactMap(\.text)
      guard texts.count == parts.count, texts.count >= 2, texts.count % 2 == 0 else {
        problems.append("a metric is not a namespace, a name and pairs for dimensions")
        continue
      }
      shown.metrics.insert(texts)
      if !exists(texts) { problems.append("nothing writes the metric \(texts)") }
    }
    return problems
  }

  private func log(_ properties: JSONTree) -> [String] {
    var problems = unknown(properties, ["title", "region", "view", "query"])
    if properties["region"].text != region { problems.append("another region than the stack's") }
    if !["table", "timeSeries", "bar", "pie"].contains(properties["view"].text ?? "") {
      problems.append("unknown view")
    }
    var query = properties["query"].text ?? ""
    var sources: [String] = []
    while let match = query.prefixMatch(of: #/SOURCE '([^']*)' \| /#) {
      sources.append(String(match.1))
      query.removeSubrange(match.range)
    }
    problems += sources.filter { !isLogGroup($0) }.map { "no log group \($0)" }
    let isSaved = resources("AWS::Logs::QueryDefinition").contains {
      $0["QueryString"]?.text == query && groups(of: $0) == sources
    }
    if !isSaved { problems.append("not a saved query of these log groups: \(sources) \(query)") }
    return problems
  }

  private func unknown(_ object: JSONTree, _ names: Set<String>) -> [String] {
    guard case .object(let members) = object else { return ["not an object"] }
    return members.map(\.name).filter { !names.contains($0) }.map { "unknown member \($0)" }
  }

  private func isStatistic(_ value: JSONTree?) -> Bool {
    value.text?.wholeMatch(of: #/Sum|Average|Minimum|Maximum|SampleCount|p[0-9]{2}/#) != nil
  }
}

// MARK: Metrics

extension MonitoredTemplate {
  /// The metrics of AWS by the name of the one dimension that selects a resource of the template (AWS Lambda, "Types of
  /// metrics"; API Gateway, "Amazon API Gateway dimensions and metrics", and the pages on HTTP and WebSocket APIs).
  private static let lambda: Set<String> = [
    "Invocations", "Errors", "Throttles", "Duration", "ConcurrentExecutions",
  ]
  private static let rest: Set<String> = ["Count", "4XXError", "5XXError", "Latency", "IntegrationLatency"]
  private static let http: Set<String> = ["Count", "4xx", "5xx", "Latency", "IntegrationLatency"]
  private static let webSocket: Set<String> = [
    "ConnectCount", "MessageCount", "ClientError", "ExecutionError", "IntegrationError",
  ]

  /// Namespace and name of the metrics that the template's filters write.
  private var filtered: Set<[String]> {
    Set(
      resources("AWS::Logs::MetricFilter").flatMap { filter in
        (filter["MetricTransformations"]?.elements ?? []).map {
          [$0["MetricNamespace"]?.text ?? "", $0["MetricName"]?.text ?? ""]
        }
      })
  }

  /// Dimension, value and metrics of each resource, by its name.
  private var measured: [(name: String, dimension: [String], metrics: Set<String>)] {
    survey.resources.compactMap { resource in
      let identifier = survey.names.physicalID(of: resource.name) ?? ""
      switch resource.type {
      case "AWS::Serverless::Function": return (resource.name, ["FunctionName", identifier], Self.lambda)
      case "AWS::Serverless::Api":
        // SAM names an API without a definition after the stack.
        let title = resource["DefinitionBody"]?["info"]?["title"]?.text ?? stack
        return (resource.name, ["ApiName", title], Self.rest)
      case "AWS::Serverless::HttpApi": return (resource.name, ["ApiId", identifier], Self.http)
      case "AWS::ApiGatewayV2::Api": return (resource.name, ["ApiId", identifier], Self.webSocket)
      default: return nil
      }
    }
  }

  private func exists(_ metric: [String]) -> Bool {
    if filtered.contains(metric) { return true }
    guard metric.count == 4 else { return false }
    return measured.contains { resource in
      let namespace = resource.dimension[0] == "FunctionName" ? "AWS/Lambda" : "AWS/ApiGateway"
      return metric[0] == namespace && resource.metrics.contains(metric[1])
        && Array(metric[2...]) == resource.dimension
    }
  }

  /// Whether all alarms, filtered metrics, functions and APIs are on the dashboard.
  private func check(_ shown: Shown) -> [String] {
    var problems: [String] = []
    for alarm in alarmNames where !shown.alarms.contains(alarm) { problems.append("not shown: \(alarm)") }
    for metric in filtered.subtracting(shown.metrics) { problems.append("not shown: \(metric)") }
    let dimensions = Set(shown.metrics.filter { $0.count == 4 }.map { Array($0[2...]) })
    for resource in measured where !dimensions.contains(resource.dimension) {
      problems.append("not shown: \(resource.name)")
    }
    return problems
  }

  private func check(_ alarm: LenientTemplate.Resource) -> [String] {
    let dimensions = alarm["Dimensions"]?.elements ?? []
    let metric =
      [alarm["Namespace"]?.text ?? "", alarm["MetricName"]?.text ?? ""]
      + dimensions.flatMap { [$0["Name"]?.text ?? "", $0["Value"]?.text ?? ""] }
    var problems = exists(metric) ? [] : ["\(alarm.name): nothing writes the metric \(metric)"]
    if alarm["TreatMissingData"]?.text != "notBreaching" {
      problems.append("\(alarm.name): alarms if nothing happens")
    }
    return problems
  }
}

extension JSONTree? {
  fileprivate var text: String? { if case .string(let text)? = self { text } else { nil } }

  fileprivate var whole: Int? { if case .number(let text)? = self { Int(text) } else { nil } }

  fileprivate var list: [JSONTree] { if case .array(let elements)? = self { elements } else { [] } }
}

extension JSONTree {
  fileprivate var text: String? { JSONTree?.some(self).text }

  fileprivate var list: [JSONTree] { JSONTree?.some(self).list }
}
