import Foundation
import Testing
import TestSupport

/// `scripts/architecture`, which checks `make COMMAND ARCH=…`.
@Suite("scripts/architecture")
struct ArchitectureTests {
  struct Order: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let arguments: [String]
    let status: Int32
    /// Texts of standard error; for status 0, whether the sysroot is made.
    var messages: [String] = []
    var makesSysroot = false
  }

  static let orders = [
    Order(testDescription: "no ARCH that counts", arguments: ["", "x86_64", "Linux"], status: 0),
    Order(testDescription: "this machine's", arguments: ["x86_64", "x86_64", "Linux"], status: 0),
    Order(
      testDescription: "arm64 on arm64 needs no sysroot", arguments: ["arm64", "arm64", "Linux"], status: 0),
    Order(testDescription: "arm64 on macOS is its own", arguments: ["arm64", "arm64", "Darwin"], status: 0),
    Order(
      testDescription: "arm64 on another machine", arguments: ["arm64", "x86_64", "Linux"], status: 0,
      makesSysroot: true),
    Order(
      testDescription: "x86_64 on arm64", arguments: ["x86_64", "arm64", "Linux"], status: 69,
      messages: ["error: x86_64 programs are not built on arm64", "hint: run make on an x86_64 machine"]),
    Order(
      testDescription: "arm64 on a Mac of the other kind", arguments: ["arm64", "x86_64", "Darwin"],
      status: 69,
      messages: ["error: arm64 programs for Lambda are built on Linux, this is Darwin"]),
    Order(
      testDescription: "the kernel's name of arm64", arguments: ["aarch64", "x86_64", "Linux"], status: 64,
      messages: ["error: ARCH=aarch64 is not an architecture of Lambda", "hint: write ARCH=arm64\n"]),
    Order(
      testDescription: "Debian's name of x86_64", arguments: ["amd64", "x86_64", "Linux"], status: 64,
      messages: ["hint: write ARCH=x86_64\n"]),
    Order(
      testDescription: "a typing error", arguments: ["arm46", "x86_64", "Linux"], status: 64,
      messages: ["hint: write ARCH=arm64 or ARCH=x86_64\n"]),
    Order(
      testDescription: "a command that takes none", arguments: ["", "x86_64", "Linux", "test"], status: 64,
      messages: ["error: make test takes no ARCH", "hint: ARCH is for bootstrap"]),
  ]

  @Test("An ARCH that cannot be built is refused", arguments: orders)
  func script(_ order: Order) throws {
    let folder = try TemporaryFolder()
    let script = folder.path("architecture")
    try TestProgram.copy(Repository.root.appending(path: "scripts/architecture").path, to: script)
    try folder.script("echo sysroot", to: "arm64-sysroot")
    let run = try ScriptRun([script] + order.arguments, in: folder.url)
    #expect(run.status == order.status, "\(run)")
    #expect(run.output == (order.makesSysroot ? "sysroot\n" : ""))
    for message in order.messages { #expect(run.errors.contains(message), "\(run)") }
    #expect(run.errors.isEmpty == order.messages.isEmpty, "\(run)")
  }
}
