package import Foundation

/// A folder for one test, which is removed after it. No part of its path is a link.
package final class TemporaryFolder: Sendable {
  package let url: URL

  package var path: String { url.path }

  /// - Parameter name: the beginning of the folder's name.
  package init(_ name: String = "test") throws {
    url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "\(name)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package func path(_ name: String) -> String { url.appending(path: name).path }

  package func text(_ name: String) throws -> String {
    try String(contentsOf: url.appending(path: name), encoding: .utf8)
  }

  /// Writes a file and creates its folders; returns its path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    let file = try created(name)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// Writes a shell script and creates its folders; returns its path.
  @discardableResult
  package func script(_ text: String, to name: String = "program") throws -> String {
    let path = try created(name).path
    try TestProgram.write("#!/bin/sh\n\(text)\n", to: path)
    return path
  }

  private func created(_ name: String) throws -> URL {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    return file
  }
}
