import Foundation
import Testing
import TestSupport

/// The output of a tool for ELF files about three programs, and the expected result of `scripts/check-programs`.
struct ProgramHeaders: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var bootstrap = "  LOAD off 0x0\n"
  var fetchKeys = "  INTERP off\n  NEEDED libc.so.6\n  0x09691a75 GLIBC_2.2.5\n  0x069691b4 GLIBC_2.34\n"
  /// The headers of `authorizer-local`.
  var tool = "  INTERP off\n" + Self.glibc
  /// Whether this is a release, whose tool must start on other systems too.
  var isRelease = true
  /// The checksums of modules in the programs; empty if they have none.
  var checksums: (bootstrap: String, fetchKeys: String, tool: String) = ("", "", "")
  /// The tools in `PATH` that print these texts.
  var readers = ["objdump"]
  let status: Int32
  /// In the error, or in a note if there is no error.
  var message = ""

  /// What is linked with glibc, and with nothing else.
  private static let glibc =
    "  NEEDED libm.so.6\n  NEEDED libc.so.6\n  NEEDED ld-linux-x86-64.so.2\n  0x069691b4 GLIBC_2.34\n"

  static let all: [ProgramHeaders] =
    [
      .init(testDescription: "the result of make bootstrap", status: 0),
      .init(testDescription: "only the toolchain's tool", readers: ["llvm-objdump"], status: 0),
      .init(testDescription: "only readelf", readers: ["readelf"], status: 0),
      .init(
        testDescription: "no tool: an error, not a skip", readers: [], status: 69, message: "install binutils"
      ),
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
        testDescription: "a library search path",
        fetchKeys: "NEEDED libc.so.6\nRUNPATH $ORIGIN\nGLIBC_2.34\n",
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
          "Hex dump of section '.swift_modhash':\n  0x00001260 00000000 00000000 ........\n\n", ""
        ), status: 0),
      .init(
        testDescription: "checksums of modules, whose last bytes are not zero",
        checksums: (
          """
          Contents of section .swift_modhash:
           2005b8 00000000 00000000 00000000 00000000  ................
           2005c8 00000000 00000001                    ........
          """, "", ""
        ), status: 1, message: "bootstrap depends on the folder in which it was built"),
      .init(
        testDescription: "checksums of modules in readelf's format, whose address has no zero",
        checksums: ("", "  0x2bcdef11 49994215 100f92f8 62d1436c 13f8a8f8 I.B.....b.Cl....\n", ""),
        readers: ["readelf"], status: 1,
        message: "fetch-keys depends on the folder in which it was built"),
      .init(
        testDescription: "not an ELF file", bootstrap: "", status: 1, message: "bootstrap is not an ELF file"),
    ] + tools

  /// What holds for `authorizer-local`. The first three are errors in every build, the others only in a release.
  private static let tools: [ProgramHeaders] =
    [
      .init(
        testDescription: "a tool with a library search path", tool: "RUNPATH $ORIGIN\n" + glibc,
        isRelease: false, status: 1, message: "tool has a library search path"),
      foreign("a foreign library", "libssh2.so.1"),
      foreign("a library whose name begins like one that it may need", "libz.so.10"),
      foreign("libcurl", "libcurl.so.4"),
      .init(
        testDescription: "a tool that exports libcrypto",
        tool: glibc + "0000000001a2b3c4 g    DF .text\t0000000000000042  Base        EVP_DigestInit_ex\n",
        isRelease: false, status: 1, message: "tool exports EVP_DigestInit_ex"),
      .init(
        testDescription: "a tool that exports zlib, in readelf's format",
        tool: glibc + "   421: 0000000001a2b3c4   123 FUNC    GLOBAL DEFAULT   15 inflate\n",
        isRelease: false, readers: ["readelf"], status: 1, message: "tool exports inflate"),
      .init(
        testDescription: "a tool that calls a function of a shared libcrypto",
        tool: glibc + "0000000000000000      DF *UND*\t0000000000000000  OPENSSL_3.0.0 EVP_DigestInit_ex\n",
        status: 0),
      .init(
        testDescription: "a tool with the checksums of Swift's libraries",
        checksums: ("", "", " 2005b8 00000000 00000000 00000000 00000001  ................\n"), status: 0),
      .init(testDescription: "a tool that needs glibc alone", tool: glibc, isRelease: false, status: 0),
      .init(
        testDescription: "a tool without a version of glibc", tool: "NEEDED libc.so.6\n", isRelease: false,
        status: 1, message: "tool names no version of glibc"),
    ] + later.flatMap { [$0, $0.here] }

  private static func foreign(_ name: String, _ library: String) -> ProgramHeaders {
    .init(
      testDescription: "a tool that is linked with \(name)", tool: "NEEDED \(library)\n" + glibc,
      isRelease: false, status: 1, message: "tool needs a library that it may not need: NEEDED \(library)")
  }

  /// Tools that start on this machine, but not on every one with glibc 2.34.
  private static let later: [ProgramHeaders] = [
    ("a shared libcrypto", "NEEDED libcrypto.so.3\n", "libcrypto.so.3"),
    ("a shared zlib", "NEEDED libz.so.1\n", "libz.so.1"),
    ("a symbol that is too new", "GLIBC_2.35\n", "GLIBC_2.35"),
    ("packed relocations", "GLIBC_ABI_DT_RELR\n", "GLIBC_ABI_DT_RELR"),
    ("a shared libstdc++", "NEEDED libstdc++.so.6\n", "libstdc++.so.6"),
    ("a shared libgcc", "NEEDED libgcc_s.so.1\n", "libgcc_s.so.1"),
    ("versions of libstdc++", "GLIBCXX_3.4.30\n", "GLIBCXX_3.4.30"),
  ].map { name, header, need in
    ProgramHeaders(
      testDescription: "a tool with \(name)", tool: glibc + header, status: 1, message: "tool needs \(need)")
  }

  /// The same outside a release: a note.
  private var here: ProgramHeaders {
    .init(
      testDescription: testDescription + ", for this machine", tool: tool, isRelease: false, status: 0,
      message: message)
  }
}

