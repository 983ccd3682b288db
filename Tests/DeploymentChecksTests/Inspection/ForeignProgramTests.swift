@testable import DeploymentChecks
import Foundation
import Testing

@Suite("Programs of other processors")
struct ForeignProgramTests {
  private static let other: ELFFile.Machine = ELFFile.Machine.own == .arm ? .x86 : .arm

  private static func foreign(_ bytes: [UInt8]) throws -> ForeignProgram? {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("program-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    return ForeignProgram(at: file.path)
  }

  private static func program(_ machine: ELFFile.Machine) -> [UInt8] {
    var image = ProgramImage()
    image.machine = machine == .arm ? 183 : 62
    return image.bytes
  }

  @Test func findsAProgramOfAnotherProcessor() throws {
    let program = try #require(try Self.foreign(Self.program(Self.other)))
    #expect(program.machine == Self.other)
    #expect(program.emulator == (Self.other == .arm ? "qemu-aarch64-static" : "qemu-x86_64-static"))
  }

  @Test func hasNothingAgainstOtherFiles() throws {
    if let own = ELFFile.Machine.own { #expect(try Self.foreign(Self.program(own)) == nil) }
    for bytes in [[], Array("#!/bin/sh\n".utf8), Array(Self.program(Self.other).prefix(40))] {
      #expect(try Self.foreign(bytes) == nil)
    }
    #expect(ForeignProgram(at: "/does/not/exist") == nil)
    #expect(ForeignProgram(at: "/") == nil)
  }
}
