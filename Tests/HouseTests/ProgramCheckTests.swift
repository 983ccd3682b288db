import Foundation
import Testing
import TestSupport

/// What a program that reads ELF files says of the two programs, and what `scripts/check-programs` must make of it.
struct ProgramHeaders: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var bootstrap = "  LOAD off 0x0\n"
  var fetchKeys = "  INTERP off\n  NEEDED libc.so.6\n  0x09691a75 GLIBC_2.2.5\n  0x069691b4 GLIBC_2.34\n"
  /// The programs of `PATH` that answer with these texts.
  var readers = ["objdump"]
  let status: Int32
  var says = ""

  static let all: [ProgramHeaders] = [
    .init(testDescription: "what make bootstrap links", status: 0),
    .init(testDescription: "the toolchain's reader alone", readers: ["llvm-objdump"], status: 0),
    .init(testDescription: "readelf alone", readers: ["readelf"], status: 0),
    .init(
      testDescription: "no reader: never skipped", readers: [], status: 69, says: "install binutils"),
    .init(
      testDescription: "a symbol that is too new", fetchKeys: "NEEDED libc.so.6\nGLIBC_2.9\nGLIBC_2.38\n",
      status: 1, says: "fetch-keys needs GLIBC_2.38, provided.al2023 has GLIBC_2.34"),
    .init(
      testDescription: "numbers, not letters, are compared", fetchKeys: "NEEDED libc.so.6\nGLIBC_2.4\n",
      status: 0),
    .init(
      testDescription: "no version at all", fetchKeys: "NEEDED libc.so.6\n", status: 1,
      says: "names no version of glibc"),
    .init(
      testDescription: "a linked library", fetchKeys: "NEEDED libcurl.so.4\nNEEDED libc.so.6\nGLIBC_2.34\n",
      status: 1, says: "needs a library beside glibc"),
    .init(
      testDescription: "a library that is called almost as glibc's",
      fetchKeys: "NEEDED libfoolibc.so.6\nNEEDED libc.so.6\nGLIBC_2.34\n", status: 1,
      says: "needs a library beside glibc"),
    .init(
      testDescription: "a library as readelf writes it", fetchKeys: "NEEDED [libc.so.6]\nGLIBC_2.34\n",
      status: 0),
    .init(
      testDescription: "packed relocations, which came with 2.36",
      fetchKeys: "NEEDED libc.so.6\nGLIBC_2.34\nGLIBC_ABI_DT_RELR\n", status: 1,
      says: "fetch-keys needs GLIBC_ABI_DT_RELR"),
    .init(
      testDescription: "a folder for libraries", fetchKeys: "NEEDED libc.so.6\nRUNPATH $ORIGIN\nGLIBC_2.34\n",
      status: 1, says: "looks for libraries in a folder of its own"),
    .init(
      testDescription: "a function that is loaded", bootstrap: "INTERP /lib64/ld-linux-x86-64.so.2\n",
      status: 1, says: "bootstrap is not static"),
    .init(
      testDescription: "a function with a library", bootstrap: "NEEDED libc.so.6\n", status: 1,
      says: "bootstrap is not static"),
    .init(testDescription: "no ELF file", bootstrap: "", status: 1, says: "bootstrap is no ELF file"),
  ]
}

@Suite("scripts/check-programs")
struct ProgramCheckTests {
  @Test("What provided.al2023 could not start ends the build", arguments: ProgramHeaders.all)
  func script(_ headers: ProgramHeaders) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "programs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["sh", "cat", "grep", "sort", "tail"] {
      let real = try #require(
        ["/usr/bin/\(name)", "/bin/\(name)"].first { FileManager.default.isExecutableFile(atPath: $0) })
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: name), withDestinationURL: URL(filePath: real))
    }
    for reader in headers.readers {
      // The file's own text stands for its headers; an empty one is no ELF file.
      let script = "#!/bin/sh\n[ -s \"$2\" ] && cat \"$2\"\n"
      try TestProgram.write(script, to: folder.appending(path: reader).path)
    }
    try Data(headers.bootstrap.utf8).write(to: folder.appending(path: "bootstrap"))
    try Data(headers.fetchKeys.utf8).write(to: folder.appending(path: "fetch-keys"))
    let errors = folder.appending(path: "errors")
    try Data().write(to: errors)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      Repository.root.appending(path: "scripts/check-programs").path, "bootstrap", "--", "fetch-keys",
    ]
    process.currentDirectoryURL = folder
    process.environment = ["PATH": folder.path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    let said = try String(contentsOf: errors, encoding: .utf8)
    #expect(process.terminationStatus == headers.status, "\(said)")
    if headers.status == 0 { #expect(said == "") } else { #expect(said.contains(headers.says), "\(said)") }
  }
}
