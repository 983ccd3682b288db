import JSON

/// `"metrics"`: where a function's numbers go.
public struct MetricsSettings: Equatable, Sendable {
  /// The CloudWatch namespace.
  public let namespace: String

  /// Bytes of a namespace, at most (Amazon CloudWatch API, PutMetricData: 1 to 255).
  public static let namespaceByteLimit = 255

  /// `nil` for what CloudWatch refuses as a namespace (Amazon CloudWatch, "Metrics concepts": letters, digits and
  /// `.-_/#:` and blanks; `AWS/` is Amazon's own).
  init?(namespace: String) {
    let isBlank = namespace.utf8.allSatisfy { $0 == 0x20 }
    guard namespace.utf8.count <= Self.namespaceByteLimit, !isBlank, namespace.utf8.first != 0x3A,
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

/// One line of numbers for each decision, in CloudWatch's embedded metric format (Amazon CloudWatch, "Specification:
/// Embedded metric format"): CloudWatch makes metrics of the lines, and nothing has to be called.
///
/// A line of its own beside the decision's: it must be JSON where those are text, and must be there where those are
/// suppressed. It goes out in the same write. Its dimensions are the function's name and the reason, both of closed sets,
/// so no caller can make CloudWatch count (and bill) anything new.
struct DecisionMetrics {
  private static let head = Array(#","_aws":{"Timestamp":"#.utf8)
  /// What stands between the time and the values, by outcome.
  private let directives: [(outcome: Outcome, text: [UInt8])]
  /// The level of every line.
  let level: LogLevel
  private var line = LogLine(.json)
  private(set) var bytes: [UInt8] = []
  /// Fetches that a line has told of.
  private var toldFetches = 0

  /// - Parameters:
  ///   - functionName: `AWS_LAMBDA_FUNCTION_NAME`.
  ///   - least: the least level that Lambda lets through. It drops JSON lines below it, those without a level or a time
  ///     taken as INFO (AWS Lambda, "Log-level filtering"), and no level is to cost a number.
  init(_ settings: MetricsSettings, functionName: String, least: LogLevel) {
    level = max(.info, least)
    directives = Outcome.allCases.map { outcome in
      (outcome, Self.directives(outcome, settings.namespace, functionName: functionName))
    }
    bytes.reserveCapacity(1024)
  }

  /// Makes ``bytes`` the line of one decision, without a line feed.
  ///
  /// - Parameter keyFetches: how many key sets this process has asked for since its start.
  mutating func set(
    _ decision: Decision, requestID: String, unixMilliseconds: Int64, microseconds: Int64, keyFetches: Int
  ) {
    line.begin(level, "metrics", requestID: requestID, unixMilliseconds: unixMilliseconds)
    bytes.removeAll(keepingCapacity: true)
    bytes += line.bytes
    bytes += Self.head
    bytes += unixMilliseconds.description.utf8
    for (outcome, text) in directives where outcome == decision.outcome { bytes += text }
    if let reason = decision.reason {
      bytes += #","Reason":""#.utf8
      bytes += reason.rawValue.utf8
      bytes.append(0x22)
    }
    bytes += #","KeyFetches":"#.utf8
    bytes += (keyFetches - toldFetches).description.utf8
    bytes += #","Duration":"#.utf8
    bytes += microseconds.description.utf8
    bytes.append(0x7D)
    toldFetches = keyFetches
  }

  /// The rest of `_aws`, the function's name and the count of one.
  private static func directives(
    _ outcome: Outcome, _ namespace: String, functionName: String
  ) -> [UInt8] {
    let function = "[\"FunctionName\"]"
    let common = #"{"Name":"KeyFetches","Unit":"Count"},{"Name":"Duration","Unit":"Microseconds"}"#
    let count = "{\"Name\":\"" + outcome.metricName + "\",\"Unit\":\"Count\"}"
    let start = "{\"Namespace\":\"" + namespace + "\",\"Dimensions\":["
    var text = ",\"CloudWatchMetrics\":[" + start + function + "],\"Metrics\":["
    if outcome == .allowed {
      text += count + "," + common + "]}"
    } else {
      text +=
        common + "]}," + start + function + ",[\"FunctionName\",\"Reason\"]],\"Metrics\":[" + count + "]}"
    }
    var name = JSONWriter(capacity: 80)
    name.string(functionName)
    text += "]},\"FunctionName\":" + String(decoding: name.bytes, as: UTF8.self)
    text += ",\"" + outcome.metricName + "\":1"
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
