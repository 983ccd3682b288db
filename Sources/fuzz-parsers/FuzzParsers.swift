internal import Foundation

/// The fuzzer of the parsers, built and run by `make fuzz`.
///
///     FUZZ_PARSER=json fuzz-parsers [LIBFUZZER OPTIONS] [CORPUS FOLDERS | INPUT]
///     FUZZ_PARSER=json fuzz-parsers --write-seeds FOLDER EVENTS-FOLDER
///
/// A variable names the parser, because libFuzzer restarts itself with its own arguments (`-minimize_crash=1`).
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
      leave("error: --write-seeds requires two folders\nhint: --write-seeds FOLDER EVENTS-FOLDER", status: 64)
    }
    do {
      try GeneratedSeeds(events: URL(filePath: events)).write(
        for: parser, to: URL(filePath: arguments[arguments.startIndex + 1]))
    } catch {
      leave("error: cannot write seeds: \(error)", status: 1)
    }
  }

  private static func leave(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
  }
}

/// The parsers of untrusted input, and of the Runtime API's answers.
enum FuzzedParser: String, CaseIterable {
  case json
  case compactJWS = "compact-jws"
  case keySet = "key-set"
  case event
  case configuration
  case proof
  case responseHead = "response-head"

  /// Checks this parser's properties with these bytes.
  func check(_ bytes: [UInt8]) throws(Finding) {
    switch self {
    case .json: try JSONProperties.check(bytes)
    case .compactJWS: try CompactJWSProperties.check(bytes)
    case .keySet: try KeySetProperties.check(bytes)
    case .event: try EventProperties.check(bytes)
    case .configuration: try ConfigurationProperties.check(bytes)
    case .proof: try ProofProperties.check(bytes)
    case .responseHead: try ResponseHeadProperties.check(bytes)
    }
  }
}

/// A property that an input violates.
struct Finding: Error {
  /// The property that should hold.
  let property: String

  /// - Throws: a finding if the property does not hold.
  static func unless(_ holds: Bool, _ property: @autoclosure () -> String) throws(Finding) {
    if !holds { throw Finding(property: property()) }
  }
}
