import Bytes

/// The severity of a log line, with Lambda's names (AWS Lambda, "Log-level filtering").
package enum LogLevel: UInt8, CaseIterable, Comparable, Sendable {
  case trace = 1
  case debug, info, warn, error, fatal

  /// The name in a log line and in `AWS_LAMBDA_LOG_LEVEL`.
  package var name: String {
    switch self {
    case .trace: "TRACE"
    case .debug: "DEBUG"
    case .info: "INFO"
    case .warn: "WARN"
    case .error: "ERROR"
    case .fatal: "FATAL"
    }
  }

  /// The level of this name, in upper or lower case.
  package init?(named name: String) {
    guard let level = Self.allCases.first(where: { $0.name.equalsIgnoringASCIICase(name) }) else {
      return nil
    }
    self = level
  }

  /// Compares severity.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The format of log lines: `AWS_LAMBDA_LOG_FORMAT`.
package enum LogFormat: Equatable, Sendable {
  /// One JSON object a line.
  case json
  /// Values separated by tabs, for people.
  case text

  /// The format of this name. Lambda's names are `JSON` and `Text`, in upper or lower case.
  package init?(named name: String) {
    if name.equalsIgnoringASCIICase("JSON") {
      self = .json
    } else if name.equalsIgnoringASCIICase("Text") {
      self = .text
    } else {
      return nil
    }
  }
}

/// The log format and level that Lambda sets.
package struct LogControls: Equatable, Sendable {
  /// The format; JSON if Lambda sets none, since JSON lines can be searched by member.
  package private(set) var format = LogFormat.json
  /// The minimum level; INFO if Lambda sets none, as in Lambda's own runtimes.
  package private(set) var level = LogLevel.info
  /// The variables with unknown values; their defaults apply.
  package private(set) var misread: [String] = []

  /// Reads the variables. Lambda always sets `AWS_LAMBDA_LOG_FORMAT`, and `AWS_LAMBDA_LOG_LEVEL` with the format JSON
  /// (AWS Lambda, "Log-level filtering").
  package init(reading source: some ConfigurationSource) {
    if let name = source.variable("AWS_LAMBDA_LOG_FORMAT") {
      if let format = LogFormat(named: name) {
        self.format = format
      } else {
        misread.append("AWS_LAMBDA_LOG_FORMAT")
      }
    }
    if let name = source.variable("AWS_LAMBDA_LOG_LEVEL") {
      if let level = LogLevel(named: name) {
        self.level = level
      } else {
        misread.append("AWS_LAMBDA_LOG_LEVEL")
      }
    }
  }
}

extension String {
  fileprivate func equalsIgnoringASCIICase(_ other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercase == $1.lowercase }
  }
}
