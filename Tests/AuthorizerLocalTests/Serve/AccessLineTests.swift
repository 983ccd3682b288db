import GatewayEmulator
import Testing

@testable import EmulatorTestSupport
@testable import authorizer_local

/// The line that `serve` shows for a request.
@Suite struct AccessLineTests {
  private static func record(_ status: Int) throws -> AccessRecord {
    var stage = try GatewayStage(StatusTemplates.rest)
    var record = stage.send("GET", "/prod/pets").record
    record.status = status
    return record
  }

  /// The status, and its color: green, yellow or red.
  @Test(
    arguments: [
      (101, 32), (200, 32), (304, 32), (401, 33), (403, 33), (429, 33), (500, 31), (502, 31), (503, 31),
    ])
  func onATerminalTheStatusIsColoredAndTheRequestIDLeftOut(_ status: Int, _ color: Int) throws {
    let line = try Self.record(status).shown(isTerminal: true)
    let start = "15:02:03.035Z Api GET /prod/pets route=\"GET /pets\" "
    let end = " authorizer=Bearer answer=called(7ms) decision=\"allowed by Statement[0]\""
    #expect(line.rendered(inColor: true) == "\(start)\u{1B}[\(color)m\(status)\u{1B}[0m\(end)")
    #expect(line.rendered(inColor: false) == "\(start)\(status)\(end)")
  }

  @Test func elsewhereTheLineIsWhole() throws {
    let record = try Self.record(403)
    for inColor in [true, false] {
      #expect(record.shown(isTerminal: false).rendered(inColor: inColor) == record.line)
    }
    #expect(record.line.hasPrefix("2024-06-17T15:02:03.035Z r-1 Api GET /prod/pets "))
  }
}
