@testable import DeploymentChecks
import TestSupport
import Testing

@Suite struct ELFFileTests {
  static func image(_ change: (inout ProgramImage) -> Void = { _ in }) -> [UInt8] {
    var image = ProgramImage()
    change(&image)
    return image.bytes
  }

  @Test func readsADynamicProgramsDependencies() throws {
    let program = try ELFFile(
      parsing: Self.image {
        $0.libraries = ["libstdc++.so.6", "libc.so.6"]
        $0.versions = [("libstdc++.so.6", ["GLIBCXX_3.4.29"]), ("libc.so.6", ["GLIBC_2.2.5", "GLIBC_2.34"])]
      })
    #expect(program.machine == .x86)
    #expect(program.interpreter == "/lib64/ld-linux-x86-64.so.2")
    #expect(program.libraries == ["libstdc++.so.6", "libc.so.6"])
    #expect(program.versions.map(\.name) == ["GLIBCXX_3.4.29", "GLIBC_2.2.5", "GLIBC_2.34"])
    #expect(program.versions.map(\.library) == ["libstdc++.so.6", "libc.so.6", "libc.so.6"])
    #expect(!program.hasSymbolTable)
    #expect(program.searchPath == nil && program.isPositionIndependent)
    #expect(try ELFFile(parsing: Self.image { $0.searchPath = "$ORIGIN/lib" }).searchPath == "$ORIGIN/lib")
    #expect(RuntimeImage.missing(of: program).isEmpty)
    #expect(RuntimeImage.newest(of: program) == ["GLIBC_2.34", "GLIBCXX_3.4.29"])
  }

  @Test func readsAStaticProgram() throws {
    let program = try ELFFile(
      parsing: Self.image {
        $0.type = 2
        $0.machine = 183
        $0.interpreter = nil
        $0.isDynamic = false
        $0.hasSymbolTable = true
      })
    #expect(program.machine == .arm)
    #expect(program.interpreter == nil)
    #expect(program.libraries.isEmpty && program.versions.isEmpty)
    #expect(program.searchPath == nil && !program.isPositionIndependent)
    #expect(program.hasSymbolTable)
  }

  @Test(
    arguments: [
      ([], .notELF), (Array("#!/bin/sh\n".utf8), .notELF), ([0x7F, 0x45, 0x4C, 0x46], .truncated("header")),
      (image { $0.fileClass = 1 }, .otherMachine("32-bit processors")),
      (image { $0.byteOrder = 2 }, .otherMachine("big-endian processors")),
      (image { $0.machine = 243 }, .otherMachine("machine 243")), (image { $0.type = 1 }, .notAProgram),
      (image { $0.entry = 0 }, .notAProgram),
      (image { $0.segmentEntryBytes = 32 }, .damaged("program headers")),
      (image { $0.segmentOffsetShift = 1 }, .truncated("segments")),
      (image { $0.segmentOffsetShift = 1 << 62 }, .truncated("segments")),
      (image { $0.textsShift = 1 << 40 }, .damaged("dynamic table")),
      (image { $0.versionCountShift = 5000 }, .damaged("symbol versions")),
    ] as [([UInt8], ELFError)])
  func refusesFilesThatLambdaCannotStart(_ bytes: [UInt8], _ error: ELFError) {
    #expect(throws: error) { try ELFFile(parsing: bytes) }
  }

  @Test func refusesEveryTruncation() {
    let whole = Self.image { $0.hasSymbolTable = true }
    for length in 0..<whole.count {
      #expect(throws: ELFError.self) { try ELFFile(parsing: Array(whole[..<length])) }
    }
  }

  /// A damaged file is refused or read as something else; it never crashes the program.
  @Test(arguments: 0..<8 as Range<UInt64>) func damagedFilesNeverCrash(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let whole = Self.image { $0.hasSymbolTable = true }
    var refusals = 0
    for _ in 0..<400 {
      var damaged = whole
      for _ in 0..<3 {
        damaged[Int.random(in: 0..<whole.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if (try? ELFFile(parsing: damaged)) == nil { refusals += 1 }
    }
    #expect(refusals > 0)
  }

  @Test(arguments: [
    ("GLIBC_2.34", false), ("GLIBC_2.2.5", false), ("GLIBC_2.35", true), ("GLIBC_2.34.1", true),
    ("GLIBC_2.100", true), ("GLIBC_3.0", true), ("GLIBC_PRIVATE", true), ("GLIBC_ABI_DT_RELR", true),
    ("GLIBCXX_3.4.29", false), ("GLIBCXX_3.4.30", true), ("GLIBCXX_3.4.3", false), ("CXXABI_1.3.13", false),
    ("CXXABI_1.3.14", true), ("OPENSSL_3.0.0", false), ("GCC_3.0", false),
  ]) func findsSymbolsNewerThanTheRuntimes(_ name: String, _ isMissing: Bool) throws {
    let program = try ELFFile(parsing: Self.image { $0.versions = [("libc.so.6", [name])] })
    #expect(RuntimeImage.missing(of: program).map(\.name) == (isMissing ? [name] : []))
  }

  @Test(
    arguments: [
      ("OpenSSL 3.0.22 25 Aug 2026", "3.0.22"), ("OpenSSL 1.1.1w  11 Sep 2023", "1.1.1w"),
      ("OpenSSL PKCS#1 RSA\0openssl-version\u{0}3.5.8\0provider-name", "3.5.8"), ("OpenSSL 3", nil),
      ("OpenSSL OpenSSL 3.0.2 1", "3.0.2"), ("openssl-version\0?", nil), ("", nil),
    ] as [(String, String?)])
  func readsTheOpenSSLVersion(_ text: String, _ version: String?) {
    #expect(EmbeddedOpenSSL.version(in: Self.image { $0.text = text }) == version)
  }
}
