@testable import GatewayModel
import Foundation
import TestTokens

extension StolenTokenServeTests {
  /// Where one API is reached, and the URLs that its clients write.
  struct Place {
    let host: String
    /// The first part of each path of this gateway.
    let prefix: String
    /// The first part of each URL.
    let base: String
    /// Whether the owner's requests are accepted here.
    let canProve: Bool
    /// Whether the authorizer sees the last of several headers only. The last proof is then the one that counts.
    let hidesRepeats: Bool
    /// Whether tokens that are not bound are accepted here.
    let acceptsUnbound: Bool

    init(_ api: RandomTemplate.API, of template: RandomTemplate, _ random: inout some RandomNumberGenerator) {
      let stage = api.isREST ? "/prod" : ""
      // The domain name of an API's own address is made by serve, so its proofs need the configured origin.
      let isDomain = api.hasDomain && (!template.hasOrigins || Bool.random(using: &random))
      host = isDomain ? api.domain : "localhost"
      let path = isDomain ? (api.basePath.map { "/" + $0 } ?? "") : stage
      prefix = isDomain ? path : "/\(api.name)\(stage)"
      base = (template.hasOrigins ? RandomTemplate.origin : "https://\(api.domain)") + path
      canProve = api.checksProofs && (isDomain || template.hasOrigins)
      hidesRepeats = api.kind == .http1 && !template.repeatsHTTP1Headers
      // Without its identity sources, only a REST API that does not cache calls the authorizer.
      acceptsUnbound =
        !(api.checksProofs && template.isRequired) && (api.isREST || !api.sources.contains("DPoP"))
    }
  }

  private static let paths = ["/pets", "/pets/7", "/dogs"]
  private static let methods = ["GET", "POST", "DELETE"]
  /// Other resources than `/pets`, which a server may take for it.
  private static let otherSpellings = [
    "/pets/", "//pets", "/pets/../pets", "/./pets", "/PETS", "/pets%2F", "/pets;a",
  ]

  /// Returns a random request of the owner or of the thief.
  ///
  /// - Parameter moves: how often the clock was moved.
  static func attempt(
    _ place: Place, _ loot: inout Loot, _ moves: Int, _ random: inout some RandomNumberGenerator
  ) throws -> Attempt {
    let writer = Writer(
      place: place, loot: loot, moves: moves, method: methods.randomElement(using: &random) ?? "GET",
      path: paths.randomElement(using: &random) ?? "/pets")
    switch Int.random(in: 0..<24, using: &random) {
    case 0...5:
      let proof = try writer.owners()
      loot.proofs.append(.init(proof: proof, request: writer.request, moves: moves))
      return writer.attempt("the owner", [("DPoP", proof)], isAccepted: place.canProve)
    case 6...7:
      return writer.attempt(
        "a token that is not bound", [], scheme: "Bearer", token: loot.unbound,
        isAccepted: place.acceptsUnbound)
    case 8...10:
      guard let recorded = loot.proofs.randomElement(using: &random) else {
        return writer.attempt("no proof", [])
      }
      let mayCount = recorded.request == writer.request && recorded.moves == moves
      return writer.attempt(
        "a recorded proof", [("DPoP", recorded.proof)], isAccepted: mayCount ? nil : false)
    case 11:
      let spelling = otherSpellings.randomElement(using: &random) ?? "//pets"
      let proof = try writer.owners(path: "/pets")
      return writer.attempt("another spelling of the path", [("DPoP", proof)], path: spelling)
    case 12: return try writer.forgery(Int.random(in: 0..<6, using: &random))
    case let choice: return try writer.theft(choice)
    }
  }
}

/// Writes requests of one place, method and path.
private struct Writer {
  let place: StolenTokenServeTests.Place
  let loot: StolenTokenServeTests.Loot
  let moves: Int
  let method: String
  let path: String

  /// The method and the URL that proofs name.
  var request: String { "\(method) \(place.base)\(path)" }

  private var now: Int64 {
    Int64(Date().timeIntervalSince1970) + Int64(moves) * StolenTokenServeTests.moveSeconds
  }

  func owners(
    method: String? = nil, base: String? = nil, path: String? = nil, token: String? = nil, age: Int64 = 0
  ) throws -> String {
    try loot.owner.proof(
      method: method ?? self.method, address: (base ?? place.base) + (path ?? self.path),
      token: token ?? loot.bound, now: now - age, entropy: { UInt64.random(in: .min ... .max) })
  }

  func attempt(
    _ words: String, _ headers: [(name: String, value: String)], scheme: String = "DPoP",
    token: String? = nil, path: String? = nil, isAccepted: Bool? = false
  ) -> StolenTokenServeTests.Attempt {
    StolenTokenServeTests.Attempt(
      words: words, method: method, path: path ?? self.path,
      headers: [("Authorization", "\(scheme) \(token ?? loot.bound)")] + headers, isAccepted: isAccepted)
  }

  private func forged() throws -> String {
    try loot.thief.proof(
      method: method, address: place.base + path, token: loot.bound, now: now, entropy: { 7 })
  }

  /// A proof that the owner did not make for this request.
  func forgery(_ choice: Int) throws -> StolenTokenServeTests.Attempt {
    switch choice {
    case 0: return attempt("a proof with the thief's key", [("DPoP", try forged())])
    case 1: return attempt("another method", [("DPoP", try owners(method: method == "GET" ? "POST" : "GET"))])
    case 2: return attempt("another path", [("DPoP", try owners(path: path + "/8"))])
    case 3: return attempt("another host", [("DPoP", try owners(base: "https://evil.example"))])
    case 4: return attempt("another token", [("DPoP", try owners(token: loot.other))])
    default: return attempt("the token as its proof", [("DPoP", loot.bound)])
    }
  }

  /// A request of a thief who may even have a fresh proof of the owner, but sends it in another way.
  func theft(_ choice: Int) throws -> StolenTokenServeTests.Attempt {
    let proof = try owners()
    switch choice {
    case 13: return attempt("no proof", [])
    case 14: return attempt("the scheme Bearer", [], scheme: "Bearer")
    case 15: return attempt("the scheme Bearer with a proof", [("DPoP", proof)], scheme: "bearer")
    case 16:
      return attempt(
        "two proofs", [("DPoP", try owners()), ("dpop", proof)],
        isAccepted: place.hidesRepeats && place.canProve)
    case 17:
      let other = try forged()
      return attempt("a forged proof after a good one", [("DPoP", proof), ("DPoP", other)])
    case 18: return attempt("two proofs with a comma", [("DPoP", "\(proof), \(try owners())")])
    case 19: return attempt("two tokens", [("Authorization", "Bearer \(loot.other)"), ("DPoP", proof)])
    case 20:
      let other = try owners(method: "PUT")
      return attempt("a method override", [("DPoP", other), ("X-HTTP-Method-Override", "PUT")])
    case 21:
      let other = try owners(base: "https://evil.example")
      return attempt(
        "a forwarded host", [("DPoP", other), ("X-Forwarded-Host", "evil.example"), ("X-Original-URL", path)])
    case 22: return attempt("an old proof", [("DPoP", try owners(age: StolenTokenServeTests.moveSeconds))])
    default:
      return attempt("a proof of the future", [("DPoP", try owners(age: -StolenTokenServeTests.moveSeconds))])
    }
  }
}
