import Bytes
import FunctionHost
import JSON

/// `"metrics"`: where the function's metrics go.
package struct MetricsSettings: Equatable, Sendable {
  /// The CloudWatch namespace.
  package let namespace: String

  /// The maximum length of a namespace in bytes (Amazon CloudWatch API, PutMetricData: 1 to 255).
  package static let namespaceByteLimit = 255

  /// Returns `nil` for a namespace that CloudWatch refuses (Amazon CloudWatch, "Metrics concepts": letters, digits
  /// and `.-_/#:` and blanks; `AWS/` is reserved for Amazon).
  init?(namespace: String) {
    let isBlank = namespace.utf8.allSatisfy { $0 == .space }
    guard namespace.utf8.count <= Self.namespaceByteLimit, !isBlank, namespace.utf8.first != .colon,
      !namespace.utf8.starts(with: "AWS/".utf8), namespace.utf8.allSatisfy(Self.isAllowed)
    else { return nil }
    self.namespace = namespace
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x20, 0x23, 0x2D, 0x2E, 0x2F, 0x3A, 0x5F: true
    default: false
    }
  }
}

/// Writes one line of metrics for each decision, in CloudWatch's embedded metric format (Amazon CloudWatch,
/// "Specification: Embedded metric format"). CloudWatch extracts metrics from the lines, so no API call is needed.
///
/// The metrics line is separate from the decision line: it is always JSON, and it is written even if the decision
/// line is not. Both go out in the same write. The dimensions are the function name and the reason, which have a
/// fixed set of values, so no caller can create (and make you pay for) new metrics.
struct DecisionMetrics {
  private static let head = Array(#","_aws":{"Timestamp":"#.utf8)
  /// The text between the time and the values, by outcome.
  private let directives: [(outcome: Outcome, text: [UInt8])]
  /// The same for a guest, who is counted twice: under `Allowed` and under `Guests`.
  private let guestDirectives: [UInt8]
  /// The level of every line.
  let level: LogLevel
  private var line = LogLine(.json)
  private(set) var bytes: [UInt8] = []
  /// The number of fetches already counted in a line.
  private var reportedFetches = 0

  /// - Parameters:
  ///   - functionName: `AWS_LAMBDA_FUNCTION_NAME`.
  ///   - least: the minimum level that Lambda lets through. Lambda drops JSON lines below it and treats lines without
  ///     a level or a time as INFO (AWS Lambda, "Log-level filtering"). The metrics line uses this level, so that no
  ///     line is dropped.
  init(_ settings: MetricsSettings, functionName: String, least: LogLevel) {
    level = max(.info, least)
    directives = Outcome.allCases.map { outcome in
      (outcome, Self.directives(outcome, settings.namespace, functionName: functionName))
    }
    guestDirectives = Self.directives(
      .allowed, settings.namespace, functionName: functionName, also: Self.guestMetric)
    bytes.reserveCapacity(1024)
  }

  /// Sets ``bytes`` to the line of one decision, without a line feed.
  ///
  /// - Parameter keyFetches: the number of key set fetches of this process since its start.
  mutating func set(
    _ decision: Decision, requestID: ArraySlice<UInt8>, unixMilliseconds: Int64, microseconds: Int64,
    keyFetches: Int
  ) {
    line.begin(level, "metrics", requestID: requestID, unixMilliseconds: unixMilliseconds)
    bytes.removeAll(keepingCapacity: true)
    bytes += line.bytes
    bytes += Self.head
    bytes += unixMilliseconds.description.utf8
    if decision.isGuest {
      bytes += guestDirectives
    } else {
      for (outcome, text) in directives where outcome == decision.outcome { bytes += text }
    }
    if let reason = decision.reason {
      bytes += #","Reason":""#.utf8
      bytes += reason.rawValue.utf8
      bytes.append(.quote)
    }
    bytes += #","KeyFetches":"#.utf8
    bytes += (keyFetches - reportedFetches).description.utf8
    bytes += #","Duration":"#.utf8
    bytes += microseconds.description.utf8
    bytes.append(.closingBrace)
    reportedFetches = keyFetches
  }

  /// The metric that counts guests.
  private static let guestMetric = "Guests"

  /// Returns the rest of `_aws`, the function name and a count of one.
  ///
  /// - Parameter other: a second metric for an allowed caller.
  private static func directives(
    _ outcome: Outcome, _ namespace: String, functionName: String, also other: String? = nil
  ) -> [UInt8] {
    let function = "[\"FunctionName\"]"
    let common = #"{"Name":"KeyFetches","Unit":"Count"},{"Name":"Duration","Unit":"Microseconds"}"#
    let count = "{\"Name\":\"" + outcome.metricName + "\",\"Unit\":\"Count\"}"
    let start = "{\"Namespace\":\"" + namespace + "\",\"Dimensions\":["
    var text = ",\"CloudWatchMetrics\":[" + start + function + "],\"Metrics\":["
    if outcome == .allowed {
      if let other { text += "{\"Name\":\"" + other + "\",\"Unit\":\"Count\"}," }
      text += count + "," + common + "]}"
    } else {
      text +=
        common + "]}," + start + function + ",[\"FunctionName\",\"Reason\"]],\"Metrics\":[" + count + "]}"
    }
    var name = JSONWriter(capacity: 80)
    name.string(functionName)
    text += "]},\"FunctionName\":" + String(decoding: name.bytes, as: UTF8.self)
    text += ",\"" + outcome.metricName + "\":1"
    if let other { text += ",\"" + other + "\":1" }
    return Array(text.utf8)
  }
}

extension Outcome {
  /// The name of the metric that counts it.
  var metricName: String {
    switch self {
    case .allowed: "Allowed"
    case .forbidden: "Forbidden"
    case .unauthorized: "Unauthorized"
    case .failure: "Failures"
    }
  }
}
