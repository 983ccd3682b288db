@testable import AuthorizerContract
@testable import LambdaEmulator
import JSON
import TestSupport
import Testing

@Suite struct ExpectedValueTests {
  static func tree(_ text: String) throws -> JSONTree { try JSONTree(parsing: Array(text.utf8)) }
  static func value(_ text: String) throws -> ExpectedValue { try ExpectedValue(tree(text), at: "response") }

  @Test(arguments: [
    (#"{"a":1,"b":[true,null]}"#, #"{"b":[true,null],"a":1}"#, true),
    (#"{"a":1}"#, #"{"a":1,"b":2}"#, false), (#"{"a":{"$present":true}}"#, #"{"a":null}"#, true),
    (#"{"a":{"$present":true}}"#, "{}", false), (#"{"a":{"$absent":true}}"#, "{}", true),
    (#"{"a":{"$absent":true}}"#, #"{"a":null}"#, false),
    (#"{"a":{"$regex":"[0-9]+"}}"#, #"{"a":"12"}"#, true),
    // A regular expression must match the whole text.
    (#"{"a":{"$regex":"[0-9]+"}}"#, #"{"a":"12x"}"#, false),
    (#"{"a":{"$regex":"[0-9]+"}}"#, #"{"a":12}"#, false), (#"{"a":{"$any":[1,"x"]}}"#, #"{"a":"x"}"#, true),
    (#"{"a":{"$any":[1,{"$regex":"x+"}]}}"#, #"{"a":"xx"}"#, true),
    (#"{"a":{"$any":[1,"x"]}}"#, #"{"a":2}"#, false), (#"{"a":{"$any":[1]}}"#, "{}", false),
    (#"{"$includes":{"a":1}}"#, #"{"a":1,"b":2}"#, true), (#"{"$includes":{"a":1}}"#, #"{"b":2}"#, false),
    (#"{"$includes":{"a":{"$absent":true}}}"#, #"{"b":2}"#, true), (#"{"$includes":{}}"#, "[]", false),
    (#"{"a":[{"$present":true},2]}"#, #"{"a":[1,2]}"#, true),
    (#"{"a":[{"$present":true},2]}"#, #"{"a":[1,2,3]}"#, false),
    (#"{"a":[{"$present":true},2]}"#, #"{"a":[1]}"#, false),
    (#"{"a":{"b":{"$present":true}}}"#, #"{"a":{"b":1,"c":2}}"#, false),
  ]) func matchesValues(_ expected: String, _ found: String, _ isMet: Bool) throws {
    #expect(try Self.value(expected).isMet(by: Self.tree(found)) == isMet)
  }

  @Test(arguments: [
    (#"{"$present":false}"#, "wrongType"), (#"{"$absent":1}"#, "wrongType"),
    (#"{"$regex":"("}"#, "wrongType"),
    (#"{"$regex":1}"#, "wrongType"), (#"{"$any":[]}"#, "wrongType"), (#"{"$any":1}"#, "wrongType"),
    (#"{"$includes":[]}"#, "wrongType"), (#"{"$presnt":true}"#, "unknownMember"),
    (#"{"$present":true,"a":1}"#, "wrongType"), (#"{"a":1,"$present":true}"#, "wrongType"),
  ]) func refusesAnInvalidMatcher(_ text: String, _ code: String) throws {
    let error = try #require(throws: ContractError.self) { try Self.value(text) }
    #expect(caseName(error) == code)
  }

  /// Only errors must differ: a matcher that matches is replaced by the found value.
  @Test func differenceOmitsMatchersThatMatch() throws {
    let expected = try Self.value(#"{"a":{"$present":true},"b":{"$regex":"x"},"c":1}"#)
    let resolved = expected.resolved(against: try Self.tree(#"{"a":7,"b":"y","c":1}"#))
    #expect(resolved == (try Self.tree(#"{"a":7,"b":{"$regex":"x"},"c":1}"#)))
  }

  static func result(_ answer: InvocationAnswer, reason: String?) -> InvocationResult {
    ContractTests.result(answer, reason: reason)
  }

  static func response(_ text: String) -> InvocationAnswer { .response(Array(text.utf8)) }

  @Test(
    arguments: [
      // Without an old expectation the whole answer is asserted.
      (
        nil, response(#"{"isAuthorized":true}"#), nil,
        #"{"outcome":"allowed","response":{"isAuthorized":true}}"#
      ),
      (
        nil, ContractTests.error("Unauthorized"), "expired",
        #"{"outcome":"unauthorized","reason":"expired","error":{"errorMessage":"Unauthorized","errorType":"Function.X"}}"#
      ),
      // A part that was not asserted before is not asserted now.
      (
        #"{"outcome":"allowed"}"#, response(#"{"isAuthorized":false}"#), "noRule", #"{"outcome":"forbidden"}"#
      ),
      (
        #"{"outcome":"allowed","reason":"x"}"#, response(#"{"isAuthorized":false}"#), "noRule",
        #"{"outcome":"forbidden","reason":"noRule"}"#
      ),
      // Matchers that match stay.
      (
        #"{"outcome":"allowed","response":{"isAuthorized":true,"context":{"exp":{"$present":true},"a":1}}}"#,
        response(#"{"isAuthorized":true,"context":{"exp":7,"a":2,"b":3}}"#), nil,
        #"{"outcome":"allowed","response":{"isAuthorized":true,"context":{"exp":{"$present":true},"a":2,"b":3}}}"#
      ),
      (
        #"{"outcome":"allowed","response":{"$includes":{"isAuthorized":true}}}"#,
        response(#"{"isAuthorized":false,"context":{}}"#), nil,
        #"{"outcome":"forbidden","response":{"$includes":{"isAuthorized":false}}}"#
      ),
      (
        #"{"outcome":"unauthorized","error":{"errorType":{"$regex":"Function[.].+"},"errorMessage":"x"}}"#,
        ContractTests.error("Unauthorized"), nil,
        #"{"outcome":"unauthorized","error":{"errorType":{"$regex":"Function[.].+"},"errorMessage":"Unauthorized"}}"#
      ),
      // If a matcher does not match, the file is not changed.
      (
        #"{"outcome":"allowed","response":{"isAuthorized":true,"context":{"exp":{"$regex":"[0-9]"}}}}"#,
        response(#"{"isAuthorized":true,"context":{"exp":7}}"#), nil, nil
      ),
      (
        #"{"outcome":"allowed","response":{"$includes":{"isAuthorized":true}}}"#,
        ContractTests.error("Unauthorized"), nil, nil
      ),
      (
        #"{"outcome":"unauthorized","error":{"errorType":{"$present":true}}}"#,
        response(#"{"isAuthorized":true}"#), nil, nil
      ),
      (#"{"outcome":"allowed"}"#, .died(.status(1)), nil, nil),
      (nil, ContractTests.error("x"), "keysUnavailable", nil),
      (#"{"outcome":"allowed"}"#, ContractTests.error("x"), "keysUnavailable", nil),
      (nil, response("no json"), nil, nil),
    ] as [(String?, InvocationAnswer, String?, String?)])
  func updateAssertsTheResultWithTheMatchers(
    _ old: String?, _ answer: InvocationAnswer, _ reason: String?, _ new: String?
  ) throws {
    let contract = try old.map { try ContractTests.contract($0) }
    let evaluation = Evaluation(of: answer, to: ContractTests.event)
    let update = ContractUpdate(contract, evaluation: evaluation, result: Self.result(answer, reason: reason))
    guard case .write(let bytes) = update else {
      #expect(new == nil, "\(update)")
      return
    }
    #expect(try JSONTree(parsing: bytes).equalsIgnoringOrder(Self.tree(try #require(new))))
    // The result meets the new expectation.
    let written = try ContractFile(parsing: bytes)
    #expect(written.mismatches(evaluation: evaluation, result: Self.result(answer, reason: reason)) == [])
  }

  @Test(
    "an update accepts any value in place of a time that depends on the times of the event's tokens",
    arguments: [
      (nil, #"{"exp":7}"#, #"{"exp":{"$present":true}}"#),
      (nil, #"{"exp":"7"}"#, #"{"exp":{"$present":true}}"#),
      (nil, #"{"exp":6,"at":[7,"07"]}"#, #"{"exp":6,"at":[{"$present":true},"07"]}"#),
      // The end of a policy: any time up to the maximum leeway after the latest time.
      (nil, #"{"end":"67","at":[308,"309"]}"#, #"{"end":{"$present":true},"at":[{"$present":true},"309"]}"#),
      (#"{"exp":6}"#, #"{"exp":7}"#, #"{"exp":{"$present":true}}"#),
      (#"{"exp":{"$any":[7]},"at":1}"#, #"{"exp":7,"at":2}"#, #"{"exp":{"$any":[7]},"at":2}"#),
      (#"{"$includes":{"exp":6}}"#, #"{"exp":7,"n":1}"#, #"{"$includes":{"exp":{"$present":true}}}"#),
    ] as [(String?, String, String)])
  func timesOfTokens(_ old: String?, _ context: String, _ new: String) throws {
    func document(_ context: String) -> String {
      #"{"outcome":"allowed","response":{"isAuthorized":true,"context":\#(context)}}"#
    }
    let contract = try old.map { try ContractTests.contract(document($0)) }
    let written = try Self.updated(
      contract, Self.response(#"{"isAuthorized":true,"context":\#(context)}"#))
    #expect(written.equalsIgnoringOrder(try Self.tree(document(new))))
  }

  @Test(
    "an update accepts any error message in place of a time of the event's tokens",
    arguments: [
      ("7", #"{"$present":true}"#), ("6", #""6""#), ("309", #""309""#), ("at 7", #""at 7""#),
    ])
  func timesInErrors(_ message: String, _ new: String) throws {
    let written = try Self.updated(nil, ContractTests.error(message))
    #expect(written["error"]?["errorMessage"] == (try Self.tree(new)))
  }

  /// Returns the expectation that an update writes if the event's tokens have the times 7 and 8. The answer meets it.
  private static func updated(_ contract: ContractFile?, _ answer: InvocationAnswer) throws -> JSONTree {
    let result = result(answer, reason: nil)
    let evaluation = Evaluation(of: answer, to: ContractTests.event)
    let update = ContractUpdate(contract, evaluation: evaluation, result: result, tokenTimes: [7, 8])
    guard case .write(let bytes) = update else {
      Issue.record("\(update)")
      return .null
    }
    #expect(try ContractFile(parsing: bytes).mismatches(evaluation: evaluation, result: result) == [])
    return try JSONTree(parsing: bytes)
  }
}