@Suite("scripts/check-programs")
struct ProgramCheckTests {
  /// What the script may start in all cases: the folder `bin`, and one for each tool for ELF files.
  private static let tools: Result<TemporaryFolder, any Error> = Result {
    let folder = try TemporaryFolder("tools")
    atexit { if let folder = try? tools.get() { try? FileManager.default.removeItem(at: folder.url) } }
    try FileManager.default.createDirectory(atPath: folder.path("bin"), withIntermediateDirectories: false)
    for name in ["sh", "cat", "grep", "sort", "tail", "tr"] {
      let real = try #require(
        ["/usr/bin/\(name)", "/bin/\(name)"].first { FileManager.default.isExecutableFile(atPath: $0) })
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("bin/\(name)"), withDestinationPath: real)
    }
    for reader in ["objdump", "llvm-objdump", "readelf"] {
      // The file's text is printed as its headers; an empty file counts as no ELF file.
      try folder.script(
        """
        if [ "$2" = .swift_modhash ]; then cat "$3.checksums"; else [ -s "$2" ] && cat "$2"; fi
        """, to: "\(reader)/\(reader)")
    }
    return folder
  }

  @Test(
    "A program that its systems cannot start, or that depends on its folder, fails the build",
    arguments: ProgramHeaders.all)
  func script(_ headers: ProgramHeaders) throws {
    let folder = try TemporaryFolder()
    let tools = try Self.tools.get()
    for (name, text) in [
      ("bootstrap", headers.bootstrap), ("fetch-keys", headers.fetchKeys), ("tool", headers.tool),
      ("tool.checksums", headers.checksums.tool), ("bootstrap.checksums", headers.checksums.bootstrap),
      ("fetch-keys.checksums", headers.checksums.fetchKeys),
    ] { try folder.write(text, to: name) }
    let run = try ScriptRun(
      ["check-programs", "bootstrap", "--", "fetch-keys", "--", "tool"], in: folder.url,
      path: (["bin"] + headers.readers).map(tools.path).joined(separator: ":"),
      environment: ["PORTABLE": headers.isRelease ? "1" : ""])
    #expect(run.status == headers.status, "\(run)")
    if headers.status == 0 {
      #expect(run.errors == "")
      let notes = run.output.split(separator: "\n").filter { $0.hasPrefix("note: ") }
      #expect(notes.count == (headers.message.isEmpty ? 0 : 1), "\(notes)")
      #expect(notes.allSatisfy { $0.contains(headers.message) }, "\(notes)")
    } else {
      #expect(run.errors.contains(headers.message), "\(run)")
    }
  }

  @Test(
    "make build and make install check the tool, which is linked for other systems; make release requires it")
  func makefile() throws {
    let files = try Repository.checkedOut.get().files
    let makefile = try #require(files["Makefile"])
    let check =
      "\nCHECK_TOOL = $(if $(STATIC_RUNTIME)$(PORTABLE),scripts/check-programs -- -- dist/authorizer-local,:)\n"
    #expect(makefile.contains(check))
    for command in ["build", "install"] {
      let recipe = makefile.components(separatedBy: "\n\(command): ").last?.components(separatedBy: "\n\n")
        .first
      #expect(recipe?.contains("\n\t@$(CHECK_TOOL)") == true, "\(command)")
    }
    let link = makefile.components(separatedBy: "\nHARNESS_LINK = ").last?.components(separatedBy: "\nCHECK")
      .first
    for option in [
      "--disable-local-rpath", "-static-libgcc", "\"-L$(CURDIR)/$(LIBRARY_FOLDER)\"",
      "--exclude-libs=libcrypto.a:libz.a",
    ] {
      #expect(link?.contains(option) == true, "\(option)")
    }
    #expect(files["scripts/release"]?.contains("\nPORTABLE=1 make --no-print-directory build ") == true)
  }
}
