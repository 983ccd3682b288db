internal import Foundation

/// The fuzzer of the parsers, as `make fuzz` builds and runs it.
///
///     FUZZ_PARSER=json fuzz-parsers [LIBFUZZER OPTIONS] [CORPUS FOLDERS | INPUT]
///     FUZZ_PARSER=json fuzz-parsers --write-seeds FOLDER EVENTS-FOLDER
///
/// The parser is named by a variable, since libFuzzer starts itself again with its own arguments (`-minimize_crash=1`).
@main
enum FuzzParsers {
  static func main() {
    let name = ProcessInfo.processInfo.environment["FUZZ_PARSER"] ?? ""
    guard let parser = FuzzedParser(rawValue: name) else {
      let known = FuzzedParser.allCases.map(\.rawValue).joined(separator: ", ")
      leave("error: FUZZ_PARSER is \"\(name)\"\nhint: one of \(known)", status: 64)
    }
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.first == "--write-seeds" else { exit(FuzzDriver.run(parser)) }
    guard arguments.count == 3, let events = arguments.last else {
      leave("error: two folders are expected\nhint: --write-seeds FOLDER EVENTS-FOLDER", status: 64)
    }
    do {
      try GeneratedSeeds(events: URL(filePath: events)).write(
        for: parser, to: URL(filePath: arguments[arguments.startIndex + 1]))
    } catch {
      leave("error: no seeds: \(error)", status: 1)
    }
  }

  private static func leave(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
  }
}

/// The parsers that bytes from outside reach first.
enum FuzzedParser: String, CaseIterable {
  case json
  case compactJWS = "compact-jws"
  case keySet = "key-set"
  case event
  case configuration

  /// What must hold for this parser, whatever the bytes are.
  func check(_ bytes: [UInt8]) throws(Finding) {
    switch self {
    case .json: try JSONProperties.check(bytes)
    case .compactJWS: try CompactJWSProperties.check(bytes)
    case .keySet: try KeySetProperties.check(bytes)
    case .event: try EventProperties.check(bytes)
    case .configuration: try ConfigurationProperties.check(bytes)
    }
  }
}

/// A property that some input breaks.
struct Finding: Error {
  /// The property, as it should be.
  let property: String

  /// - Throws: a finding where the property does not hold.
  static func unless(_ holds: Bool, _ property: @autoclosure () -> String) throws(Finding) {
    if !holds { throw Finding(property: property()) }
  }
}
