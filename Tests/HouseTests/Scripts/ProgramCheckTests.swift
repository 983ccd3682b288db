import Foundation
import Testing
import TestSupport

/// The output of a tool for ELF files about the two programs, and the expected result of `scripts/check-programs`.
struct ProgramHeaders: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var bootstrap = "  LOAD off 0x0\n"
  var fetchKeys = "  INTERP off\n  NEEDED libc.so.6\n  0x09691a75 GLIBC_2.2.5\n  0x069691b4 GLIBC_2.34\n"
  /// The checksums of modules in the programs; empty if they have none.
  var checksums: (bootstrap: String, fetchKeys: String) = ("", "")
  /// The tools in `PATH` that print these texts.
  var readers = ["objdump"]
  let status: Int32
  var message = ""

  static let all: [ProgramHeaders] = [
    .init(testDescription: "the result of make bootstrap", status: 0),
    .init(testDescription: "only the toolchain's tool", readers: ["llvm-objdump"], status: 0),
    .init(testDescription: "only readelf", readers: ["readelf"], status: 0),
    .init(
      testDescription: "no tool: an error, not a skip", readers: [], status: 69, message: "install binutils"),
    .init(
      testDescription: "a symbol that is too new", fetchKeys: "NEEDED libc.so.6\nGLIBC_2.9\nGLIBC_2.38\n",
      status: 1, message: "fetch-keys needs GLIBC_2.38, provided.al2023 has GLIBC_2.34"),
    .init(
      testDescription: "versions are compared as numbers", fetchKeys: "NEEDED libc.so.6\nGLIBC_2.4\n",
      status: 0),
    .init(
      testDescription: "no version", fetchKeys: "NEEDED libc.so.6\n", status: 1,
      message: "names no version of glibc"),
    .init(
      testDescription: "a linked library", fetchKeys: "NEEDED libcurl.so.4\nNEEDED libc.so.6\nGLIBC_2.34\n",
      status: 1, message: "needs a library other than glibc"),
    .init(
      testDescription: "a library with a name similar to glibc's",
      fetchKeys: "NEEDED libfoolibc.so.6\nNEEDED libc.so.6\nGLIBC_2.34\n", status: 1,
      message: "needs a library other than glibc"),
    .init(
      testDescription: "a library in readelf's format", fetchKeys: "NEEDED [libc.so.6]\nGLIBC_2.34\n",
      status: 0),
    .init(
      testDescription: "packed relocations, which came with 2.36",
      fetchKeys: "NEEDED libc.so.6\nGLIBC_2.34\nGLIBC_ABI_DT_RELR\n", status: 1,
      message: "fetch-keys needs GLIBC_ABI_DT_RELR"),
    .init(
      testDescription: "programs for arm64, whose loader is also a library",
      fetchKeys:
        "  INTERP off\n  NEEDED libc.so.6\n  NEEDED ld-linux-aarch64.so.1\n  0x06969197 GLIBC_2.17\n",
      status: 0),
    .init(
      testDescription: "a library search path", fetchKeys: "NEEDED libc.so.6\nRUNPATH $ORIGIN\nGLIBC_2.34\n",
      status: 1, message: "has a library search path"),
    .init(
      testDescription: "a function with an interpreter", bootstrap: "INTERP /lib64/ld-linux-x86-64.so.2\n",
      status: 1, message: "bootstrap is not static"),
    .init(
      testDescription: "a function with a library", bootstrap: "NEEDED libc.so.6\n", status: 1,
      message: "bootstrap is not static"),
    .init(
      testDescription: "checksums that are zeros",
      checksums: (
        "Contents of section .swift_modhash:\n 2005b8 00000000 00000000 00000000 00000000  ................\n",
        "Hex dump of section '.swift_modhash':\n  0x00001260 00000000 00000000 ........\n\n"
      ), status: 0),
    .init(
      testDescription: "checksums of modules, whose last bytes are not zero",
      checksums: (
        """
        Contents of section .swift_modhash:
         2005b8 00000000 00000000 00000000 00000000  ................
         2005c8 00000000 00000001                    ........
        """, ""
      ), status: 1, message: "bootstrap depends on the folder in which it was built"),
    .init(
      testDescription: "checksums of modules in readelf's format, whose address has no zero",
      checksums: ("", "  0x2bcdef11 49994215 100f92f8 62d1436c 13f8a8f8 I.B.....b.Cl....\n"),
      readers: ["readelf"], status: 1,
      message: "fetch-keys depends on the folder in which it was built"),
    .init(
      testDescription: "not an ELF file", bootstrap: "", status: 1, message: "bootstrap is not an ELF file"),
  ]
}

@Suite("scripts/check-programs")
struct ProgramCheckTests {
  @Test(
    "A program that provided.al2023 cannot start, or that depends on its folder, fails the build",
    arguments: ProgramHeaders.all)
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
      // The file's text is printed as its headers; an empty file counts as no ELF file.
      let script = """
        #!/bin/sh
        if [ "$2" = .swift_modhash ]; then cat "$3.checksums"; else [ -s "$2" ] && cat "$2"; fi

        """
      try TestProgram.write(script, to: folder.appending(path: reader).path)
    }
    try Data(headers.bootstrap.utf8).write(to: folder.appending(path: "bootstrap"))
    try Data(headers.fetchKeys.utf8).write(to: folder.appending(path: "fetch-keys"))
    try Data(headers.checksums.bootstrap.utf8).write(to: folder.appending(path: "bootstrap.checksums"))
    try Data(headers.checksums.fetchKeys.utf8).write(to: folder.appending(path: "fetch-keys.checksums"))
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
    let errorText = try String(contentsOf: errors, encoding: .utf8)
    #expect(process.terminationStatus == headers.status, "\(errorText)")
    if headers.status == 0 {
      #expect(errorText == "")
    } else {
      #expect(errorText.contains(headers.message), "\(errorText)")
    }
  }
}
