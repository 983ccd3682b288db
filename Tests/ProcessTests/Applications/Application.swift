import Foundation
import TestSupport
import Testing

/// A sample application of `Tests/Fixtures/applications`, served with its functions.
struct Application: ~Copyable {
  let gateway: ServedGateway
  /// The file in which the backend notes the events of WebSocket APIs.
  let events: URL
  // Its folder stays until the gateway has ended.
  private let workshop: Workshop

  /// The file of a template.
  static func template(_ name: String) -> String { file("\(name).yaml") }

  private static func file(_ name: String) -> String {
    Workshop.packageRoot.appendingPathComponent("Tests/Fixtures/applications/\(name)").path
  }

  /// Serves a template.
  ///
  /// - Parameter functions: the names of its functions, each with its part in `function.py`.
  init(_ name: String, functions: [String: String], _ arguments: [String] = []) throws {
    let workshop = try Workshop()
    let events = workshop.folder.appendingPathComponent(".git/events")
    let program =
      "exec env EVENTS=\(events.path) \(Workshop.python ?? "python3") -I \(Self.file("function.py"))"
    gateway = try ServedGateway(
      workshop,
      ["--template", Self.template(name)]
        + functions.flatMap { ["--run", "\($0.key)=\(program) \($0.value)"] }
        + arguments)
    self.events = events
    self.workshop = workshop
  }

  /// Waits until the backend has noted an event, and returns all that it noted.
  func events(until last: String) throws -> [String] {
    var found: [String] = []
    let isThere = HangLimit.wait {
      let text = (try? String(contentsOf: events, encoding: .utf8)) ?? ""
      found = text.split(separator: "\n").map(String.init)
      return found.contains(last)
    }
    try #require(isThere, "\(found)\n\(gateway.logText)")
    return found
  }

  /// The answer to a request that curl sends, or Foundation where there is no curl.
  func answer(
    _ method: String = "GET", _ path: String, headers: [String: String] = [:]
  ) async throws -> ServedGateway.Answer {
    guard Workshop.hasCurl else { return try await gateway.send(method, path, headers: headers) }
    let curl = workshop.process(
      ["--silent", "--show-error", "--include", "--max-time", "\(HangLimit.seconds)", "--request", method]
        + headers.flatMap { ["--header", "\($0.key): \($0.value)"] }
        + ["http://127.0.0.1:\(gateway.port)\(path)"])
    curl.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    let output = Pipe()
    curl.standardOutput = output
    try curl.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    curl.waitUntilExit()
    let end = try #require(text.range(of: "\r\n\r\n"), "curl ended with \(curl.terminationStatus): \(text)")
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      fields[parts[0].lowercased()] = parts.last?.trimmingCharacters(in: .whitespaces)
    }
    let status = try #require(lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) })
    return ServedGateway.Answer(status: status, headers: fields, body: Array(text[end.upperBound...].utf8))
  }
}

/// A request to an application, and its answer as AWS documents it.
struct ApplicationCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var method = "GET"
  let path: String
  var headers: [String: String] = [:]
  let status: Int
  /// The header `x-amzn-errortype`; `nil` if there must be none.
  var errorType: String?
  /// The whole body; `nil` if it is not compared.
  var body: String?
  /// Parts of the body.
  var contains: [String] = []

  /// What the backend reports of the event of a REST API: its members ("Input format of a Lambda function for proxy
  /// integration").
  static let restEvent =
    #""members": ["body", "headers", "httpMethod", "isBase64Encoded", "multiValueHeaders", "#
    + #""multiValueQueryStringParameters", "path", "pathParameters", "queryStringParameters", "#
    + #""requestContext", "resource", "stageVariables"]"#

  /// Sends the request and compares the answer.
  func check(_ application: borrowing Application) async throws {
    let answer = try await application.answer(method, path, headers: headers)
    #expect(answer.status == status, "\(testDescription): \(answer.text)\n\(application.gateway.logText)")
    #expect(answer.headers["x-amzn-errortype"] == errorType, "\(testDescription)")
    if let body { #expect(answer.text == body, "\(testDescription)") }
    for part in contains { #expect(answer.text.contains(part), "\(testDescription): \(answer.text)") }
  }
}
