internal import Foundation
internal import JOSE
internal import JSON

/// A fetched key set on its way into a seed file.
struct KeySeed {
  /// The issuer's document as it came.
  let document: [UInt8]
  /// Where it came from.
  let source: String
  /// When, in Unix seconds.
  let fetchedAt: Int64

  /// The bytes of the file, which the function has to be able to read: the issuer's document with two more members.
  func bytes(policy: KeyPolicy, development: Bool) throws(CommandFailure) -> [UInt8] {
    do throws(KeySetError) {
      let keys = try KeySet(parsing: document, policy: policy)
      guard development || !keys.holdsDevelopmentKeys else { throw .developmentKeys }
    } catch {
      throw CommandFailure(.unmet, "no usable key set: \(error.description)", hint: Self.hint(error))
    }
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
        .unmet, "the key set leaves no room for \"source\" and \"fetchedAt\" within the function's limits",
        hint: "configure the address alone, without a seed")
    }
  }

  private static func hint(_ error: KeySetError) -> String? {
    switch error {
    case .notJSON, .notAKeySet: "is this the address of a key set? --discover ISSUER asks the issuer for it"
    case .developmentKeys: "--development accepts them, for a function on this machine"
    default: nil
    }
  }
}

/// Puts a seed where it is wanted.
enum SeedFile {
  /// Replaces a file by one rename: readers see the old seed or the whole new one, and a full disk costs neither.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    do {
      try FileSystem.makeFolder(of: path)
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw CommandFailure(
        .usage, "cannot write \(path): \(reason(error))",
        hint: FileSystem.exists(path) ? "the old file is unchanged" : "does its folder exist?")
    }
  }

  /// Unlike other answers this one is often kept, so half of it is a failure.
  static func writeToStandardOutput(_ bytes: [UInt8]) throws(CommandFailure) {
    do {
      try Terminal.answer(keptJSON: bytes)
    } catch {
      throw CommandFailure(
        .usage, "cannot write standard output: \(reason(error))",
        hint: "-o FILE writes the file whole or not at all")
    }
  }

  /// Foundation's code in words; its own texts name nothing but numbers on Linux.
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
