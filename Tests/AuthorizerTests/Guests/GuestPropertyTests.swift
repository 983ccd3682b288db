import JSON
import TestSupport
import Testing

@testable import Authorizer

/// Random guest routes, rules and requests, compared with a direct evaluation that shares no code with the authorizer.
@Suite("Guests, with random cases")
struct GuestPropertyTests {
  static let configurations = 250
  static let requests = 12

  /// Guest routes as data.
  struct GuestModel {
    let model: RuleModels
    /// `nil` if a valid token reaches the whole stage.
    let rules: RuleModels?

    init(_ random: inout SeededGenerator) {
      // Routes of rules that restrict contain no claims, as those of guests.
      var model = RuleModels(&random)
      while model.deniesByDefault { model = RuleModels(&random) }
      self.model = model
      rules = Int.random(in: 0..<4, using: &random) == 0 ? nil : RuleModels(&random)
    }

    /// The members of the configuration.
    var json: String {
      TestGuests.members(
        Set(model.rules.map(RuleModels.text)).sorted(),
        TestGuests.concrete + (rules.map { "," + $0.json } ?? ""))
    }

    /// The same without guests.
    var jsonWithoutGuests: String {
      #""gatewayCache":"off","# + TestGuests.concrete + (rules.map { "," + $0.json } ?? "")
    }

    /// Whether a guest route names the route and no rule restricts it.
    func names(_ route: String, _ bearer: Bearer) -> Bool {
      guard Self.fits(model.rules, route, bearer) else { return false }
      guard let rules, !rules.deniesByDefault else { return true }
      return !Self.fits(rules.rules, route, bearer)
    }

    /// Whether a guest may reach the route.
    func permits(_ route: String, _ bearer: Bearer) -> Bool {
      guard names(route, bearer) else { return false }
      var path = route.lowercased()
      for (written, meant) in [("%2f", "/"), ("%5c", "/"), ("\\", "/")] {
        path = path.replacing(written, with: meant)
      }
      let segments = path.split(separator: "/", omittingEmptySubsequences: true)
      return !["..", "%25", "%00", "%2e"].contains { route.lowercased().contains($0) }
        && !segments.contains { $0.allSatisfy { $0 == "." } }
    }

    private static func fits(_ rules: [RuleModels.Rule], _ route: String, _ bearer: Bearer) -> Bool {
      rules.contains { rule in
        RuleModels.shapes(rule, bearer).contains { RuleModels.fits(Array($0)[...], Array(route)[...]) }
      }
    }

    /// Returns a random request near the guest routes or the rules.
    func route(_ bearer: Bearer, _ random: inout SeededGenerator) -> String {
      let near = rules.map { Bool.random(using: &random) ? $0 : model } ?? model
      var route = near.route(bearer, &random)
      if route != "$connect", Int.random(in: 0..<8, using: &random) == 0 {
        route += ["/.", "/./x", "%2F.%2Fx", "\\.\\x", "/%2E", "/a.b"].randomElement(using: &random) ?? ""
      }
      return route
    }
  }

  @Test(
    "guests reach exactly the guest routes that no rule restricts, and their policy allows no other route")
  func guestsReachGuestRoutes() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    var seen: [Bool: Int] = [:]
    for _ in 0..<Self.configurations {
      let guests = GuestModel(&random)
      let bearer = Bearer(&random)
      var authorizer = try TestRules.authorizer(guests.json)
      let routes = (0..<Self.requests).map { _ in guests.route(bearer, &random) }
      for route in routes {
        let kind = [EventKind.restRequest, .http1, .http2].randomElement(using: &random) ?? .http2
        let event = TestGuests.event(route == "$connect" ? .webSocket : kind, route)
        let decision = authorizer.decide(on: event, at: TestIssuers.now)
        let expected = guests.permits(route, bearer)
        let context = "seed \(seed): \(route) \(guests.json)"
        seen[expected, default: 0] += 1
        #expect(decision.isGuest == expected, "\(context)")
        #expect(decision.reason == (expected ? nil : .missingToken), "\(context)")
        guard case .response(let bytes) = decision.answer else { continue }
        let policy = try PolicyReading(bytes)
        #expect(policy.principalID == "anonymous")
        for other in routes where try policy.allows(TestEvent.stage + other) {
          #expect(guests.names(other, bearer), "\(context): the policy allows \(other)")
        }
        #expect(try policy.allows(TestEvent.stage + route), "\(context)")
      }
    }
    #expect((seen[true] ?? 0) > 300 && (seen[false] ?? 0) > 300, "\(seen)")
  }

  @Test("guest routes change no answer to a request with a credential")
  func credentialsAreUnaffected() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    var seen: [Outcome: Int] = [:]
    for _ in 0..<Self.configurations {
      let guests = GuestModel(&random)
      let bearer = Bearer(&random)
      var with = try TestRules.authorizer(guests.json)
      var without = try TestRules.authorizer(guests.jsonWithoutGuests)
      let token = try bearer.token()
      for _ in 0..<Self.requests {
        let route = guests.route(bearer, &random)
        let value =
          [
            "Bearer " + token, "Bearer " + token, "bearer " + token, "", "Bearer", "Bearer x", "Basic eA==",
            "Bearer " + token.dropLast(), "DPoP " + token, token, "Bearer \(token), Bearer \(token)",
          ].randomElement(using: &random) ?? ""
        let kind = EventKind.allCases.randomElement(using: &random) ?? .http2
        let event = TestEvent.bytes(
          route == "$connect" ? .webSocket : kind, arn: TestEvent.stage + route,
          authorization: .string(value))
        let (one, other) = (
          with.decide(on: event, at: TestIssuers.now), without.decide(on: event, at: TestIssuers.now)
        )
        let context = "seed \(seed): \(value) \(route) \(guests.json)"
        #expect(one.answer == other.answer, "\(context)")
        #expect(one.outcome == other.outcome && one.reason == other.reason, "\(context)")
        #expect(!one.isGuest, "\(context)")
        seen[one.outcome, default: 0] += 1
      }
    }
    #expect((seen[.allowed] ?? 0) > 100 && (seen[.forbidden] ?? 0) > 100, "\(seen)")
    #expect((seen[.unauthorized] ?? 0) > 100, "\(seen)")
  }
}
