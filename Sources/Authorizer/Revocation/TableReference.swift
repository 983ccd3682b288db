import Bytes
import DynamoDB
import FunctionHost
import IssuerKeys

/// A table of the configuration: `"dynamoDB": { "table": …, "region": … }`.
package struct TableReference: Equatable, Sendable {
  package let name: String
  /// The region; `nil` for the function's own.
  package let region: String?
}

extension ObjectReader {
  /// Reads the members of `"dynamoDB"`; `nil` if problems were reported.
  ///
  /// - Parameter missing: what to write if there is no name.
  mutating func tableReference(missing: String) -> TableReference? {
    let name = text("table")
    let region = text("region")
    if value("table") == nil { add("table", "missing: " + missing) }
    if let name, !Self.isTableName(name) {
      add("table", "3 to 255 letters, digits, underscores, hyphens and dots are expected")
    }
    if let region, !Self.isRegion(region) { add("region", "a region such as eu-west-1 is expected") }
    finish()
    return name.map { TableReference(name: $0, region: region) }
  }

  /// DynamoDB, "Naming rules".
  private static func isTableName(_ name: String) -> Bool {
    (3...255).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == .hyphen || $0 == .dot || $0 == .underscore }
  }

  /// Whether the name is a valid region. It becomes part of a host name.
  private static func isRegion(_ name: String) -> Bool {
    (1...32).contains(name.utf8.count)
      && name.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == .hyphen }
  }
}

extension DynamoDBClient where Transport == ProcessTransport, Pace == SystemPace {
  /// A client of this table with the function's credentials.
  init(
    _ table: TableReference, _ fetch: FetchSettings, isDevelopment: Bool, _ environment: FunctionEnvironment
  ) {
    let transport = ProcessTransport(
      executable: ProcessTransport.executable(beside: environment.executablePath),
      allowsLoopbackHTTP: isDevelopment,
      certificateFile: fetch.certificateAuthorities.map { environment.path($0) }, proxy: fetch.proxy,
      variable: { name in
        let isRegion = name.utf8.elementsEqual("AWS_REGION".utf8)
        return isRegion ? table.region ?? environment.variable(name) : environment.variable(name)
      })
    self.init(table: table.name, transport: transport, pace: SystemPace())
  }
}
