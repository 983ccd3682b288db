import Foundation
import Testing

/// A simulated machine, and the expected actions of `scripts/system-packages`.
struct Machine: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var system = "Linux"
  var user = 1000
  var swift: String? = "Swift version 6.3.1 (swift-6.3.1-RELEASE)"
  var present: Set<String> = []
  /// Other installed tools: package managers, sudo.
  var tools: Set<String> = ["apt-get", "sudo"]
  var hasPackageLists = true
  var install: String?
  /// The input on the terminal; `nil` without a terminal.
  var answer: String?
  /// Whether the package manager installs the packages.
  var installationWorks = true
  /// Whether the first installation fails, as with outdated package lists.
  var firstInstallationFails = false

  let status: Int32
  /// The commands that changed the machine, in order.
  var commands: [String] = []
  var messages: [String] = []

  static let needed: Set = ["pkg-config", "libcrypto", "libcurl", "sqlite", "zlib"]
  private static let apt = "env DEBIAN_FRONTEND=noninteractive apt-get install -y"
  private static let aptAll = "\(apt) pkg-config libssl-dev libcurl4-openssl-dev libsqlite3-dev zlib1g-dev"
  private static let byHand = "run `sudo apt-get update && sudo apt-get install -y pkg-config libssl-dev"

  static let all: [Machine] = [
    Machine(testDescription: "nothing is missing: no output", present: needed, status: 0),
    Machine(
      testDescription: "Apple's spelling of the version", system: "Darwin",
      swift: "swift-driver version: 1.127.14 Apple Swift version 6.2 (swiftlang-6.2.0.19.9)", present: needed,
      status: 0),
    Machine(
      testDescription: "no swift", swift: nil, status: 69,
      messages: [
        "error: swift is not installed", "Swift 6.2 or later",
        "hint: install it from https://www.swift.org/install",
      ]),
    Machine(
      testDescription: "swift 6.1", swift: "Swift version 6.1.2 (swift-6.1.2-RELEASE)", present: needed,
      status: 69,
      messages: ["error: swift 6.1 is too old", "Swift 6.2 or later"]),
    Machine(
      testDescription: "swift 5.10", swift: "Swift version 5.10 (swift-5.10-RELEASE)", present: needed,
      status: 69,
      messages: ["error: swift 5.10 is too old"]),
    Machine(
      testDescription: "swift 10.0 is newer", swift: "Swift version 10.0 (swift-10.0-RELEASE)",
      present: needed,
      status: 0),
    Machine(testDescription: "root installs", user: 0, status: 0, commands: [aptAll]),
    Machine(
      testDescription: "root without package lists fetches them first", user: 0, hasPackageLists: false,
      status: 0,
      commands: ["apt-get update", aptAll]),
    Machine(
      testDescription: "an installation with outdated package lists is retried with new ones", user: 0,
      firstInstallationFails: true, status: 0, commands: [aptAll, "apt-get update", aptAll]),
    Machine(
      testDescription: "only what is missing is installed", user: 0,
      present: ["pkg-config", "libcurl", "sqlite", "zlib"],
      status: 0, commands: ["\(apt) libssl-dev"]),
    Machine(
      testDescription: "only the static libcrypto is missing", user: 0,
      present: ["pkg-config", "libcrypto-shared", "libcurl", "sqlite", "zlib"], status: 0,
      commands: ["\(apt) libssl-dev"]),
    Machine(
      testDescription: "macOS needs no static libcrypto", system: "Darwin",
      present: ["pkg-config", "libcrypto-shared", "libcurl", "sqlite", "zlib"], tools: ["brew"], status: 0),
    Machine(
      testDescription: "INSTALL=1 uses sudo", install: "1", status: 0, commands: ["sudo \(aptAll)"]),
    Machine(
      testDescription: "INSTALL=0 does not install", install: "0", status: 69,
      messages: ["error: missing: pkg-config"]),
    Machine(
      testDescription: "no terminal: the command is printed", status: 69,
      messages: [
        "error: missing: pkg-config libssl-dev libcurl4-openssl-dev libsqlite3-dev zlib1g-dev", byHand,
        "make deps INSTALL=1",
      ]),
    Machine(
      testDescription: "a terminal is asked once: yes", answer: "y", status: 0, commands: ["sudo \(aptAll)"],
      messages: ["Missing: pkg-config libssl-dev libcurl4-openssl-dev libsqlite3-dev zlib1g-dev.", "[Y/n]"]),
    Machine(
      testDescription: "a terminal is asked once: enter", answer: "", status: 0, commands: ["sudo \(aptAll)"]),
    Machine(
      testDescription: "a terminal is asked once: no", answer: "n", status: 69, messages: ["[Y/n]", byHand]),
    Machine(
      testDescription: "a terminal without sudo is not asked", tools: ["apt-get"], answer: "y", status: 69,
      messages: ["error: missing", byHand]),
    Machine(
      testDescription: "dnf", user: 0, tools: ["dnf"], status: 0,
      commands: [
        "dnf install -y pkgconf-pkg-config openssl-devel openssl-static libcurl-devel sqlite-devel zlib-devel"
      ]),
    Machine(
      testDescription: "Homebrew, without sudo", system: "Darwin", tools: ["brew", "sudo"], install: "1",
      status: 0,
      commands: ["brew install pkgconf openssl@3 curl sqlite zlib"]),
    Machine(
      testDescription: "Homebrew refuses root", system: "Darwin", user: 0, tools: ["brew"], install: "1",
      status: 69,
      messages: ["run `brew install pkgconf openssl@3 curl sqlite zlib`"]),
    Machine(
      testDescription: "no known package manager", user: 0, tools: [], status: 69,
      messages: [
        "error: missing: pkg-config libcrypto libcurl sqlite zlib", "hint: install them with this system's",
      ]),
    Machine(
      testDescription: "installed, but still missing", user: 0, installationWorks: false, status: 69,
      commands: [aptAll],
      messages: ["error: installed, but still not found: pkg-config libcrypto libcurl sqlite zlib"]),
  ]
}

@Suite("scripts/system-packages")
struct SystemPackagesTests {
  @Test("Missing packages are installed, requested or listed", arguments: Machine.all)
  func script(_ machine: Machine) throws {
    let stage = try Stage(machine)
    let run = try stage.run()
    #expect(run.status == machine.status, "\(run.standardError)")
    #expect(try stage.commands() == machine.commands)
    for text in machine.messages { #expect(run.standardError.contains(text), "\(run.standardError)") }
    #expect(run.standardOutput == "")
    if machine.status == 0, machine.commands.isEmpty { #expect(run.standardError == "") }
  }
}
