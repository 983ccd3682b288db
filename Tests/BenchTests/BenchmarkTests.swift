import LambdaEmulator
import Foundation
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

  /// A function that ends while its answer is not accepted waits for it: 450 ms for each cold start of ours.
  @Test func `Every answer is accepted, also that of a cold start`() throws {
    let accepted = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: accepted) }
    let function = BenchContestant(
      name: "bash",
      command: FunctionCommand(
        executable: "/bin/bash", arguments: ["-c", Self.runtime],
        environment: ["ACCEPTED": accepted.path, "ANSWER": Self.answer]),
      isFloor: false)
    let event = BenchEvent(
      body: Array(Self.event.utf8), principal: "u", number: 0, deadlineMilliseconds: 1 << 42)
    let benchmark = Benchmark(.init(coldStarts: 3, warmInvocations: 2)) { _ in }
    var random = SystemRandomNumberGenerator()
    let figures = try benchmark.run([event], [function], &random)
    #expect(figures.count == 1)
    // Three cold starts, one event that is not measured, and two warm ones.
    #expect(try String(contentsOf: accepted, encoding: .utf8) == String(repeating: "202\n", count: 6))
  }

  /// A function in Bash. Writes the status of each response to an answer into the file `ACCEPTED`.
  private static let runtime = #"""
    exec 3<>/dev/tcp/${AWS_LAMBDA_RUNTIME_API/://}
    receive() {
      read -r -u 3 version status reason
      while IFS= read -r -u 3 line && [[ $line != $'\r' ]]; do
        case $line in
          Content-Length:*) length=${line//[!0-9]/} ;;
          Lambda-Runtime-Aws-Request-Id:*) id=${line#*: } id=${id%$'\r'} ;;
        esac
      done
      read -r -N "$length" -u 3 body
    }
    path=/2018-06-01/runtime/invocation
    while :; do
      printf 'GET %s/next HTTP/1.1\r\nHost: h\r\n\r\n' "$path" >&3
      receive
      printf 'POST %s/%s/response HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s' \
        "$path" "$id" ${#ANSWER} "$ANSWER" >&3
      receive
      echo "$status" >> "$ACCEPTED"
    done
    """#

  private static let event = """
    {"type":"TOKEN","authorizationToken":"Bearer t",\
    "methodArn":"arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/prod/GET/pets"}
    """

  private static let answer = """
    {"principalId":"u","policyDocument":{"Version":"2012-10-17","Statement":\
    [{"Action":"execute-api:Invoke","Effect":"Allow","Resource":"*"}]}}
    """
}
