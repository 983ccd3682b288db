/// How much a line matters, in Lambda's words (AWS Lambda, "Log-level filtering").
public enum LogLevel: UInt8, CaseIterable, Comparable, Sendable {
  case trace = 1
  case debug, info, warn, error, fatal

  /// The word for it in a line and in `AWS_LAMBDA_LOG_LEVEL`.
  public var name: String {
    switch self {
    case .trace: "TRACE"
    case .debug: "DEBUG"
    case .info: "INFO"
    case .warn: "WARN"
    case .error: "ERROR"
    case .fatal: "FATAL"
    }
  }

  /// The level of this name, in any case of its letters.
  public init?(named name: String) {
    guard let level = Self.allCases.first(where: { $0.name.equalsIgnoringASCIICase(name) }) else {
      return nil
    }
    self = level
  }

  /// Less matters less.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// How lines are written: `AWS_LAMBDA_LOG_FORMAT`.
public enum LogFormat: Equatable, Sendable {
  /// One JSON object a line.
  case json
  /// Values with tabs between them, for people.
  case text

  /// Lambda's words are `JSON` and `Text`; any case of their letters will do.
  public init?(named name: String) {
    if name.equalsIgnoringASCIICase("JSON") {
      self = .json
    } else if name.equalsIgnoringASCIICase("Text") {
      self = .text
    } else {
      return nil
    }
  }
}

/// What Lambda asks of a function's lines.
public struct LogControls: Equatable, Sendable {
  /// JSON where Lambda does not say: a line that nobody asked to be text can be searched by its members.
  public private(set) var format = LogFormat.json
  /// The least level that is written; INFO where Lambda does not say, as with its own runtimes.
  public private(set) var level = LogLevel.info
  /// The variables whose values are unknown words; their defaults hold.
  public private(set) var misread: [String] = []

  /// Lambda sets `AWS_LAMBDA_LOG_FORMAT` always, and `AWS_LAMBDA_LOG_LEVEL` with the format JSON (AWS Lambda, "Log-level
  /// filtering").
  public init(reading source: some ConfigurationSource) {
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
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowerCase == $1.lowerCase }
  }
}

extension UInt8 {
  fileprivate var lowerCase: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }
}
