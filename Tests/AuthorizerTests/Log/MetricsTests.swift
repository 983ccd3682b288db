import JSON
import Testing

@testable import Authorizer
@testable import FunctionHost

@Suite("Metrics")
struct MetricsTests {
  static let milliseconds = TestIssuers.now * 1000

  static func metrics(least: LogLevel = .info, functionName: String = "authorizer") throws -> DecisionMetrics
  {
    let settings = try #require(MetricsSettings(namespace: "My/App"))
    return DecisionMetrics(settings, functionName: functionName, least: least)
  }

  static func line(_ metrics: inout DecisionMetrics, _ decision: Decision, keyFetches: Int = 0) -> String {
    metrics.set(
      decision, requestID: Array("r-1".utf8)[...], unixMilliseconds: milliseconds, microseconds: 184,
      keyFetches: keyFetches)
    return String(decoding: metrics.bytes, as: UTF8.self)
  }

  static let head =
    #"{"timestamp":"2026-11-21T10:00:00.000Z","level":"INFO","message":"metrics","requestId":"r-1","#
  static let start =
    #""_aws":{"Timestamp":1795255200000,"CloudWatchMetrics":[{"Namespace":"My/App","Dimensions":[["FunctionName"]],"Metrics":["#
  static let common = #"{"Name":"KeyFetches","Unit":"Count"},{"Name":"Duration","Unit":"Microseconds"}]}"#
  static let name = #"]},"FunctionName":"authorizer","#

  static func refusal(_ count: String, _ reason: String) -> String {
    let second =
      #",{"Namespace":"My/App","Dimensions":[["FunctionName"],["FunctionName","Reason"]],"Metrics":[{"Name":"\#(count)","Unit":"Count"}]}"#
    let values = #""\#(count)":1,"Reason":"\#(reason)","KeyFetches":0,"Duration":184}"#
    return head + start + common + second + name + values
  }

  static let golden: [(decision: Decision, line: String)] = [
    (
      Decision(allowing: []),
      head + start + #"{"Name":"Allowed","Unit":"Count"},"# + common + name
        + #""Allowed":1,"KeyFetches":0,"Duration":184}"#
    ),
    (Decision(.noRule), refusal("Forbidden", "noRule")),
    (Decision(.expired), refusal("Unauthorized", "expired")),
    (Decision(.invalidEvent), refusal("Failures", "invalidEvent")),
  ]

  @Test("each outcome is one line of exactly these bytes", arguments: golden)
  func line(decision: Decision, line: String) throws {
    var metrics = try Self.metrics()
    #expect(Self.line(&metrics, decision) == line)
    #expect(Self.line(&metrics, DecisionLogTests.complete(decision)) == line)
  }

  @Test("a line contains every metric and dimension that it names", arguments: ReasonCode.allCases)
  func specification(_ reason: ReasonCode) throws {
    var metrics = try Self.metrics(functionName: "a\"b\\c")
    let line = Self.line(&metrics, Decision(reason))
    let tree = try JSONTree(parsing: Array(line.utf8))
    #expect(tree["FunctionName"] == .string("a\"b\\c"))
    #expect(tree["Reason"] == .string(reason.rawValue))
    #expect(tree["_aws"]?["Timestamp"] == .number(String(Self.milliseconds)))
    guard case .array(let directives)? = tree["_aws"]?["CloudWatchMetrics"] else {
      Issue.record("no directives")
      return
    }
    var names: [String] = []
    for directive in directives {
      guard case .array(let sets)? = directive["Dimensions"], case .array(let list)? = directive["Metrics"]
      else {
        Issue.record("no dimensions or metrics")
        return
      }
      for case .array(let dimensions) in sets {
        for case .string(let dimension) in dimensions { #expect(tree[dimension] != nil) }
      }
      for metric in list {
        guard case .string(let name)? = metric["Name"] else { continue }
        guard case .number? = tree[name] else {
          Issue.record("\(name) has no number")
          continue
        }
        names.append(name)
      }
    }
    #expect(names == ["KeyFetches", "Duration", reason.outcome.metricName])
    // Amazon CloudWatch, "Specification: Embedded metric format": at most 100 metrics in a directive and 1 MB in a
    // line.
    #expect(line.utf8.count < 1024)
  }

  @Test("no log level of Lambda drops metrics", arguments: LogLevel.allCases)
  func level(_ least: LogLevel) throws {
    var metrics = try Self.metrics(least: least)
    let tree = try JSONTree(parsing: Array(Self.line(&metrics, Decision(allowing: [])).utf8))
    let level = try #require(LogLevel.allCases.first { tree["level"] == .string($0.name) })
    #expect(level == max(.info, least))
    #expect(metrics.level == level)
  }

  @Test("every fetch is counted in one line; fetches after an answer in the next line")
  func keyFetches() throws {
    var metrics = try Self.metrics()
    let counts = try [2, 2, 5, 6, 6].map { total in
      try JSONTree(parsing: Array(Self.line(&metrics, Decision(.expired), keyFetches: total).utf8))[
        "KeyFetches"]
    }
    #expect(counts == ["2", "0", "3", "1", "0"].map { .number($0) })
  }

  @Test("a namespace must be valid in CloudWatch")
  func namespaces() {
    for namespace in ["A", "My/App", "a.b-c_d/e#f:g 1", String(repeating: "a", count: 255)] {
      #expect(MetricsSettings(namespace: namespace)?.namespace == namespace)
    }
    let refused = [
      "", " ", ":a", "AWS/Lambda", "a\"b", "a\\b", "a\nb", "\u{E9}", "a${b}",
      String(repeating: "a", count: 256),
    ]
    for namespace in refused { #expect(MetricsSettings(namespace: namespace) == nil) }
  }
}
