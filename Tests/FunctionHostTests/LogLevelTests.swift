import Testing

@testable import FunctionHost

@Suite("Log controls of Lambda")
struct LogLevelTests {
  @Test("levels have Lambda's names and order, in upper or lower case")
  func levels() {
    #expect(LogLevel.allCases.map(\.name) == ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"])
    #expect(LogLevel.allCases == LogLevel.allCases.sorted())
    for level in LogLevel.allCases {
      #expect(LogLevel(named: level.name) == level)
      #expect(LogLevel(named: level.name.lowercased()) == level)
    }
    for name in ["", "INF", "INFOS", "WARNING", " INFO", "\u{131}NFO", "[NFO", "0"] {
      #expect(LogLevel(named: name) == nil)
    }
  }

  @Test("formats have Lambda's names, in upper or lower case")
  func formats() {
    for name in ["JSON", "json", "Json"] { #expect(LogFormat(named: name) == .json) }
    for name in ["Text", "TEXT", "text"] { #expect(LogFormat(named: name) == .text) }
    for name in ["", "plain", "JSON ", "jsonl"] { #expect(LogFormat(named: name) == nil) }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var format: String?
    var level: String?
    var expected = (format: LogFormat.json, level: LogLevel.info)
    var misread: [String] = []
    var testDescription: String { "\(format ?? "-"), \(level ?? "-")" }
  }

  struct Variables: ConfigurationSource {
    let format: String?
    let level: String?

    func variable(_ name: String) -> String? {
      ["AWS_LAMBDA_LOG_FORMAT": format, "AWS_LAMBDA_LOG_LEVEL": level][name] ?? nil
    }

    func file(_ path: String, limit: Int) throws(FileError) -> [UInt8] { throw .unreadable(errno: 2) }
  }

  static let rows = [
    Row(),
    Row(format: "JSON", level: "DEBUG", expected: (.json, .debug)),
    Row(format: "Text", expected: (.text, .info)),
    Row(format: "text", level: "error", expected: (.text, .error)),
    Row(format: "XML", level: "FATAL", expected: (.json, .fatal), misread: ["AWS_LAMBDA_LOG_FORMAT"]),
    Row(format: "Text", level: "LOUD", expected: (.text, .info), misread: ["AWS_LAMBDA_LOG_LEVEL"]),
    Row(format: "?", level: "?", misread: ["AWS_LAMBDA_LOG_FORMAT", "AWS_LAMBDA_LOG_LEVEL"]),
  ]

  @Test(
    "an unknown value falls back to the default and only the variable's name is reported", arguments: rows)
  func controls(_ row: Row) {
    let controls = LogControls(reading: Variables(format: row.format, level: row.level))
    #expect(controls.format == row.expected.format)
    #expect(controls.level == row.expected.level)
    #expect(controls.misread == row.misread)
  }
}
