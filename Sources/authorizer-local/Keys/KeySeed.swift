internal import Foundation
internal import IssuerKeys
internal import JOSE
internal import JSON

/// A fetched key set that is to be written as a seed file.
struct KeySeed {
  /// The issuer's document, unchanged.
  let document: [UInt8]
  /// The address of the document.
  let source: String
  /// The time of the fetch, in Unix seconds.
  let fetchedAt: Int64

  /// Returns the bytes of the file: the issuer's document with two more members, within the limits of the function.
  func bytes(policy: KeyPolicy, development: Bool) throws(CommandFailure) -> [UInt8] {
    _ = try Result { () throws(KeySetError) in
      try KeySet(parsing: document, policy: policy, algorithms: nil, acceptsDevelopmentKeys: development)
    }.mapError {
      CommandFailure(.unmet, "no usable key set: \($0.description)", hint: Self.hint($0))
    }.get()
    do {
      var tree = try JSONTree(parsing: KeySet.text(of: document), limits: .keySet)
      tree["source"] = .string(source)
      tree["fetchedAt"] = .number(String(fetchedAt))
      let indented = tree.bytes(indentedBy: 2) + [0x0A]
      let bytes = indented.count <= JSONLimits.keySet.bytes ? indented : tree.bytes()
      _ = try KeySet(parsing: bytes, policy: policy)
      return bytes
    } catch {
      throw CommandFailure(
        .unmet, "with \"source\" and \"fetchedAt\" the key set exceeds the function's limits",
        hint: "configure only the address, without a seed")
    }
  }

  private static func hint(_ error: KeySetError) -> String? {
    switch error {
    case .notJSON, .notAKeySet: "check the address, or find the one of the key set with --discover ISSUER"
    case .developmentKeys: "--development accepts them, for a function on this machine"
    default: nil
    }
  }
}

enum SeedFile {
  /// Replaces a file by one rename: readers see the old or the new seed, and a full disk destroys neither.
  static func write(_ bytes: [UInt8], to path: String, _ files: FileSystem) throws(CommandFailure) {
    try files.refuseLinks(to: path)
    do {
      try files.replace(path, with: bytes)
    } catch {
      throw CommandFailure(
        .usage, "cannot write \(path): \(reason(error))",
        hint: files.exists(path) ? "the old file is unchanged" : "check that its folder exists")
    }
  }

  /// Unlike other output a seed is often redirected to a file, so an incomplete write is a failure.
  static func writeToStandardOutput(_ bytes: [UInt8], on terminal: Terminal) throws(CommandFailure) {
    do {
      try terminal.answer(redirectedJSON: bytes)
    } catch {
      throw CommandFailure(
        .usage, "cannot write standard output: \(reason(error))",
        hint: "use -o FILE, which writes the whole file or nothing")
    }
  }

  /// Returns the reason as text; Foundation's own texts contain only numbers on Linux.
  private static func reason(_ error: any Error) -> String {
    guard let error = error as? CocoaError else { return "the system refused" }
    return switch error.code {
    case .fileWriteOutOfSpace: "no space is left on the device"
    case .fileWriteNoPermission: "permission denied"
    case .fileWriteVolumeReadOnly: "the file system is read-only"
    case .fileNoSuchFile: "no such folder"
    default: "the system refused"
    }
  }
}
