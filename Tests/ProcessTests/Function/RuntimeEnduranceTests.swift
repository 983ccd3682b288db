import Foundation
import Synchronization
import TestSupport
import TestTokens
import Testing

/// The function over many invocations: memory, descriptors and connections must not grow, whatever happens to its
/// process and its connection.
@Suite(.needsBootstrap, .enabled(if: EventPump.hasProcessFolders, "there is no /proc"), .hangLimit)
struct RuntimeEnduranceTests {
  /// The memory and descriptors of a process (proc(5)).
  struct Holdings: Sendable {
    let residentKiB: Int
    let descriptors: Int

    init(of process: Int32) {
      let statm = (try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)) ?? ""
      let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      residentKiB = pages * Int(getpagesize()) / 1024
      let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
      descriptors = files?.count ?? 0
    }
  }

  /// Starts the function under `pump`, with one issuer that shares a secret, because that verification is cheap.
  private static func start(_ pump: EventPump, in workshop: borrowing Workshop) throws -> Process {
    let configuration = """
      {"issuers":[{"name":"partner","issuer":"https://id.example.com","audiences":["api"],
      "algorithms":["HS256"],"keys":{"secret":{"environment":"SECRET"}}}]}
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Workshop.bootstrap)
    process.environment = [
      "AUTHORIZER_CONFIG": configuration, "AUTHORIZER_DEVELOPMENT": "1", "SECRET": secret,
      "AWS_LAMBDA_RUNTIME_API": pump.address, "LAMBDA_TASK_ROOT": workshop.folder.path,
    ]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    return process
  }

  private static let secret = "a secret of the development issuer, long enough"

  private static func token() throws -> String {
    let recipe = """
      {"t":{"preset":"oidc:https://id.example.com","secret":"\(secret)","claims":{"aud":"api","sub":"u"}}}
      """
    let mint = TokenMint(
      recipes: try TokenRecipes(parsing: Array(recipe.utf8)), keys: try FetchingFunction.keys(),
      now: Int64(Date().timeIntervalSince1970))
    return try mint.token(named: "t")
  }

  private static func event(_ authorization: String) -> [UInt8] {
    let arn = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets"
    return Array(#"{"type":"TOKEN","methodArn":"\#(arn)","authorizationToken":"\#(authorization)"}"#.utf8)
  }

  @Test("100,000 invocations leave nothing behind")
  func nothingGrows() throws {
    let workshop = try Workshop()
    let events = [
      Self.event("Bearer " + (try Self.token())), Self.event("Bearer a.b.c"),
      Self.event(""), Array("{}".utf8),
    ]
    let process = Mutex<Int32>(0)
    let early = Mutex<Holdings?>(nil)
    let late = Mutex<Holdings?>(nil)
    let started = DispatchSemaphore(value: 0)
    let pump = try EventPump { number in
      switch number {
      case 0:
        started.wait()
      case 10_000: early.withLock { $0 = Holdings(of: process.withLock { $0 }) }
      case 100_000:
        late.withLock { $0 = Holdings(of: process.withLock { $0 }) }
        return .end
      default: break
      }
      return .event(events[number % events.count])
    }
    let function = try Self.start(pump, in: workshop)
    process.withLock { $0 = function.processIdentifier }
    started.signal()
    let count = pump.finish()
    function.waitUntilExit()
    #expect(function.terminationStatus == 69)
    #expect(
      count == EventPump.Count(connections: 1, nexts: 100_001, responses: 25_000, errors: 75_000, other: 0))
    let (before, after) = (try #require(early.withLock { $0 }), try #require(late.withLock { $0 }))
    #expect(before.residentKiB > 0 && after.residentKiB - before.residentKiB <= 64, "\(before) \(after)")
    #expect(before.descriptors > 0 && after.descriptors == before.descriptors, "\(before) \(after)")
  }

  @Test(
    "a function that is frozen and thawed between calls continues, even if its connection ends meanwhile")
  func frozen() throws {
    let workshop = try Workshop()
    let good = Self.event("Bearer " + (try Self.token()))
    let process = Mutex<Int32>(0)
    let started = DispatchSemaphore(value: 0)
    let pump = try EventPump { number in
      if number == 0 { started.wait() }
      let id = process.withLock { $0 }
      if number == 400 { return .end }
      // Frozen while it waits for an event, as on Lambda. The thaw comes before or after the event.
      kill(id, SIGSTOP)
      if number % 3 == 0 { kill(id, SIGCONT) } else { thaw(id) }
      return number % 40 == 39 ? .reset : .event(good)
    }
    let function = try Self.start(pump, in: workshop)
    process.withLock { $0 = function.processIdentifier }
    started.signal()
    let count = pump.finish()
    function.waitUntilExit()
    #expect(function.terminationStatus == 69)
    #expect(
      count == EventPump.Count(connections: 11, nexts: 401, responses: 390, errors: 0, other: 0))
  }
}

/// Thaws a process shortly after the caller's next action.
private func thaw(_ process: Int32) {
  DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { kill(process, SIGCONT) }
}
