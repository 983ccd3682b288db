import Foundation
import TestSupport
import TestTokens
import Testing

@testable import authorizer_local

/// `serve --open`.
@Suite struct BrowserOpenerTests {
  private static func address() throws -> ConsoleAddress {
    ConsoleAddress(at: "http://127.0.0.1:8080", try DevelopmentSecret.generate(for: "/state/secret"))
  }

  @Test(arguments: [[:], ["PATH": ""], ["PATH": "relative:."]] as [[String: String]])
  func saysWhatToDoWithoutAProgram(_ environment: [String: String]) throws {
    let recorded = try RecordedMachine(environment)
    try recorded.write("", to: "relative/" + BrowserOpener.program)
    let address = try Self.address()
    let problem = BrowserOpener(machine: recorded.machine).open(address)
    #expect(problem == "--open: there is no \(BrowserOpener.program) here; open \(address.text) in a browser")
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

  /// Other users of the machine can read the arguments of a browser, and no file of the development folder.
  @Test func theSecretIsNoArgument() throws {
    let tools = try RecordedMachine()
    let folder = tools.folder + "/bin"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try TestProgram.write("#!/bin/sh\n", to: folder + "/" + BrowserOpener.program)
    let recorded = try RecordedMachine(["PATH": folder])
    let opener = BrowserOpener(machine: recorded.machine)
    try recorded.addDevelopmentKeys()
    let address = try Self.address()
    #expect(opener.open(address) == nil)
    let file = recorded.machine.development.path + "/console.html"
    #expect(opener.process(file)?.arguments == [file])
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("url=\(address.text)\""))
  }
}
