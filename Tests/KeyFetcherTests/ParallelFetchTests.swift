import Foundation
import KeyFetcher
import Testing
import TestSupport

@Suite("Concurrent fetches")
struct ParallelFetchTests {
  @Test("Results are in the order of requests, and slow fetches do not delay quick ones")
  func orderIsKept() throws {
    let quick = try KeyServer(.answer(body: Array("quick".utf8)))
    defer { quick.stop() }
    let gone = try LoopbackSocket.refusingPort()
    // Waits for the two other requests, so the test ends only if those do not wait for this one.
    let slow = try KeyServer(.answerAfter(KeyServer.message(Array("slow".utf8)), requests: 2, of: quick))
    defer { slow.stop() }
    let requests = try [slow.port, quick.port, gone, quick.port].map {
      KeyFetchRequest.withinHangLimit(try KeyAddress(parsing: "http://127.0.0.1:\($0)/", development: true))
    }
    let results = KeyFetcher(executable: Executables.built).fetchWithinHangLimit(requests)
    #expect(results.map { $0.error?.code } == [nil, nil, "fetchConnect", nil])
    let bodies = results.map { String(decoding: $0.keySet?.body ?? [], as: UTF8.self) }
    #expect(bodies == ["slow", "quick", "", "quick"])
  }

  @Test("More requests than the limit for concurrent fetches are all fetched")
  func manyAreFetched() throws {
    let folder = try TemporaryFolder()
    // The address is on standard input; the argument is `-`.
    let executable = try folder.script("printf '200 -\\n'; cat")
    let requests = try (0..<(2 * KeyFetcher.parallelFetches + 3)).map {
      KeyFetchRequest.withinHangLimit(
        try KeyAddress(parsing: "https://id.example.com/\($0)", development: false))
    }
    let results = KeyFetcher(executable: executable).fetchWithinHangLimit(requests)
    #expect(
      results.map { String(decoding: $0.keySet?.body ?? [], as: UTF8.self) } == requests.map(\.address.text))
  }

  // In a separate process, because other tests open descriptors and start processes concurrently.
  @Test("A hundred fetches leak no descriptor and no process")
  func leavesNothingBehind() async {
    await #expect(processExitsWith: .success) {
      let server = try KeyServer(.answer(body: Array("{}".utf8)))
      let silent = try KeyServer(.silence)
      let address = try KeyAddress(parsing: "http://127.0.0.1:\(server.port)/", development: true)
      let gone = try KeyAddress(
        parsing: "http://127.0.0.1:\(try LoopbackSocket.refusingPort())/", development: true)
      let before = Self.openPipesAndSockets()
      for _ in 0..<24 {
        let results = KeyFetcher(executable: Executables.built).fetchWithinHangLimit(
          [address, gone, address, address].map { KeyFetchRequest.withinHangLimit($0) })
        #expect(results.map { $0.error?.code } == [nil, "fetchConnect", nil, nil])
      }
      let hung = try KeyFetcher(executable: Executables.built).fetch(
        "http://127.0.0.1:\(silent.port)/", deadlineIn: 200)
      // Its process ends itself at the same time.
      #expect(["fetchDeadline", "fetchTimeout"].contains(hung.error?.code))
      for _ in 0..<3 {
        let missing = try KeyFetcher(executable: "/nowhere/fetch-keys").fetch(address.text)
        #expect(missing.error?.code == "fetchExecutableMissing")
      }
      server.stop()
      silent.stop()
      // The two listeners, which were open before, are closed now. The servers' threads close accepted connections
      // later; a leaked descriptor would stay open forever.
      let isTidy = HangLimit.wait { Self.openPipesAndSockets() == before - 2 }
      #expect(isTidy)
      var status: Int32 = 0
      #expect(unsafe waitpid(-1, &status, WNOHANG) == -1)
      #expect(errno == ECHILD)
    }
  }

  /// The number of open pipes and sockets, which are all that a fetch opens. Other descriptors do not count: libdispatch
  /// opens some of its own when its threads start, on a busy machine after this test began.
  private static func openPipesAndSockets() -> Int {
    (0..<getdtablesize()).count { descriptor in
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { return false }
      return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }
  }
}
