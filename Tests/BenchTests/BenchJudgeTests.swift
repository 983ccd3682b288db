import Testing

@testable import Bench

@Suite struct BenchJudgeTests {
  private static func policy(_ principal: String, effect: String = "Allow") -> [UInt8] {
    Array(
      """
      {"principalId":"\(principal)","policyDocument":{"Version":"2012-10-17","Statement":[{"Action":\
      "execute-api:Invoke","Effect":"\(effect)","Resource":["*"]}]}}
      """.utf8)
  }

  private static let event = BenchEvent(
    body: Array(
      #"{"type":"TOKEN","methodArn":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/","authorizationToken":"x"}"#
        .utf8), principal: "u1", number: 0, deadlineMilliseconds: 0)

  @Test(
    arguments: [
      (policy("u1"), false, nil), (policy("floor"), true, nil),
      (policy("u2"), false, BenchFault.wrongAnswer("allowed u2 for the token of u1")),
      (policy("u1"), true, .wrongAnswer("allowed u1 for the token of floor")),
      (policy("u1", effect: "Deny"), false, .wrongAnswer("forbidden for u1")),
      (Array("{}".utf8), false, .wrongAnswer("failure for u1")),
      (Array("no".utf8), true, .wrongAnswer("failure for u1")),
    ] as [([UInt8], Bool, BenchFault?)])
  func `An answer must allow the user of its token`(answer: [UInt8], isFloor: Bool, fault: BenchFault?) {
    var judge = BenchJudge([Self.event], isFloor: isFloor)
    for _ in 0..<2 {
      var found: BenchFault?
      do throws(BenchFault) { try judge.check(answer, to: 0) } catch { found = error }
      #expect(found == fault)
    }
  }

  @Test func `An accepted answer does not cover another one`() throws {
    var judge = BenchJudge([Self.event], isFloor: false)
    try judge.check(Self.policy("u1"), to: 0)
    #expect(throws: BenchFault.self) { try judge.check(Self.policy("u2"), to: 0) }
  }
}
