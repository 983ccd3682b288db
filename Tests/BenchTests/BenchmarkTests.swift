import Emulator
import Testing

@testable import Bench

@Suite struct BenchmarkTests {
  /// The first start of a run fails here, so the failure names the function that was first.
  @Test func `Each function is the first of some turns`() {
    let contestants = ["a", "b", "c"].map {
      BenchContestant(
        name: $0, command: FunctionCommand(executable: "/no-such-program", environment: [:]), isFloor: false)
    }
    let event = BenchEvent(body: [], principal: nil, number: 0, deadlineMilliseconds: 0)
    let benchmark = Benchmark(.init(coldStarts: 1, warmInvocations: 1)) { _ in }
    var random = SystemRandomNumberGenerator()
    var first: Set<String> = []
    // Without one of three names in 200 runs: 2 in 10^35.
    for _ in 0..<200 {
      do throws(Benchmark.Failure) {
        _ = try benchmark.run([event], contestants, &random)
      } catch {
        first.insert(error.contestant)
      }
    }
    #expect(first == ["a", "b", "c"])
  }
}
