import Foundation
import KeyFetcher
import LoopbackTLS
import Testing
import TestSupport

@Suite("Several fetches at once")
struct ParallelFetchTests {
  @Test("Each result stands where its request stood, and the slow do not hold up the quick")
  func orderIsKept() throws {
    let quick = try KeyServer(.answer(body: Array("quick".utf8)))
    defer { quick.stop() }
    let gone = try LoopbackSocket.refusingPort()
    // Waits for the two others, which come to their end only if they need not wait for it.
    let slow = try KeyServer(.answerAfter(KeyServer.message(Array("slow".utf8)), requests: 2, of: quick))
    defer { slow.stop() }
    let requests = try [slow.port, quick.port, gone, quick.port].map {
      KeyFetchRequest.patient(try KeyAddress(parsing: "http://127.0.0.1:\($0)/", development: true))
    }
    let results = KeyFetcher(executable: Executables.built).fetchPatiently(requests)
    #expect(results.map { $0.error?.code } == [nil, nil, "fetchConnect", nil])
    let bodies = results.map { String(decoding: $0.keySet?.body ?? [], as: UTF8.self) }
    #expect(bodies == ["slow", "quick", "", "quick"])
  }

  @Test("More than are under way at once are all fetched")
  func manyAreFetched() throws {
    let workplace = try Workplace()
    // The address comes on standard input; a `-` stands in its place among the arguments.
    let executable = try workplace.script("printf '200 -\\n'; cat")
    let requests = try (0..<(2 * KeyFetcher.parallelFetches + 3)).map {
      KeyFetchRequest.patient(try KeyAddress(parsing: "https://id.example.com/\($0)", development: false))
    }
    let results = KeyFetcher(executable: executable).fetchPatiently(requests)
    #expect(
      results.map { String(decoding: $0.keySet?.body ?? [], as: UTF8.self) } == requests.map(\.address.text))
  }

  // In a process of its own: other tests open descriptors and start processes meanwhile.
  @Test("A hundred fetches leave no descriptor open and no process behind")
  func leavesNothingBehind() async {
    await #expect(processExitsWith: .success) {
      let server = try KeyServer(.answer(body: Array("{}".utf8)))
      let silent = try KeyServer(.silence)
      let address = try KeyAddress(parsing: "http://127.0.0.1:\(server.port)/", development: true)
      let gone = try KeyAddress(
        parsing: "http://127.0.0.1:\(try LoopbackSocket.refusingPort())/", development: true)
      let folder = FileManager.default.fileExists(atPath: "/proc/self/fd") ? "/proc/self/fd" : "/dev/fd"
      let before = try FileManager.default.contentsOfDirectory(atPath: folder).count
      for _ in 0..<24 {
        let results = KeyFetcher(executable: Executables.built).fetchPatiently(
          [address, gone, address, address].map { KeyFetchRequest.patient($0) })
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
      // The two listeners, which were open before, are closed now. The servers' threads close what they have accepted in
      // their own time; a descriptor that leaked stays open for good.
      let isTidy = try HangLimit.wait {
        try FileManager.default.contentsOfDirectory(atPath: folder).count == before - 2
      }
      #expect(isTidy)
      var status: Int32 = 0
      #expect(unsafe waitpid(-1, &status, WNOHANG) == -1)
      #expect(errno == ECHILD)
    }
  }
}
