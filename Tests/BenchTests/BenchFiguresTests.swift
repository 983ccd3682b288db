import LambdaEmulator
import Testing

@testable import Bench

@Suite struct BenchFiguresTests {
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
