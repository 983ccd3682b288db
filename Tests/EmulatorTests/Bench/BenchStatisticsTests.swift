import Testing

@testable import Emulator

@Suite struct BenchStatisticsTests {
  @Test(
    arguments: [
      ([7], 50, 7), ([7], 99, 7), ([2, 1], 50, 1), ([3, 1, 2], 50, 2), ([4, 1, 3, 2], 50, 2),
      ([4, 1, 3, 2], 75, 3),
      ([4, 1, 3, 2], 76, 4), ([4, 1, 3, 2], 0, 1), ([4, 1, 3, 2], 100, 4), ([4, 1, 3, 2], 200, 4),
    ] as [([UInt64], Double, UInt64)])
  func `A percentile is the nearest measured rank`(samples: [UInt64], percent: Double, value: UInt64) throws {
    #expect(try #require(BenchSamples(nanoseconds: samples)).percentile(percent) == value)
  }

  @Test func `Ninety-nine of a hundred samples are at most the 99th percentile`() throws {
    let samples = try #require(BenchSamples(nanoseconds: (1...100).shuffled()))
    #expect([samples.median, samples.percentile(90), samples.percentile(99)] == [50, 90, 99])
  }

  @Test func `No samples give no statistics`() {
    #expect(BenchSamples(nanoseconds: []) == nil)
  }

  @Test(
    arguments: [
      (0, 2, "0.00"), (1.005, 2, "1.00"), (2.996, 2, "3.00"), (12.04, 1, "12.0"), (12.06, 1, "12.1"),
      (7.5, 0, "8"),
      (0.05, 2, "0.05"),
    ] as [(Double, Int, String)])
  func `Numbers are rounded to their decimal places`(value: Double, places: Int, text: String) {
    #expect(BenchReport.decimal(value, places) == text)
  }

  @Test func `A ratio needs a floor`() {
    #expect(BenchReport.ratio(3, 2) == 1.5)
    #expect(BenchReport.ratio(3, nil) == nil)
    #expect(BenchReport.ratio(3, 0) == nil)
  }

  @Test func `A report contains each figure and its ratio to the floor`() throws {
    func entry(_ name: String, isFloor: Bool, nanoseconds: UInt64) throws -> BenchReport.Entry {
      let samples = try #require(BenchSamples(nanoseconds: [nanoseconds]))
      return BenchReport.Entry(
        BenchContestant(
          name: name, command: FunctionCommand(executable: "/bin/true", environment: [:]), isFloor: isFloor),
        executableBytes: isFloor ? 10 : nil,
        figures: BenchFigures(
          initialization: samples, firstAnswer: samples, warm: samples, processorNanoseconds: nanoseconds,
          peakMemoryKiB: nil))
    }
    var report = BenchReport(placement: "here")
    report.add(
      "rs256", summary: "one event",
      [
        try entry("floor", isFloor: true, nanoseconds: 2000),
        try entry("bootstrap", isFloor: false, nanoseconds: 5000),
      ])
    #expect(report.lines.contains("warm, p50 us              2.0        5.0  2.50 x"))
    #expect(report.lines.contains("executable, bytes          10          -"))
    #expect(report.lines.last == "here")
    let text = String(decoding: report.json, as: UTF8.self)
    #expect(text.contains(#""warm50Microseconds": 5.0"#) && text.contains(#""warm50Microseconds": 2.50"#))
  }
}

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
