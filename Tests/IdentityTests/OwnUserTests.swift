import JSON
import Testing
import UserStore

@testable import Identity

@Suite("Reading one's own user")
struct OwnUserTests {
  static let subject = IdentityHarness.subject

  @Test("users can read their own data by both routes and in both formats", arguments: PayloadFormat.allCases)
  func ownData(format: PayloadFormat) throws {
    var harness = try IdentityHarness()
    let made = try harness.signIn(user: SignInTests.user)
    let encoded = Self.subject.replacing(".", with: "%2E")
    for path in ["/users/me", "/users/\(Self.subject)", "/users/\(encoded)"] {
      let answer = try harness.send(.get(path, as: Self.subject, format))
      #expect(answer.status == 200)
      #expect(answer.record.outcome == .found)
      for member in ["user_id", "apple_user_id", "email", "created_at", "given_name", "auth_state"] {
        #expect(answer.text(member) == made.text(member))
      }
      #expect(answer.data?["is_new_user"] == nil)
    }
  }

  @Test("HEAD is GET without the body")
  func head() throws {
    var harness = try IdentityHarness()
    _ = try harness.signIn()
    var event = ProxyEvent.get("/users/me", as: Self.subject)
    event.method = "HEAD"
    let answer = try harness.send(event)
    #expect(answer.status == 200)
    #expect(answer.bodyText.isEmpty)
    #expect(answer.headers?["Content-Type"] == .string("application/json"))
    event.context = nil
    let refused = try harness.send(event)
    #expect(refused.status == 401)
    #expect(refused.bodyText.isEmpty)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var path = "/users/me"
    let context: String?
    let status: Int64
    let code: String
    let reason: String
    var testDescription: String { "\(reason): \(path) \(context ?? "no context")" }
  }

  static let own = #"{"sub":"\#(subject)","issuer":"apple"}"#

  static let rows = [
    Row(context: nil, status: 401, code: "Unauthorized", reason: "noCaller"),
    Row(context: "{}", status: 401, code: "Unauthorized", reason: "noCaller"),
    Row(context: #"{"sub":"","issuer":"apple"}"#, status: 401, code: "Unauthorized", reason: "noCaller"),
    Row(context: #"{"sub":[],"issuer":"apple"}"#, status: 401, code: "Unauthorized", reason: "noCaller"),
    // The principal may be configured to be another claim than the subject.
    Row(
      context: #"{"principalId":"\#(subject)","issuer":"apple"}"#, status: 401, code: "Unauthorized",
      reason: "noCaller"),
    Row(
      context: #"{"claims":{"sub":"\#(subject)"}}"#, status: 401, code: "Unauthorized", reason: "noCaller"),
    Row(context: #"{"sub":"\#(subject)"}"#, status: 403, code: "Forbidden", reason: "foreignIssuer"),
    Row(
      context: #"{"sub":"\#(subject)","issuer":"supabase"}"#, status: 403, code: "Forbidden",
      reason: "foreignIssuer"),
    Row(
      context: #"{"sub":"\#(subject)","issuer":"Apple"}"#, status: 403, code: "Forbidden",
      reason: "foreignIssuer"),
    Row(path: "/users/another", context: own, status: 403, code: "Forbidden", reason: "anotherUser"),
    Row(path: "/users/%6De", context: own, status: 403, code: "Forbidden", reason: "anotherUser"),
    Row(
      path: "/users/\(subject)%00", context: own, status: 403, code: "Forbidden", reason: "anotherUser"),
    Row(path: "/users/%2", context: own, status: 400, code: "invalid_request", reason: "malformedPath"),
    Row(path: "/users/%zz", context: own, status: 400, code: "invalid_request", reason: "malformedPath"),
    Row(path: "/users/another", context: nil, status: 401, code: "Unauthorized", reason: "noCaller"),
    Row(path: "/users/%2", context: nil, status: 401, code: "Unauthorized", reason: "noCaller"),
    Row(
      context: #"{"sub":"stranger","issuer":"apple"}"#, status: 404, code: "user_not_found",
      reason: "userNotFound"),
  ]

  @Test("no user can read another user", arguments: rows, PayloadFormat.allCases)
  func refused(row: Row, format: PayloadFormat) throws {
    var harness = try IdentityHarness()
    _ = try harness.signIn()
    _ = try harness.signIn(#""sub":"another""#)
    let answer = try harness.send(ProxyEvent(format, path: row.path, context: row.context))
    #expect(answer.status == row.status)
    #expect(answer.code == row.code)
    #expect(answer.reason == row.reason)
  }

  @Test("the issuer's name is configurable")
  func otherName() throws {
    var harness = try IdentityHarness(more: #""authorizerIssuer":"sign-in","#)
    _ = try harness.signIn()
    #expect(try harness.send(.get("/users/me", as: Self.subject, issuer: "sign-in")).status == 200)
    #expect(try harness.send(.get("/users/me", as: Self.subject)).status == 403)
  }

  @Test("while the store fails the answer is 503")
  func storeDown() throws {
    var harness = try IdentityHarness()
    harness.store.failure = .unreadable("a later version wrote it")
    let answer = try harness.send(.get("/users/me", as: Self.subject))
    #expect(answer.status == 503)
    #expect(answer.code == "temporarily_unavailable")
    #expect(answer.reason == "storeUnreadable")
    #expect(answer.record.outcome == .failure)
  }
}
