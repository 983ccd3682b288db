package import Foundation

/// Test vectors of other projects, which are never copied into this one.
package enum SharedMaterial {
  /// The folder of `make vectors`: `VECTORS`, else `.vectors` of the checkout, else `shared/vectors` beside the checkout.
  package static let root: URL = {
    if let named = ProcessInfo.processInfo.environment["VECTORS"], !named.isEmpty {
      return URL(filePath: named, relativeTo: Checkout.root)
    }
    let fetched = Checkout.root.appending(path: ".vectors")
    let isFetched = FileManager.default.fileExists(atPath: fetched.path)
    return isFetched ? fetched : Checkout.root.deletingLastPathComponent().appending(path: "shared/vectors")
  }()

  /// The message of tests that are skipped without vectors.
  package static let absence =
    "no test vectors: run make vectors, or set VECTORS= to their folder"

  package static func folder(_ path: String) -> URL? {
    let folder = root.appending(path: path)
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }

  package static func files(in path: String, suffix: String) -> [URL] {
    guard let folder = folder(path),
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    else { return [] }
    return names.filter { $0.hasSuffix(suffix) }.sorted().map { folder.appending(path: $0) }
  }
}
