import Foundation
import Testing

/// Our own C headers, read as a compiler reads ours and not as it reads the system's.
@Suite("C shims")
struct ShimTests {
  static let folders = [
    "Sources/CLibFuzzer", "Sources/CLibcrypto", "Sources/CPOSIX", "Sources/CSQLite", "Tests/CLibssl",
  ]

  static let clang = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":")
    .map { URL(filePath: String($0)).appending(path: "clang").path }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test("Every header of ours is one of these, and no module map hides its warnings")
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
    // Where a library is not in the system's own folders, pkg-config knows in which; functions that a header defines and this
    // file does not use are no warning.
    process.arguments = [
      "-c",
      """
      flags=$(pkg-config --cflags libcrypto sqlite3 2>/dev/null || true)
      printf '#include "%s"\\n' "$1/shim.h" | "$2" -std=gnu17 -Wall -Wextra -Werror -fsyntax-only $flags -I. -x c -
      """, "sh", folder, Self.clang ?? "",
    ]
    process.currentDirectoryURL = Repository.root
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    let said = try String(contentsOf: errors, encoding: .utf8)
    #expect(process.terminationStatus == 0, "\(said)")
  }
}
