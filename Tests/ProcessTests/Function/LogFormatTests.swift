@testable import LambdaEmulator
import Foundation
import JSON
import Testing
import TestSupport

/// The log lines of the shipped function, under Lambda's variables and its own configuration.
@Suite(.needsBootstrap, .hangLimit)
struct LogFormatTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var variables: [String: String] = [:]
    var members = ""
    /// `level message outcome` of each line in JSON, for one event of each outcome.
    let objects: [String]
    /// Number of lines that are not JSON.
    var texts = 0
    var testDescription: String { "\(variables) \(members)" }
  }

  static let all = ["INFO decision allowed", "INFO decision unauthorized", "ERROR decision failure"]
  static let metrics = #","metrics":{"namespace":"Authorizer"}"#
  static let rows = [
    Row(objects: all),
    Row(variables: ["AWS_LAMBDA_LOG_FORMAT": "JSON", "AWS_LAMBDA_LOG_LEVEL": "TRACE"], objects: all),
    Row(variables: ["AWS_LAMBDA_LOG_FORMAT": "", "AWS_LAMBDA_LOG_LEVEL": ""], objects: all),
    Row(variables: ["AWS_LAMBDA_LOG_LEVEL": "WARN"], objects: ["ERROR decision failure"]),
    Row(variables: ["AWS_LAMBDA_LOG_LEVEL": "ERROR"], objects: ["ERROR decision failure"]),
    Row(variables: ["AWS_LAMBDA_LOG_LEVEL": "FATAL"], objects: []),
    Row(members: #","decisionLog":"refusals""#, objects: Array(all[1...])),
    Row(variables: ["AWS_LAMBDA_LOG_FORMAT": "Text"], objects: [], texts: 3),
    Row(
      variables: ["AWS_LAMBDA_LOG_FORMAT": "Text", "AWS_LAMBDA_LOG_LEVEL": "ERROR"], objects: [], texts: 1),
    Row(
      variables: ["AWS_LAMBDA_LOG_FORMAT": "XML", "AWS_LAMBDA_LOG_LEVEL": "LOUD"],
      objects: [
        "WARN AWS_LAMBDA_LOG_FORMAT: unknown value, using the default",
        "WARN AWS_LAMBDA_LOG_LEVEL: unknown value, using the default",
      ] + all),
    Row(
      members: metrics,
      objects: [
        "INFO decision allowed", "INFO metrics Allowed", "INFO decision unauthorized",
        "INFO metrics Unauthorized", "ERROR decision failure", "INFO metrics Failures",
      ]),
    Row(
      variables: ["AWS_LAMBDA_LOG_LEVEL": "ERROR"], members: metrics,
      objects: [
        "ERROR metrics Allowed", "ERROR metrics Unauthorized", "ERROR decision failure",
        "ERROR metrics Failures",
      ]),
    Row(
      variables: ["AWS_LAMBDA_LOG_FORMAT": "Text"], members: metrics + #","decisionLog":"refusals""#,
      objects: ["INFO metrics Allowed", "INFO metrics Unauthorized", "INFO metrics Failures"], texts: 2),
  ]

  @Test("format, level, scope and metrics select the expected lines", arguments: rows)
  func row(_ row: Row) async throws {
    let workshop = try Workshop()
    let function = try LoggingFunction(in: workshop.folder, row.variables, members: row.members)
    try await function.run(try LoggingFunction.events())
    #expect(function.objects.map(Self.summary) == row.objects)
    #expect(function.lines.count == row.objects.count + row.texts)
    for line in function.lines where !line.hasPrefix("{") {
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
      #expect(columns.count >= 6)
      #expect(columns.first?.count == 24)
      #expect(columns.dropFirst(3).first == "decision")
    }
  }

  private static func summary(_ line: JSONTree) -> String {
    let counts = ["Allowed", "Forbidden", "Unauthorized", "Failures"].filter { line[$0] != nil }
    let parts = [line["level"]?.text, line["message"]?.text, line["outcome"]?.text] + counts
    return parts.compactMap { $0 }.joined(separator: " ")
  }

  @Test("the line of a decision is written before its answer")
  func order() async throws {
    let workshop = try Workshop()
    let function = try LoggingFunction(in: workshop.folder, members: Self.metrics)
    let results = try await function.run((0..<20).flatMap { _ in try LoggingFunction.events() })
    #expect(results.count == 60)
    // The metrics line is part of the same write, and the harness may receive it in a later read.
    #expect(results.allSatisfy { $0.decision != nil })
  }

  struct Link: Sendable, CustomTestStringConvertible {
    let header: String
    let trace: String?
    var testDescription: String { header }
  }

  static let links = [
    Link(
      header: "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1",
      trace: "1-5759e988-bd862e3fe1be46a994272793"),
    Link(header: #"Root=1-5759e988","outcome":"allowed"#, trace: nil),
    Link(header: "Root=\(String(repeating: "5", count: 5000))", trace: nil),
  ]

  @Test(
    "a line has the trace and the ID of API Gateway's request, and the first one the cold start",
    arguments: links)
  func leads(_ link: Link) async throws {
    let workshop = try Workshop()
    let function = try LoggingFunction(in: workshop.folder)
    let events = ["LV7fzho-PHcEJPw=", "a\\nb"].map { id in
      #"{"version":"2.0","type":"REQUEST","routeArn":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets","#
        + #""requestContext":{"requestId":"\#(id)"}}"#
    }
    try await function.run(
      events.map { Array($0.utf8) } + LoggingFunction.events(),
      context: InvocationContext(traceID: link.header))
    let lines = function.objects
    #expect(lines.map { $0["message"]?.text } == Array(repeating: "decision", count: 5))
    #expect(lines.map { $0["xrayTraceId"]?.text } == Array(repeating: link.trace, count: 5))
    #expect(lines.map { $0["apiRequestId"]?.text } == ["LV7fzho-PHcEJPw=", nil, nil, nil, nil])
    #expect(lines.map { $0["coldStart"] } == [.boolean(true), nil, nil, nil, nil])
  }

  @Test(
    "the start does not warn of rules that need the path of a request",
    arguments: ["", #","routeArnIsConcrete":true"#, #","routeArnIsConcrete":false"#])
  func routeARN(member: String) async throws {
    let workshop = try Workshop()
    let rules = #","default":"deny","rules":[{"routes":["GET /public/*"],"allow":true}]"#
    let function = try LoggingFunction(in: workshop.folder, members: rules + member)
    try await function.run(try LoggingFunction.events())
    #expect(!function.objects.isEmpty)
    #expect(function.objects.allSatisfy { $0["level"]?.text != "WARN" })
  }

  @Test("docs/operations.md lists all members and metrics, and its queries use no others")
  func documentation() async throws {
    let workshop = try Workshop()
    let rules = #","default":"deny","rules":[{"routes":["* /*","GET /users/${absent}"],"allow":true}]"#
    let function = try LoggingFunction(in: workshop.folder, members: Self.metrics + rules)
    try await function.run(try LoggingFunction.events())
    var names: [String: Set<String>] = [:]
    for line in function.objects {
      guard case .object(let members) = line, let message = line["message"]?.text else { continue }
      names[message, default: []].formUnion(members.map(\.name))
    }
    let page = try OperationsPage()
    // "fetches" needs a rotation, "detail" a bound token, "rule" and "requiredScope" a rule with a scope, "apiRequestId" an event
    // with a request, "anonymous" a guest: KeyFetchingTests, BoundTokenTests, MissingScopeTests, the test above and
    // GuestLogTests check these members; "notLookedUp" needs a withdrawal by session: the guide to logouts.
    #expect(
      page.members(under: "Members of a decision")
        == names["decision"]?.union([
          "fetches", "detail", "rule", "requiredScope", "apiRequestId", "anonymous", "notLookedUp",
        ]))
    #expect(
      page.members(under: "Metrics").union(["FunctionName", "Reason"])
        == names["metrics"]?.subtracting(["timestamp", "level", "message", "requestId", "_aws"])
        .union(["Forbidden", "Guests"]))
    let known = page.members(under: "Members of a decision").union(
      page.members(under: "Fields of key and revocation notices")
    ).union(try OperationsPage.requestMembers())
    #expect(page.queriedNames.count >= 5)
    #expect(page.queriedNames.isSubset(of: known), "\(page.queriedNames.subtracting(known))")
  }
}

/// The parts of `docs/operations.md` that can be compared with the log.
private struct OperationsPage {
  private let lines: [String]

  init() throws {
    let page = Workshop.packageRoot.appendingPathComponent("docs/operations.md")
    lines = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
  }

  /// Returns the names in the first column of the table under a heading.
  func members(under heading: String) -> Set<String> {
    guard let start = lines.firstIndex(where: { $0.hasPrefix("#") && $0.hasSuffix(" " + heading) }) else {
      return []
    }
    let section = lines[(start + 1)...].prefix { !$0.hasPrefix("#") }
    let names = section.filter { $0.hasPrefix("| `") }.flatMap { row in
      let column = row.split(separator: "|").first ?? ""
      return column.split(separator: "`").filter { $0.allSatisfy { $0.isLetter || $0 == "_" } }
    }
    return Set(names.map { String($0) })
  }

  /// The members that the Logs Insights queries use: all words except keywords and quoted values.
  var queriedNames: Set<String> {
    var names: Set<String> = []
    var isQuery = false
    for line in lines {
      if line.hasPrefix("```") {
        isQuery = line == "```logs-insights"
      } else if isQuery {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        let words = parts.filter { $0.offset % 2 == 0 }.flatMap { part in
          part.element.split { !($0.isLetter || $0 == "@") }.map { String($0) }
        }
        names.formUnion(words.filter { !Self.language.contains($0) })
      }
    }
    return names
  }

  /// The members of the sample line of `docs/identity.md`.
  static func requestMembers() throws -> Set<String> {
    let page = Workshop.packageRoot.appendingPathComponent("docs/identity.md")
    let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```")
    let sample = try #require(blocks.first { $0.contains(#""message":"request""#) }).dropFirst("json".count)
    guard case .object(let members) = try JSONTree(parsing: Array(sample.utf8)) else { return [] }
    return Set(members.map(\.name))
  }

  /// The keywords of Logs Insights in the queries, and an alias that they define.
  private static let language: Set<String> = [
    "fields", "filter", "stats", "sort", "limit", "by", "as", "in", "and", "desc", "asc", "count", "pct",
    "max", "sum", "bin", "m", "@timestamp", "n",
  ]
}
