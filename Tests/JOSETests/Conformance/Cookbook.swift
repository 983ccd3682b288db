import Foundation
import JSON
import TestSupport

@testable import JOSE

/// ietf-jose/cookbook: the examples of RFC 7520, RFC 7797 and RFC 8037, each in all its serializations.
enum Cookbook {
  static let path = "ietf-jose-cookbook"
  static let isPresent = SharedMaterial.folder(path) != nil

  /// One example in one serialization, and its verdict.
  struct Outcome: Equatable, Sendable {
    let file: String
    let form: String
    /// `verified`, `usable`, or the reason for a refusal.
    let verdict: String
  }

  /// All examples, ordered by file and form.
  static func outcomes() throws -> [Outcome] {
    let signed = try ["jws", "curve25519", "rfc7797", "jwe"].flatMap { folder in
      try SharedMaterial.files(in: path + "/" + folder, suffix: ".json").flatMap { file in
        try outcomes(of: tree(file), named: folder + "/" + file.lastPathComponent)
      }
    }
    let nested = try SharedMaterial.files(in: path, suffix: ".json").flatMap { file in
      let example = try tree(file)
      return ["sign", "encrypt"].flatMap { part in
        outcomes(of: example[part] ?? .null, named: file.lastPathComponent, part: part + " ")
      }
    }
    let keys = try SharedMaterial.files(in: path + "/jwk", suffix: ".json").map { file in
      Outcome(file: "jwk/" + file.lastPathComponent, form: "key", verdict: try verdict(onKey: tree(file)))
    }
    return signed + nested + keys
  }

  private static func outcomes(
    of example: JSONTree, named file: String, part: String = ""
  ) -> [Outcome] {
    let key = example["input"]?["key"] ?? .null
    return ["compact", "json", "json_flat"].compactMap { form in
      let text: [UInt8]
      switch example["output"]?[form] {
      case .string(let compact)?: text = Array(compact.utf8)
      case .object(let members)?: text = JSONTree.object(members).bytes()
      default: return nil
      }
      return Outcome(file: file, form: part + form, verdict: verdict(on: text, key: key))
    }
  }

  private static func verdict(on text: [UInt8], key: JSONTree) -> String {
    do throws(TokenRejection) {
      let jws = try CompactJWS(parsing: text)
      guard let isSigned = isSigned(jws, by: key) else { return "no key" }
      return isSigned ? "verified" : "signatureMismatch"
    } catch {
      guard case .malformedToken(let flaw) = error else { return error.code.rawValue }
      return "\(error.code.rawValue): \(description(of: flaw))"
    }
  }

  private static func description(of flaw: TokenFlaw) -> String {
    switch flaw {
    case .illegalByte(let offset): "illegal byte at \(offset)"
    case .segments(let count): "\(count) segments"
    case .unsupportedHeaderMember(let name): "header member \(name)"
    default: "\(flaw)"
    }
  }

  /// The examples contain private keys, which a key set refuses, so only the public half is used.
  private static func isSigned(_ jws: CompactJWS, by key: JSONTree) -> Bool? {
    var checker = SignatureChecker()
    if key["kty"] == .string("oct") {
      guard case .string(let text)? = key["k"], let bytes = Base64URL.decode(Array(text.utf8)),
        let secret = try? SharedSecret(bytes, for: [jws.header.algorithm])
      else { return nil }
      return checker.verifies(jws, with: .secret(secret))
    }
    let publicHalf = key.with(["d", "p", "q", "dp", "dq", "qi"].map { ($0, nil) })
    guard let keys = try? KeySet(parsing: JSONTree.keySet([publicHalf]).bytes()),
      let match = keys.key(for: jws.header)
    else { return nil }
    return checker.verifies(jws, with: .key(match))
  }

  private static func verdict(onKey key: JSONTree) -> String {
    do throws(KeySetError) {
      _ = try KeySet(parsing: JSONTree.keySet([key]).bytes())
      return "usable"
    } catch {
      guard case .noUsableKey(let unusable) = error, let flaw = unusable.first?.flaw else {
        return error.description
      }
      return flaw.code
    }
  }

  private static func tree(_ file: URL) throws -> JSONTree {
    try JSONTree(parsing: Array(try Data(contentsOf: file)), limits: .event)
  }
}
