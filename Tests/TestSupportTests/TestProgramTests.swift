import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("TestProgram")
struct TestProgramTests {
  private static func status(of program: String) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: program)
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test("writes programs that start while other threads start processes, and replaces them")
  func starts() throws {
    let folder = try TemporaryFolder()
    let program = folder.path("it's a program")
    let isOver = Atomic(false)
    let ended = DispatchSemaphore(value: 0)
    let others = 4
    for _ in 0..<others {
      Thread.detachNewThread {
        while !isOver.load(ordering: .acquiring) { _ = try? Self.status(of: "/bin/true") }
        ended.signal()
      }
    }
    defer {
      isOver.store(true, ordering: .releasing)
      for _ in 0..<others { ended.wait() }
    }
    for round in 0..<20 {
      try TestProgram.write("#!/bin/sh\n# 'quoted' $0 `x`\nexit \(round)\n", to: program)
      #expect(try Self.status(of: program) == Int32(round))
      try TestProgram.copy(program, to: program + " again")
      #expect(try Self.status(of: program + " again") == Int32(round))
    }
  }

  @Test("gives a program a second path, which replaces a file and not the program")
  func links() throws {
    let folder = try TemporaryFolder()
    let (program, second) = (folder.path("a"), folder.path("b c"))
    try TestProgram.write("#!/bin/sh\n[ \"${0##*/}\" != a ]\n", to: program)
    try TestProgram.write("#!/bin/sh\nexit 2\n", to: second)
    try TestProgram.link(program, to: second)
    #expect(try Self.status(of: second) == 0)
    #expect(try Self.status(of: program) == 1)
    try TestProgram.write("#!/bin/sh\nexit 3\n", to: second)
    #expect(try Self.status(of: program) == 1)
  }

  @Test("throws if a program cannot be written")
  func notWritten() {
    #expect(throws: TestProgram.NotWritten.self) { try TestProgram.write("", to: "/nowhere/program") }
    #expect(throws: TestProgram.NotWritten.self) { try TestProgram.copy("/nowhere/a", to: "/nowhere/b") }
    #expect(throws: TestProgram.NotWritten.self) { try TestProgram.link("/nowhere/a", to: "/nowhere/b") }
  }
}
