import Foundation
import JSON
import Synchronization
import Testing
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// `authorizer-local serve` as a user starts it, on a free port.
final class ServedGateway: Sendable {
  var port: Int { starts.withLock { $0.port } }
  /// What it printed to standard output at its last start.
  var announcement: String { starts.withLock { $0.text } }
  private let starts: Mutex<(port: Int, text: String)>
  let process: Process
  private let output: Pipe
  /// The file with its log.
  let log: URL

  /// Starts it and waits for its addresses.
  init(
    _ workshop: borrowing Workshop, _ arguments: [String], environment: [String: String] = [:],
    in place: URL? = nil, tool: URL? = nil
  ) throws {
    log = workshop.folder.appendingPathComponent(".git/serve.log")
    try Data().write(to: log)
    process = workshop.process(
      ["serve", "--port", "0"] + arguments, environment: environment, in: place, tool: tool)
    output = Pipe()
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: log)
    try process.run()
    guard let start = Self.start(output.fileHandleForReading, of: process) else {
      process.terminate()
      throw NotStarted(log: (try? String(contentsOf: log, encoding: .utf8)) ?? "")
    }
    starts = Mutex(start)
  }

  struct NotStarted: Error { let log: String }

  /// Waits for the next start after a change, and returns its port.
  func nextPort() throws -> Int {
    guard let start = Self.start(output.fileHandleForReading, of: process) else {
      throw NotStarted(log: logText)
    }
    starts.withLock { $0 = start }
    return start.port
  }

  /// Waits until its log contains a text.
  func untilLog(_ words: String) async throws {
    let isThere = try await HangLimit.waitAsync { logText.contains(words) || !process.isRunning }
    try #require(isThere && logText.contains(words), "\(logText)")
  }

  /// Reads until the last line of a start; `nil` at the end of the output or at `HangLimit`.
  private static func start(_ output: FileHandle, of process: Process) -> (port: Int, text: String)? {
    let killer = HangLimit.killer(of: process.processIdentifier)
    defer { killer.cancel() }
    var text = ""
    while !text.hasSuffix("  lists all addresses\n") {
      let data = output.availableData
      guard !data.isEmpty else { return nil }
      text += String(decoding: data, as: UTF8.self)
    }
    let line = text.split(separator: "\n").last { $0.hasPrefix("serve: http://127.0.0.1:") }
    return line?.split(separator: ":").last.flatMap { Int($0) }.map { ($0, text) }
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  var logText: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

  struct Answer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]
    var json: JSONTree? { try? JSONTree(parsing: body) }
    var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// The file with the secret for its console, its Invoke API and its clock.
  var secretFile: String? {
    let start = "note: keys and users of this machine are in "
    return logText.split(separator: "\n").first { $0.hasPrefix(start) }.map {
      $0.dropFirst(start.count) + "/secret"
    }
  }

  /// The secret.
  var secret: String? {
    secretFile.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) }?
      .split(separator: " ").last?.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Sends a request.
  ///
  /// - Parameter isOwn: whether it has the secret, where the gateway may ask for it.
  func send(
    _ method: String = "GET", _ path: String, headers: [String: String] = [:], body: String? = nil,
    isOwn: Bool = true
  ) async throws -> Answer {
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
    request.httpMethod = method
    if isOwn, path.hasPrefix("/dev/") || path.hasPrefix("/2015-03-31/") {
      request.setValue(secret, forHTTPHeaderField: "X-Development-Secret")
    }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    request.httpBody = body.map { Data($0.utf8) }
    request.timeoutInterval = TimeInterval(HangLimit.seconds)
    let (data, response) = try await URLSession.shared.data(for: request)
    let answer = try #require(response as? HTTPURLResponse)
    var fields: [String: String] = [:]
    for (name, value) in answer.allHeaderFields { fields["\(name)".lowercased()] = "\(value)" }
    return Answer(status: answer.statusCode, headers: fields, body: Array(data))
  }

  /// Returns a token for a user.
  func token(_ order: String) async throws -> String {
    let answer = try await send("POST", "/dev/token", body: order)
    guard case .string(let token)? = answer.json?["access_token"] else { throw NotStarted(log: answer.text) }
    return token
  }
}
