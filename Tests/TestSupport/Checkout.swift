package import Foundation

/// The files of this repository, and the programs that were built with the tests.
package enum Checkout {
  /// The folder of `Package.swift`.
  package static let root: URL = {
    var folder = URL(filePath: #filePath).deletingLastPathComponent()
    while !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path),
      folder.path != "/"
    {
      folder.deleteLastPathComponent()
    }
    return folder
  }()

  /// The text of a file, by its path in the repository.
  package static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// A program of the same build, in the folder of the tests.
  package static func built(_ program: String) -> URL {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
      let folder = bundle.bundleURL.deletingLastPathComponent()
    #else
      let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    #endif
    return folder.appending(path: program)
  }

  /// A program of this build, and the shipped one in `dist` if it exists.
  package static func builtAndShipped(_ program: String) -> [String] {
    let shipped = root.appending(path: "dist/\(program)").path
    let isShipped = FileManager.default.isExecutableFile(atPath: shipped)
    return [built(program).path] + (isShipped ? [shipped] : [])
  }
}
