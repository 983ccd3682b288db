import Foundation
import TestSupport
import Testing

@testable import authorizer_local

/// `serve --open`.
@Suite struct BrowserOpenerTests {
  private static let address = "http://127.0.0.1:8080/dev/console"

  @Test(arguments: [[:], ["PATH": ""], ["PATH": "relative:."]] as [[String: String]])
  func saysWhatToDoWithoutAProgram(_ environment: [String: String]) throws {
    let recorded = try RecordedMachine(environment)
    try recorded.write("", to: "relative/" + BrowserOpener.program)
    let problem = BrowserOpener(machine: recorded.machine).open(Self.address)
    #expect(problem == "--open: there is no \(BrowserOpener.program) here; open \(Self.address) in a browser")
  }

  /// No shell reads the address.
  @Test func theAddressIsOneArgument() throws {
    let recorded = try RecordedMachine()
    let path = recorded.folder + "/bin/" + BrowserOpener.program
    try FileManager.default.createDirectory(
      atPath: recorded.folder + "/bin", withIntermediateDirectories: true)
    try TestProgram.write("#!/bin/sh\n", to: path)
    let other = try RecordedMachine(["PATH": "relative:\(recorded.folder)/bin:/usr/bin"])
    let process = try #require(BrowserOpener(machine: other.machine).process("http://x/$(touch y)"))
    #expect(process.executableURL?.path == path)
    #expect(process.arguments == ["http://x/$(touch y)"])
  }
}
