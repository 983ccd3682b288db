import Foundation
import TestSupport

/// A temporary folder for one test.
struct Workplace: ~Copyable {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "caller-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Writes a shell script in place of `call-dynamodb`; returns its path.
  func script(_ text: String) throws -> String {
    try TestProgram.write("#!/bin/sh\n\(text)\n", to: path("call-dynamodb"))
    return path("call-dynamodb")
  }
}
