import JOSE
import Testing

@testable import Authorizer

@Suite("ReasonCode")
struct ReasonCodeTests {
  static let table: [(code: String, outcome: Outcome, isFinal: Bool)] = [
    ("malformedToken", .unauthorized, true), ("encryptedToken", .unauthorized, true),
    ("algorithmNotAllowed", .unauthorized, true), ("wrongIssuer", .unauthorized, true),
    ("wrongAudience", .unauthorized, true), ("expired", .unauthorized, true),
    ("lifetimeTooLong", .unauthorized, true), ("tooOld", .unauthorized, true),
    ("missingClaim", .unauthorized, true), ("malformedClaim", .unauthorized, true),
    ("wrongType", .unauthorized, true), ("ambiguousToken", .unauthorized, true),
    ("missingToken", .unauthorized, false), ("unknownKey", .unauthorized, false),
    ("signatureMismatch", .unauthorized, false), ("notYetValid", .unauthorized, false),
    ("issuedInFuture", .unauthorized, false), ("boundToken", .unauthorized, false),
    ("revoked", .unauthorized, false), ("missingProof", .unauthorized, false),
    ("invalidProof", .unauthorized, false), ("replayedProof", .unauthorized, false),
    ("certificateMismatch", .unauthorized, false),
    ("insufficientScope", .forbidden, false), ("claimNotAllowed", .forbidden, false),
    ("authenticationTooOld", .forbidden, false), ("claimNotRoutable", .forbidden, false),
    ("noRule", .forbidden, false), ("mcpHeaders", .forbidden, false), ("toolNotAllowed", .forbidden, false),
    ("keysUnavailable", .failure, false), ("storeUnavailable", .failure, false),
    ("invalidEvent", .failure, false), ("invalidConfiguration", .failure, false),
    ("answerTooLarge", .failure, false),
  ]

  @Test("each code has its outcome and finality", arguments: table)
  func row(code: String, outcome: Outcome, isFinal: Bool) throws {
    let reason = try #require(ReasonCode(rawValue: code))
    #expect(reason.outcome == outcome)
    #expect(reason.isFinal == isFinal)
  }

  @Test("the list is closed")
  func closed() {
    #expect(ReasonCode.allCases.map(\.rawValue) == Self.table.map(\.code))
    #expect(Outcome.allCases.map(\.rawValue) == ["allowed", "forbidden", "unauthorized", "failure"])
  }

  @Test("a token rejection has the same name as its reason code", arguments: TokenRejection.Code.allCases)
  func rejection(_ code: TokenRejection.Code) {
    #expect(ReasonCode(code).rawValue == code.rawValue)
    #expect(ReasonCode(code).outcome == .unauthorized)
  }

  @Test("the message for a 401 is exact")
  func word() {
    #expect(
      Array(Answer.unauthorizedMessage.utf8) == [85, 110, 97, 117, 116, 104, 111, 114, 105, 122, 101, 100])
  }

  @Test("no failure message equals the 401 message", arguments: ReasonCode.allCases)
  func failureMessage(_ code: ReasonCode) {
    #expect(Failure(reason: code, detail: "").errorMessage == code.rawValue)
    #expect(Failure(reason: code, detail: "x").errorMessage == code.rawValue + ": x")
    #expect(code.rawValue != Answer.unauthorizedMessage)
  }
}
