import KeyFetcher
import Testing

@testable import fetch_keys

@Suite("The arguments of fetch-keys")
struct CommandTests {
  private static let address = "https://id.example.com/keys"

  @Test("The default time limits are 2 s and 3 s, and other options are unset")
  func defaults() throws {
    guard case .fetch(let plan) = try Command([Self.address]) else {
      Issue.record("not a fetch")
      return
    }
    #expect(plan.address.text == Self.address)
    #expect(plan.connectMilliseconds == 2000)
    #expect(plan.totalMilliseconds == 3000)
    #expect(plan.certificateFile == nil)
    #expect(plan.proxy == nil)
  }

  @Test("The address is read from standard input, completely and once", arguments: ["", "\n"])
  func standardInput(end: String) throws {
    var reads = 0
    let command = try Command(["--timeout-ms", "5", "-"]) {
      reads += 1
      return Array((Self.address + "?key=secret" + end).utf8)
    }
    guard case .fetch(let plan) = command else {
      Issue.record("not a fetch")
      return
    }
    #expect(plan.address.text == Self.address + "?key=secret")
    #expect(reads == 1)
    _ = try Command([Self.address]) {
      Issue.record("standard input was read without -")
      return nil
    }
  }

  @Test(
    "An address from standard input must follow the same rules",
    arguments: [
      (nil, .missingAddress), ("", .missingAddress), ("\n", .missingAddress),
      ("-", .address(.unsupportedScheme)),
      ("https://id.example.com/keys\n\n", .address(.forbiddenByte(offset: 27))),
      ("http://127.0.0.1:1/", .loopbackHTTPNotAllowed),
      (
        String(repeating: "a", count: KeyAddress.byteLimit + 1),
        .address(.tooLong(byteCount: KeyAddress.byteLimit + 1))
      ),
    ] as [(String?, CommandError)])
  func refusesStandardInput(text: String?, error: CommandError) {
    #expect(throws: error) { try Command(["-"]) { text.map { Array($0.utf8) } } }
    #expect(throws: CommandError.secondAddress) { try Command(["-", Self.address]) { [] } }
  }

  @Test(
    "Invalid arguments are refused",
    arguments: [
      ([], .missingAddress),
      ([address, address], .secondAddress),
      (["--insecure", address], .unknownOption("--insecure")),
      (["-k", address], .unknownOption("-k")),
      (["--timeout-ms"], .missingValue("--timeout-ms")),
      (["--timeout-ms", "0", address], .malformedTime("--timeout-ms")),
      (["--connect-timeout-ms", "-1", address], .malformedTime("--connect-timeout-ms")),
      (["--timeout-ms", "3600001", address], .malformedTime("--timeout-ms")),
      (["--ca-file", "", address], .missingValue("--ca-file")),
      (["--proxy", "proxy.example:3128", address], .malformedProxy),
      (["--proxy", "socks5://proxy.example:3128", address], .malformedProxy),
      (["--proxy", "http://user:secret@proxy.example:3128", address], .malformedProxy),
      (["--proxy", "http://proxy.example", address], .malformedProxy),
      (["http://127.0.0.1:1/"], .loopbackHTTPNotAllowed),
      (["--allow-loopback-http", "http://example.com/"], .address(.httpBeyondLoopback(host: "example.com"))),
    ] as [([String], CommandError)])
  func refuses(arguments: [String], error: CommandError) {
    #expect(throws: error) { try Command(arguments) }
  }
}
