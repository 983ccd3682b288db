import LambdaEmulator
import Foundation
import Testing
import TestTokens

@testable import authorizer_local

/// What a command takes from outside: files, programs, timeouts and development state.
@Suite struct MachineTests {
  // MARK: Files

  @Test func relativePathsBeginInTheFolder() throws {
    let recorded = try RecordedMachine()
    let files = recorded.machine.files
    try files.write([1, 2, 3], to: "deep/a")
    #expect(try files.bytes(at: "deep/a") == [1, 2, 3])
    #expect(try files.bytes(at: recorded.folder + "/deep/a", limit: 3) == [1, 2, 3])
    #expect(files.exists("deep/a") && files.isDirectory("deep") && !files.isDirectory("deep/a"))
    #expect(files.absolute("deep/../b") == recorded.folder + "/b")
    #expect(files.directory(of: "deep/a") == recorded.folder + "/deep")
    #expect(files.directory(of: "-") == recorded.folder)
    #expect(files.nearest("deep/a", from: "deep/deeper") == recorded.folder + "/deep/a")
    #expect(files.upwards(from: "deep") == [recorded.folder + "/deep", recorded.folder])
  }

  @Test(
    arguments: [
      ("absent", "cannot read absent", "there is no such file"),
      ("folder", "cannot read folder", "it is a folder"),
      ("large", "large has more than 4 bytes", "check that it is the right file"),
    ])
  func aFileThatCannotBeReadSaysWhy(_ path: String, _ message: String, _ hint: String) throws {
    let recorded = try RecordedMachine()
    try recorded.write("x", to: "folder/x")
    try recorded.write("12345", to: "large")
    #expect(throws: CommandFailure(.usage, message, hint: hint)) {
      try recorded.machine.files.bytes(at: path, limit: 4)
    }
  }

  @Test func aFileInPlaceOfAFolderCannotBeWritten() throws {
    let recorded = try RecordedMachine()
    try recorded.write("x", to: "file")
    let failure = #expect(throws: CommandFailure.self) { try recorded.machine.files.write([], to: "file/a") }
    #expect(failure?.message == "cannot write file/a")
  }

  @Test func aMinusIsStandardInput() throws {
    let recorded = try RecordedMachine(input: "typed")
    #expect(try recorded.machine.files.bytes(at: "-") == Array("typed".utf8))
  }

  @Test func theBestTemplateOfTheNearestFolderIsTaken() throws {
    let recorded = try RecordedMachine()
    #expect(recorded.machine.files.nearestTemplate == nil)
    for name in ["template.yml", "template.yaml", "template/template.yaml"] {
      try recorded.write("x", to: name)
      #expect(recorded.machine.files.nearestTemplate == recorded.folder + "/" + name)
    }
  }

  // MARK: Timeouts

  @Test(
    arguments: [
      (nil, 10_000, 10_000), ("", 10_000, 10_000), ("6", 10_000, 60_000), ("90", 20_000, 900_000),
      ("2", 1_000_000, 1_000_000),
    ]
      as [(String?, Int, Int)])
  func theFactorMultipliesUpToTheLimitOfLambda(_ text: String?, _ given: Int, _ expected: Int) throws {
    var environment: [String: String] = [:]
    environment[TimeoutFactor.variable] = text
    #expect(try TimeoutFactor(environment: environment).milliseconds(given) == expected)
  }

  @Test(arguments: ["0", "91", "-1", "1.5", "x", "6\u{1B}"]) func anInvalidFactorIsRefused(_ text: String) {
    let factor = TimeoutFactor(environment: [TimeoutFactor.variable: text])
    let failure = #expect(throws: CommandFailure.self) { try factor.factor() }
    #expect(
      failure?.message
        == "\(TimeoutFactor.variable) must be a whole number from 1 to 90, found \(Printable.text(text))")
  }

  @Test func aShortTimeoutAlsoLimitsTheStart() throws {
    let limits = try FunctionOptions(timeoutMilliseconds: 500).limits(TimeoutFactor(environment: [:]))
    #expect(limits.invocationMilliseconds == 500 && limits.initializationMilliseconds == 500)
  }

  // MARK: Programs

  private static func installation(
    _ recorded: RecordedMachine, at place: String
  ) -> Installation {
    Installation(
      executable: recorded.folder + "/" + place, files: recorded.machine.files,
      terminal: recorded.machine.terminal)
  }

  @Test(
    arguments: [
      (
        "prefix/bin/authorizer-local", "prefix/libexec/authorizer-local/bootstrap",
        "run make install again in the checkout"
      ),
      ("copy/authorizer-local", "copy/bootstrap", "copy it to the folder of authorizer-local"),
    ])
  func aProgramIsFoundByTheFolderOfThisOne(_ own: String, _ path: String, _ cure: String) throws {
    let recorded = try RecordedMachine()
    let installation = Self.installation(recorded, at: own)
    #expect(installation.checkout == nil)
    #expect(installation.program("bootstrap") == nil)
    let missing = installation.missing("bootstrap", neededBy: "F", orElse: "do without")
    #expect(missing.message == "\(recorded.folder)/\(path) is missing, and F needs it")
    #expect(missing.hint == "\(cure), or do without")
    try recorded.write("x", to: own)
    try recorded.write("#!/bin/sh\n", to: path)
    #expect(installation.missing("bootstrap", orElse: "x").message.hasSuffix(" cannot be executed"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: recorded.folder + "/" + path)
    #expect(installation.program("bootstrap") == recorded.folder + "/" + path)
    #expect(recorded.notes == "")
  }

  @Test func aCheckoutRunsItsOwnBuild() throws {
    let recorded = try RecordedMachine()
    try recorded.write("// a package", to: "checkout/Package.swift")
    for place in ["checkout/.build/debug/authorizer-local", "checkout/dist/authorizer-local"] {
      let installation = Self.installation(recorded, at: place)
      #expect(installation.checkout == recorded.folder + "/checkout")
      #expect(installation.place(of: "identity") == recorded.folder + "/checkout/dist/identity")
      #expect(installation.missing("identity", orElse: "x").message == "dist/identity is missing")
    }
  }

  @Test func aBuildOfTheWorkingFolderIsNotedOnce() throws {
    let recorded = try RecordedMachine()
    let installation = Self.installation(recorded, at: "copy/authorizer-local")
    try recorded.write("x", to: "copy/authorizer-local")
    for path in ["copy/bootstrap", "dist/bootstrap"] {
      try recorded.write("#!/bin/sh\n", to: path)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: recorded.folder + "/" + path)
    }
    for _ in 0..<2 { _ = installation.program("bootstrap") }
    #expect(
      recorded.notes
        == "note: \(recorded.folder)/copy/bootstrap runs, and not \(recorded.folder)/dist/bootstrap, which "
        + "dist/authorizer-local of that folder runs\n")
  }

  // MARK: Development state

  @Test func stateIsInTheProjectAndPublishedOnce() throws {
    let recorded = try RecordedMachine(hasKeys: true)
    let state = recorded.machine.development
    #expect(state.path == recorded.folder + "/.development")
    let path = try state.keySetPath()
    #expect(path == recorded.folder + "/.development/jwks.json")
    #expect(try recorded.text(of: path).contains("\"keys\""))
    #expect(try state.keySetPath() == path)
  }

  @Test func aLinkInPlaceOfTheFolderIsRefused() throws {
    let recorded = try RecordedMachine()
    try FileManager.default.createSymbolicLink(
      atPath: recorded.folder + "/.development", withDestinationPath: "/tmp")
    let failure = #expect(throws: CommandFailure.self) { try recorded.machine.development.keys() }
    #expect(
      failure?.message.hasSuffix(" is a symbolic link: files would be written to another location") == true)
  }

  @Test func stateOutsideOfAProjectIsTheUsers() throws {
    let recorded = try RecordedMachine(["XDG_STATE_HOME": "relative", "HOME": "/users/someone"])
    try FileManager.default.removeItem(atPath: recorded.folder + "/.git")
    #expect(recorded.machine.development.path == "/users/someone/.local/state/authorizer-local")
    let other = try RecordedMachine(["XDG_STATE_HOME": "/state"])
    try FileManager.default.removeItem(atPath: other.folder + "/.git")
    #expect(other.machine.development.path == "/state/authorizer-local")
  }
}
