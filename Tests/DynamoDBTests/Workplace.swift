import Foundation

/// A folder of its own for one test.
struct Workplace: ~Copyable {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "caller-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// A shell script that stands in for `call-dynamodb`.
  ///
  /// Another process writes it: a child that a test starts meanwhile would for a moment hold a descriptor of this one's,
  /// and a file that is open for writing cannot be executed (ETXTBSY of execve(2)).
  func script(_ text: String) throws -> String {
    let writer = Process()
    writer.executableURL = URL(filePath: "/bin/sh")
    writer.arguments = [
      "-c", #"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 755 "$0""#, path("call-dynamodb"), text,
    ]
    try writer.run()
    writer.waitUntilExit()
    return path("call-dynamodb")
  }
}
