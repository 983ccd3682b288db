import Foundation
import Testing

/// Our own C headers, compiled with warnings like our own code, not like system headers.
@Suite("C shims")
struct ShimTests {
  static let folders = [
    "Sources/CLibFuzzer", "Sources/CLibcrypto", "Sources/CLibcryptoX509", "Sources/CPOSIX", "Sources/CSQLite",
    "Sources/CZlib", "Tests/CLibssl",
  ]

  static let clang = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":")
    .map { URL(filePath: String($0)).appending(path: "clang").path }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test("All module maps are listed, and none hides warnings")
  func moduleMaps() throws {
    let maps = try Repository.checkedOut.get().files.filter { $0.key.hasSuffix("/module.modulemap") }
    #expect(maps.keys.map { String($0.dropLast("/module.modulemap".count)) }.sorted() == Self.folders)
    for (path, text) in maps { #expect(!text.contains("[system]"), "\(path)") }
  }

  @Test(
    "They compile without a warning", .enabled(if: clang != nil, "clang is not in PATH"),
    arguments: folders)
  func compiles(folder: String) throws {
    let errors = FileManager.default.temporaryDirectory.appending(path: "shim-\(UUID().uuidString)")
    try Data().write(to: errors)
    defer { try? FileManager.default.removeItem(at: errors) }
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    // pkg-config finds libraries outside the system's folders. Unused functions of a header cause no warning.
    process.arguments = [
      "-c",
      """
      flags=$(pkg-config --cflags libcrypto sqlite3 zlib 2>/dev/null || true)
      printf '#include "%s"\\n' "$1/shim.h" | "$2" -std=gnu17 -Wall -Wextra -Werror -fsyntax-only $flags -I. -x c -
      """, "sh", folder, Self.clang ?? "",
    ]
    process.currentDirectoryURL = Repository.root
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    let errorText = try String(contentsOf: errors, encoding: .utf8)
    #expect(process.terminationStatus == 0, "\(errorText)")
  }
}
