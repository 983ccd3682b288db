internal import Bytes
internal import Foundation
internal import JSON
@testable internal import TestTokens

/// Seeds that need keys: signed tokens, key sets, and events with tokens. The keys exist only in this process.
struct GeneratedSeeds {
  private let keys: DevelopmentKeys
  private let mint: TokenMint
  private let recipes: TokenRecipes
  private let events: [URL]

  /// - Parameter folder: the folder of the sample events, with `tokens.json`.
  /// - Throws: if a sample cannot be read or libcrypto cannot generate a key.
  init(events folder: URL) throws {
    keys = try DevelopmentKeys.generate()
    recipes = try TokenRecipes(parsing: Array(Data(contentsOf: folder.appending(path: "tokens.json"))))
    mint = TokenMint(recipes: recipes, keys: keys, now: 1_800_000_000)
    let notEvents = ["tokens.json", "authorizer.json"]
    events = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "json" && $0.deletingPathExtension().pathExtension != "expected" }
      .filter { !notEvents.contains($0.lastPathComponent) }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  func write(for parser: FuzzedParser, to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let seeds =
      switch parser {
      case .json: try eventSeeds() + keySetSeeds()
      case .compactJWS: try tokenSeeds()
      case .keySet: try keySetSeeds()
      case .event: try eventSeeds()
      case .configuration, .responseHead: [[UInt8]]()
      case .proof: try proofSeeds()
      }
    for (index, seed) in seeds.enumerated() {
      try Data(seed).write(to: folder.appending(path: "generated-\(index)"))
    }
  }

  /// A signed proof of each key, and its three decoded parts on one line each.
  private func proofSeeds() throws -> [[UInt8]] {
    let now = 1_800_000_000
    return try [SigningKey.generate(.es256, id: "e"), .generate(.edDSA, id: "o"), .generate(.rs256, id: "r")]
      .flatMap { key -> [[UInt8]] in
        let jwk = String(decoding: key.publicJWK?.bytes() ?? [], as: UTF8.self)
        let header = Array(#"{"typ":"dpop+jwt","alg":"\#(key.algorithm.rawValue)","jwk":\#(jwk)}"#.utf8)
        let hash = String(repeating: "A", count: 43)
        let claims = Array(
          #"{"jti":"j","htm":"GET","htu":"https://api.example.com/prod/pets","iat":\#(now),"ath":"\#(hash)"}"#
            .utf8)
        let input = Base64URL.encode(header) + [0x2E] + Base64URL.encode(claims)
        let signature = try key.signature(over: input)
        return [
          input + [0x2E] + Base64URL.encode(signature),
          Array([header, claims, signature].joined(separator: [0x0A])),
        ]
      }
  }

  private func eventSeeds() throws -> [[UInt8]] {
    try events.map { try EventTemplate(parsing: Array(Data(contentsOf: $0))).bytes(with: mint) }
  }

  /// Each token, and its three decoded parts on one line each.
  private func tokenSeeds() throws -> [[UInt8]] {
    try recipes.names.flatMap { name in
      let text = Array(try mint.token(named: name).utf8)
      let parts = text.split(separator: .dot, omittingEmptySubsequences: false)
      let decoded = parts.compactMap { Base64URL.decode(Array($0)) }
      return decoded.count == 3 ? [text, Array(decoded.joined(separator: [0x0A]))] : [text]
    }
  }

  /// A set of all development keys, then one set for each key, including a larger modulus.
  private func keySetSeeds() throws -> [[UInt8]] {
    let larger = try SigningKey.generate(.ps384, id: "larger", modulusBits: 3072)
    guard case .array(let published)? = keys.publicKeySet["keys"] else { return [] }
    let sets = [published] + (published + [larger.publicJWK].compactMap { $0 }).map { [$0] }
    return sets.map { JSONTree.object([.init(name: "keys", value: .array($0))]).bytes() }
  }
}
