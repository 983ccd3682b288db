import Testing

@testable import JOSE

/// Boundary values of times, rows C6 to C10 of the catalog.
@Suite("C. Times")
struct TimeTests {
  /// Values of `exp`, `nbf` and `iat` relative to now, the limits, and the expected rejection.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var exp: String? = "+600"
    var nbf: String?
    var iat: String?
    var leeway: Int64 = 0
    var lifetime: Int64?
    var age: Int64?
    var rejection: TokenRejection?
    var testDescription: String { name }

    /// `+600` is 600 s from now; anything else is raw JSON.
    private func number(_ text: String) -> String {
      guard text.first == "+" || text.first == "-" else { return text }
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      let whole = TokenForge.now + (Int64(parts[0]) ?? 0)
      return String(whole) + (parts.count > 1 ? "." + parts[1] : "")
    }

    var forgery: Forgery {
      Forgery(
        testDescription,
        claims: TokenForge.claims([
          ("exp", exp.map(number)), ("nbf", nbf.map(number)), ("iat", iat.map(number)),
        ]), rejection)
    }

    func check() throws {
      let profile = try Gatekeeper.profile(
        leewaySeconds: leeway, maximumLifetimeSeconds: lifetime, maximumAgeSeconds: age)
      try forgery.check(Gatekeeper(profile: profile, keys: try Gatekeeper.standard().keys))
    }
  }

  private static let now = TokenForge.now

  static let expiries: [Case] = [
    Case(name: "no exp", exp: nil, rejection: .missingClaim("exp")),
    Case(name: "exp 0", exp: "0", rejection: .expired(at: 0, now: now)),
    Case(name: "exp -0", exp: " -0.0e0", rejection: .expired(at: 0, now: now)),
    Case(name: "one second left", exp: "+1"),
    Case(name: "exp is now", exp: "+0", rejection: .expired(at: now, now: now)),
    Case(name: "a second ago", exp: "-1", rejection: .expired(at: now - 1, now: now)),
    Case(name: "half a second left is rounded to none", exp: "+0.5", rejection: .expired(at: now, now: now)),
    Case(name: "one and a half left", exp: "+1.5"),
    Case(name: "within leeway", exp: "-59", leeway: 60),
    Case(name: "end of the leeway", exp: "-60", leeway: 60, rejection: .expired(at: now - 60, now: now)),
    Case(name: "past leeway", exp: "-61", leeway: 60, rejection: .expired(at: now - 61, now: now)),
    Case(name: "longest leeway", exp: "-299", leeway: 300),
    Case(
      name: "end of the longest leeway", exp: "-300", leeway: 300,
      rejection: .expired(at: now - 300, now: now)),
    Case(name: "the last second of 9999", exp: "253402300799"),
    Case(name: "a fraction past it", exp: "253402300799.5", rejection: .malformedClaim("exp")),
    Case(name: "the year 10000", exp: "253402300800", rejection: .malformedClaim("exp")),
    Case(name: "milliseconds", exp: "1800000600000", rejection: .malformedClaim("exp")),
    Case(name: "wrapping", exp: "18446744073709551615", rejection: .malformedClaim("exp")),
    Case(name: "huge exponent", exp: "1e999999999999", rejection: .malformedClaim("exp")),
    Case(name: "tiny", exp: "1e-999999999999", rejection: .expired(at: 0, now: now)),
    Case(name: "below zero", exp: " -1", rejection: .malformedClaim("exp")),
    Case(name: "string", exp: "\"1800000600\"", rejection: .malformedClaim("exp")),
    Case(name: "null", exp: "null", rejection: .malformedClaim("exp")),
    Case(name: "boolean", exp: "true", rejection: .malformedClaim("exp")),
  ]

  @Test("C6, C7 exp is required, and a token is expired on or after it", arguments: expiries)
  func expiry(time: Case) throws { try time.check() }

  static let beginnings: [Case] = [
    Case(name: "no nbf"),
    Case(name: "nbf is now", nbf: "+0"),
    Case(name: "nbf in a second", nbf: "+1", rejection: .notYetValid(from: now + 1, now: now)),
    Case(name: "nbf in half a second", nbf: "+0.5", rejection: .notYetValid(from: now + 1, now: now)),
    Case(name: "nbf half a second ago", nbf: "-1.5"),
    Case(name: "nbf at the end of the leeway", nbf: "+60", leeway: 60),
    Case(name: "nbf past leeway", nbf: "+61", leeway: 60, rejection: .notYetValid(from: now + 61, now: now)),
    Case(name: "nbf string", nbf: "\"0\"", rejection: .malformedClaim("nbf")),
    Case(name: "nbf null", nbf: "null", rejection: .malformedClaim("nbf")),
    Case(name: "nbf false", nbf: "false", rejection: .malformedClaim("nbf")),
    Case(name: "iat is now", iat: "+0"),
    Case(name: "iat in a second", iat: "+1", rejection: .issuedInFuture(at: now + 1, now: now)),
    Case(name: "iat in half a second", iat: "+0.5", rejection: .issuedInFuture(at: now + 1, now: now)),
    Case(name: "iat at the end of the leeway", iat: "+60", leeway: 60),
    Case(name: "iat past leeway", iat: "+61", leeway: 60, rejection: .issuedInFuture(at: now + 61, now: now)),
    Case(
      name: "iat far in the future", exp: "253402300799", iat: "253402300799", leeway: 300,
      rejection: .issuedInFuture(at: 253_402_300_799, now: now)),
    Case(name: "iat string", iat: "\"\(now)\"", rejection: .malformedClaim("iat")),
    Case(name: "iat null", iat: "null", rejection: .malformedClaim("iat")),
    Case(name: "iat true", iat: "true", rejection: .malformedClaim("iat")),
    Case(name: "iat 0 without limits", iat: "0"),
  ]

  @Test("C8, C9 nbf and iat are checked if they are present, each with leeway", arguments: beginnings)
  func beginning(time: Case) throws { try time.check() }

  static let limits: [Case] = [
    Case(name: "lifetime at the limit", exp: "+600", iat: "+0", lifetime: 600),
    Case(
      name: "a second over", exp: "+601", iat: "+0", lifetime: 600,
      rejection: .lifetimeTooLong(seconds: 601, limit: 600)),
    Case(name: "over, within leeway", exp: "+660", iat: "+0", leeway: 60, lifetime: 600),
    Case(
      name: "over, past leeway", exp: "+661", iat: "+0", leeway: 60, lifetime: 600,
      rejection: .lifetimeTooLong(seconds: 661, limit: 600)),
    Case(
      name: "lifetime from iat, not from now", exp: "+1", iat: "-600", lifetime: 600,
      rejection: .lifetimeTooLong(seconds: 601, limit: 600)),
    Case(name: "the longest exp", exp: "253402300799", iat: "0", lifetime: 253_402_300_799),
    Case(name: "lifetime without iat", lifetime: 600, rejection: .missingClaim("iat")),
    Case(name: "age at the limit", iat: "-600", age: 600),
    Case(name: "a second older", iat: "-601", age: 600, rejection: .tooOld(seconds: 601, limit: 600)),
    Case(name: "older, within leeway", iat: "-660", leeway: 60, age: 600),
    Case(
      name: "older, past leeway", iat: "-661", leeway: 60, age: 600,
      rejection: .tooOld(seconds: 661, limit: 600)),
    Case(name: "iat 0 with a limit", iat: "0", age: 600, rejection: .tooOld(seconds: now, limit: 600)),
    Case(name: "age without iat", age: 600, rejection: .missingClaim("iat")),
    Case(name: "neither limit, no iat"),
  ]

  @Test("C6, C10 lifetime and age need iat and end exactly at their limits", arguments: limits)
  func limit(time: Case) throws { try time.check() }

  @Test("C9 leeway is 60 s by default, 300 s at most")
  func leeway() throws {
    #expect(IssuerProfile.defaultLeewaySeconds == 60)
    #expect(IssuerProfile.maximumLeewaySeconds == 300)
    for seconds: Int64 in [-1, 301, .max, .min] {
      #expect(throws: IssuerProfile.Flaw.leeway) { try Gatekeeper.profile(leewaySeconds: seconds) }
    }
    for seconds: Int64 in [0, -1, .min, .max] {
      #expect(throws: IssuerProfile.Flaw.limit) { try Gatekeeper.profile(maximumLifetimeSeconds: seconds) }
      #expect(throws: IssuerProfile.Flaw.limit) { try Gatekeeper.profile(maximumAgeSeconds: seconds) }
    }
  }

  @Test("C9 a token that is accepted with less leeway is accepted with more")
  func monotony() throws {
    let gatekeepers = try [Int64(0), 1, 60, 300].map {
      Gatekeeper(
        profile: try Gatekeeper.profile(
          leewaySeconds: $0, maximumLifetimeSeconds: 600, maximumAgeSeconds: 300),
        keys: try Gatekeeper.standard().keys)
    }
    let text = try TokenForge.token(claims: TokenForge.claims([("nbf", "\(Self.now)")]))
    for offset: Int64 in stride(from: -400, through: 1000, by: 20) {
      let verdicts = gatekeepers.map { $0.verdict(on: text, at: Self.now + offset).rejection == nil }
      for (strict, lenient) in zip(verdicts, verdicts.dropFirst()) { #expect(!strict || lenient) }
    }
  }
}
