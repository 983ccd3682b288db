import Testing

@testable import Authorizer
@testable import IssuerKeys

/// Two issuers, of which only the partner has revocation, a scripted store, and a manual clock.
struct RevocationHarness {
  let store = ScriptedRevocations()
  var authorizer: Authorizer<ScriptedTransport>
  var now: Int64 = TestIssuers.now

  /// - Parameters:
  ///   - members: more members of `revocation`; each begins with a comma.
  ///   - issuers: the member `issuers`.
  init(_ members: String = "", verdictCache: Int = 0, issuers: String = #"["partner"]"#) throws {
    let settings = try Self.settings(members, verdictCache: verdictCache, issuers: issuers)
    authorizer = Authorizer(
      settings: settings, transport: ScriptedTransport(), revocations: store, at: TestIssuers.now)
  }

  static func settings(
    _ members: String = "", verdictCache: Int = 0, issuers: String = #"["partner"]"#
  ) throws -> Settings {
    try TestRules.settings(
      #""verdictCache":\#(verdictCache),"revocation":{"file":"r.json","issuers":\#(issuers)\#(members)}"#)
  }

  static func token(_ subject: String = "u", issuedAt: Int64? = TestIssuers.now - 100) throws -> String {
    let issued = issuedAt.map { #","iat":\#($0)}"# } ?? #"},"omit":["iat"]"#
    return try TestIssuers.token(
      #""preset":"oidc","algorithm":"ES256","claims":{"iss":"https://id.example.com","aud":"api","exp":"+10m""#
        + #","sub":"\#(subject)"\#(issued)"#)
  }

  /// Makes a decision and, if requested, runs the work after its response. The machine's clock is at 100,000 ms.
  @discardableResult
  mutating func decide(
    _ token: String, at seconds: Int64 = 0, refreshes: Bool = false, deadlineMilliseconds: Int64? = nil
  ) -> Decision {
    let time = InvocationTime(
      unixSeconds: TestIssuers.now + seconds, deadlineMilliseconds: deadlineMilliseconds,
      machineMilliseconds: 100_000)
    let decision = authorizer.decide(on: TestEvent.bytes(.restToken, token: token), at: time)
    if refreshes { authorizer.refreshKeys(at: time) }
    return decision
  }
}
