internal import Bytes
internal import Foundation

/// The libraries that the runtime `provided.al2023` provides (docs/deployment.md names the sources).
package enum RuntimeImage {
  /// The runtime's name in templates.
  package static let identifier = "provided.al2023"
  /// The newest symbol version of each family: glibc 2.34 and the libstdc++ of GCC 11.
  package static let newestVersions: [(family: String, numbers: [Int])] = [
    ("GLIBC", [2, 34]), ("GLIBCXX", [3, 4, 29]), ("CXXABI", [1, 3, 13]),
  ]
  /// The libraries of the image that this project's programs may be linked with.
  package static let libraries: Set<String> = [
    "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6", "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1", "libresolv.so.2", "libutil.so.1", "libanl.so.1", "libgcc_s.so.1", "libstdc++.so.6",
    "libcrypto.so.3", "libssl.so.3", "libcurl.so.4", "libz.so.1",
  ]

  /// Returns the symbol versions that a program needs and the image lacks.
  package static func missing(of program: ELFFile) -> [SymbolVersion] {
    program.versions.filter { version in
      let parts = version.parts
      return newestVersions.contains { $0.family == parts.family && version.isNewer(than: $0.numbers) }
    }
  }

  /// Returns the newest version of each family that a program needs, such as `GLIBC_2.34`.
  package static func newest(of program: ELFFile) -> [String] {
    newestVersions.compactMap { family in
      program.versions.filter { $0.parts.family == family.family }
        .max { $1.isNewer(than: $0.parts.numbers) }?.name
    }
  }
}

/// The version of OpenSSL that is linked into a program.
package enum EmbeddedOpenSSL {
  /// Returns a version such as `3.0.22`; `nil` if none is found.
  ///
  /// libcrypto contains the version as `OpenSSL 3.0.22 25 Aug 2026`, which a linker drops if nothing uses it; this
  /// project's functions are linked with it. Some linkers also leave the version behind the name of the parameter
  /// `openssl-version`, which a provider may query (provider-base(7)); others sort texts by their own order.
  package static func version(in program: [UInt8]) -> String? {
    // Foundation's search is compiled with optimizations in every build, and programs are large.
    let program = Data(program)
    return text(after: "OpenSSL ", in: program) ?? text(after: "openssl-version\0", in: program)
  }

  private static func text(after mark: String, in program: Data) -> String? {
    let mark = Data(mark.utf8)
    var rest = program.startIndex..<program.endIndex
    while let found = program.range(of: mark, in: rest) {
      let version = Array(program[found.upperBound...].prefix(32)).prefix {
        $0.isDecimalDigit || $0 == .dot || 0x61...0x7A ~= $0
      }
      let parts = version.split(separator: .dot, omittingEmptySubsequences: false)
      if parts.count == 3, parts.allSatisfy({ $0.first.map { $0.isDecimalDigit } ?? false }) {
        return String(decoding: version, as: UTF8.self)
      }
      rest = found.lowerBound + 1..<program.endIndex
    }
    return nil
  }
}
