import Foundation
import KeyFetcher
import Testing
import TestSupport

@Suite("The process of a fetch")
struct FetchProcessTests {
  private static let address = "https://id.example.com/keys"

  @Test("A missing or invalid executable is reported with its path")
  func executableMissing() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("fetch-keys")
    let result = try KeyFetcher(executable: path).fetch(Self.address)
    #expect(result == .failure(.executableMissing(path: path, errorNumber: ENOENT)))
    #expect(result.error?.code == "fetchExecutableMissing")
    #expect(result.error?.description.contains("make bootstrap") == true)
    try folder.write("text", to: "fetch-keys")
    #expect(
      try KeyFetcher(executable: path).fetch(Self.address)
        == .failure(.executableMissing(path: path, errorNumber: EACCES)))
  }

  @Test(
    "The executable is in the folder of the running executable",
    arguments: [
      ("/var/task/bootstrap", "/var/task/fetch-keys"), ("dist/bootstrap", "dist/fetch-keys"),
      ("./bootstrap", "./fetch-keys"), ("bootstrap", "./fetch-keys"), ("", "./fetch-keys"),
    ])
  func liesBeside(running: String, executable: String) {
    #expect(KeyFetcher.executable(beside: running) == executable)
  }

  struct Script: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let result: KeyFetchResult
  }

  private static func diagnosis(_ curlCode: Int, _ text: String) -> KeyFetchError.Diagnosis {
    KeyFetchError.Diagnosis(curlCode: curlCode, text: text)
  }

  static let scripts: [Script] = [
    Script(
      testDescription: "a valid output", text: "printf '200 600\\nkeys'",
      result: .success(KeySetResponse(body: Array("keys".utf8), maximumAgeSeconds: 600))),
    Script(
      testDescription: "libcurl is missing",
      text: "echo 'fetch-keys: fetchLibraryMissing: libcurl.so.4: no such file' >&2; exit 69",
      result: .failure(.libraryMissing(diagnosis(0, "libcurl.so.4: no such file")))),
    Script(
      testDescription: "libcurl's code",
      text: "echo 'fetch-keys: fetchTLS: curl 60: bad: \u{1}x' >&2; exit 13",
      result: .failure(.tls(diagnosis(60, "bad: x")))),
    Script(
      testDescription: "a reason in another format", text: "echo 'curl 60' >&2; exit 13",
      result: .failure(.tls(diagnosis(0, "curl 60")))),
    Script(testDescription: "a status", text: "echo '404 -'; exit 15", result: .failure(.status(404))),
    Script(testDescription: "no output", text: "exit 0", result: .failure(.malformedOutput)),
    Script(testDescription: "garbage", text: "echo '<html>'", result: .failure(.malformedOutput)),
    Script(testDescription: "another status", text: "echo '404 -'", result: .failure(.malformedOutput)),
    Script(testDescription: "an invalid age", text: "echo '200 -1'", result: .failure(.malformedOutput)),
    Script(testDescription: "one word", text: "echo 200", result: .failure(.malformedOutput)),
    Script(
      testDescription: "a status without its line", text: "exit 15", result: .failure(.malformedOutput)),
    Script(testDescription: "an unknown exit code", text: "exit 1", result: .failure(.malformedOutput)),
    Script(testDescription: "a signal", text: "kill -9 $$", result: .failure(.malformedOutput)),
    Script(
      testDescription: "a flood of output", text: "echo '200 -'; while :; do printf '%01000d' 0; done",
      result: .failure(.malformedOutput)),
    Script(
      testDescription: "a flood of errors", text: "while :; do printf '%01000d' 0 >&2; done",
      result: .failure(.malformedOutput)),
    Script(
      testDescription: "the address and then end of file on its input", text: "printf '200 -\\n'; cat",
      result: .success(KeySetResponse(body: Array(address.utf8), maximumAgeSeconds: nil))),
  ]

  @Test("Every output of an executable becomes one result", arguments: scripts)
  func oneResult(_ script: Script) throws {
    let folder = try TemporaryFolder()
    let executable = try folder.script(script.text)
    #expect(try KeyFetcher(executable: executable).fetch(Self.address) == script.result)
  }

  @Test(
    "A hanging process and its children are ended at the deadline",
    arguments: [
      "trap '' TERM; echo '200 -'; echo >&3; read x < hang", "exec >&- 2>&-; echo >&3; read x < hang",
      "(echo >&3; read x < hang) & wait", "echo '200 -'; (echo >&3; read x < hang) &",
    ])
  func endsAtDeadline(_ text: String) throws {
    let folder = try TemporaryFolder()
    #expect(unsafe mkfifo(folder.path("hang"), 0o600) == 0)
    #expect(unsafe mkfifo(folder.path("alive"), 0o600) == 0)
    let alive = unsafe open(folder.path("alive"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(alive) }
    let executable = try folder.script("cd '\(folder.path)'; exec 3>alive\n\(text)")
    let request = KeyFetchRequest(address: try KeyAddress(parsing: Self.address, development: false))
    // The clock does not advance until the script reports that it runs; then the deadline is reached.
    var time: Int64 = 0
    let result = KeyFetcher(executable: executable).fetch([request], deadlineMilliseconds: 20) {
      var byte: UInt8 = 0
      if time < 20, unsafe read(alive, &byte, 1) == 1 { time = 20 }
      return time
    }
    #expect(result == [.failure(.deadlineExceeded)])
    // All processes of the script have the write end, so the pipe is closed when the last one has ended.
    #expect(HangLimit.poll(alive, for: POLLIN) & POLLHUP != 0)
  }

  @Test("After the deadline no process is started")
  func startsNothingTooLate() throws {
    let folder = try TemporaryFolder()
    let executable = try folder.script("touch '\(folder.path("started"))'")
    #expect(
      try KeyFetcher(executable: executable).fetch(Self.address, deadlineIn: 0) == .failure(.deadlineExceeded)
    )
    #expect(!FileManager.default.fileExists(atPath: folder.path("started")))
  }

  @Test("The address is not an argument, because its query may contain a secret")
  func addressIsNoArgument() throws {
    let folder = try TemporaryFolder()
    let executable = try folder.script(
      "echo '200 -'; tr '\\0' '\\n' < /proc/$$/cmdline 2>/dev/null || printf '%s\\n' \"$@\"; cat")
    let result = try KeyFetcher(executable: executable).fetch(Self.address + "?key=secret")
    let text = String(decoding: try #require(result.keySet).body, as: UTF8.self)
    #expect(text.hasSuffix("\n-\n" + Self.address + "?key=secret"), "\(text)")
    #expect(text.split(separator: "secret", omittingEmptySubsequences: false).count == 2)
  }

  @Test("The process gets its limits, only the allowed variables, and no blocked signals")
  func argumentsAndEnvironment() throws {
    let folder = try TemporaryFolder()
    let executable = try folder.script(
      "echo '200 -'; printf '%s\\n' \"$@\"; env | grep -E '^(SSL|HOME|AWS)'; grep -E '^Sig(Blk|Ign)' /proc/self/status"
    )
    let fetcher = KeyFetcher(executable: executable, certificateFile: "/ca.pem", proxy: "http://p:1") {
      name in
      ["SSL_CERT_FILE": "/file", "SSL_CERT_DIR": "/folder", "AWS_SECRET_ACCESS_KEY": "x"][name]
    }
    let request = KeyFetchRequest(
      address: try KeyAddress(parsing: "http://localhost:1/a", development: true), totalMilliseconds: 1500)
    var blocked = sigset_t()
    unsafe sigemptyset(&blocked)
    unsafe sigaddset(&blocked, SIGUSR1)
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, nil)
    let result = fetcher.fetch([request], deadlineMilliseconds: 1_001_000) { 1_000_000 }[0]
    unsafe pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
    // glibc keeps its two internal signals ignored (nptl(7)).
    let text = String(decoding: try #require(result.keySet).body, as: UTF8.self)
      .replacing("SigIgn:\t0000000180000000", with: "SigIgn:\t0000000000000000")
    var lines = [
      "--connect-timeout-ms", "1000", "--timeout-ms", "1000", "--allow-loopback-http", "--ca-file", "/ca.pem",
      "--proxy", "http://p:1", "-", "SSL_CERT_FILE=/file", "SSL_CERT_DIR=/folder",
    ]
    #if os(Linux)
      lines += ["SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000"]
    #endif
    #expect(text == lines.joined(separator: "\n") + "\n")
  }
}
