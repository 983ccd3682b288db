internal import JOSE
internal import JSON

/// Reads a key set file and describes its keys, usable and unusable.
enum KeySetFile {
  /// Returns the keys of a file.
  ///
  /// - Throws: `CommandFailure` if no key is usable; the reason for every key is printed before.
  static func read(_ path: String, on machine: Machine) throws(CommandFailure) -> KeySet {
    let bytes = try machine.files.bytes(at: path)
    do throws(KeySetError) {
      return try KeySet(parsing: bytes)
    } catch {
      if case .noUsableKey(let unusable) = error {
        for key in unusable {
          machine.terminal.note(Printable.text("key \(name(key.keyID)): \(words(key.flaw))"))
        }
      }
      let flaw =
        if case .notJSON(let json) = error { "not JSON: " + json.description(in: bytes) } else {
          error.description
        }
      throw CommandFailure(
        .usage, "\(path): \(flaw)",
        hint: #"a key set is {"keys":[…]}, as an issuer publishes it (RFC 7517 section 5)"#)
    }
  }

  /// Prints the unusable keys to standard error.
  static func note(_ unusable: [KeySet.UnusableKey], of path: String, on terminal: Terminal) {
    for key in unusable {
      terminal.note(Printable.text("note: \(path): key \(name(key.keyID)) is not used: \(words(key.flaw))"))
    }
  }

  /// Returns one line for each key that is not used because of a mistake, or used in spite of its spelling.
  static func lines(_ keys: KeySet) -> [String] {
    keys.unusable.filter { $0.flaw.isMistake }.map {
      "\(KeySet.name($0.keyID)) is not used: \(words($0.flaw))"
    }
      + keys.keys.flatMap { key in
        key.deviations.map { "\(KeySet.name(key.keyID)) is used, though \($0.description)" }
      }
  }

  static func name(_ keyID: [UInt8]?) -> String {
    keyID.map { String(decoding: $0, as: UTF8.self) } ?? "without kid"
  }

  /// Returns the code of a flaw and a sentence.
  static func words(_ flaw: KeyFlaw) -> String { flaw.code + ", " + flaw.description }

  /// Returns one row per key, usable keys first.
  static func table(_ keys: [VerificationKey], _ unusable: [KeySet.UnusableKey]) -> [[String]] {
    keys.map { key in
      [
        name(key.keyID), key.type, String(key.bits),
        key.algorithms.map(\.rawValue).joined(separator: ", "),
        (["usable"] + key.deviations.map(\.description)).joined(separator: ", "),
      ]
    } + unusable.map { [name($0.keyID), "-", "-", "-", words($0.flaw)] }
  }

  static func json(_ keys: [VerificationKey], _ unusable: [KeySet.UnusableKey]) -> [UInt8] {
    func text(ofID bytes: [UInt8]?) -> JSONTree {
      bytes.map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null
    }
    let usable = keys.map { key in
      JSONTree.members([
        "kid": text(ofID: key.keyID), "usable": .boolean(true), "type": .string(key.type),
        "bits": .number(String(key.bits)), "algorithms": .array(key.algorithms.map { .string($0.rawValue) }),
        "spelling": .array(key.deviations.map { .string($0.description) }),
      ])
    }
    let others = unusable.map { key in
      JSONTree.members([
        "kid": text(ofID: key.keyID), "usable": .boolean(false), "flaw": .string(key.flaw.code),
        "member": key.flaw.member.map { .string($0) } ?? .null, "because": .string(key.flaw.description),
      ])
    }
    return JSONTree.members(["keys": .array(usable + others)]).bytes(indentedBy: 2)
  }
}
