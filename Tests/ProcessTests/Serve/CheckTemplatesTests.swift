import Foundation
import TestSupport
import Testing

/// `scripts/check-templates` with a list and a harness of the test: it must fail if they differ.
@Suite(.needsPython, .hangLimit)
struct CheckTemplatesTests {
  private static let route =
    #""api":"Api","apiKey":false,"integration":"mock","kind":"rest","resourcePolicy":false,"route":"GET /a","stage":"s""#

  /// A program that answers `routes` with one route, and `serve` by listening; each request gets a status.
  private static func harness(access: String, status: Int) -> String {
    """
    #!\(Workshop.python ?? "")
    import http.server, sys
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(\(status))
            self.send_header("Content-Length", "0")
            self.end_headers()
        def log_message(self, *words):
            pass
    if sys.argv[1] == "routes":
        print('{"closed":[],"routes":[{"access":"\(access)",\(route)}]}')
    else:
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        print(f"serve: http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()
    """
  }

  struct Outcome: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let listed: String
    let printed: String
    let status: Int
    let exit: Int32
    let words: String
  }

  static let outcomes = [
    Outcome(
      testDescription: "as listed", listed: "lambda:Pool", printed: "lambda:Pool", status: 401, exit: 0,
      words: "1 of 1 served as listed, 0 differences"),
    Outcome(
      testDescription: "an opened route", listed: "lambda:Pool", printed: "open", status: 200, exit: 1,
      words: "access 'open' instead of 'lambda:Pool'"),
    Outcome(
      testDescription: "a guarded route that answers", listed: "lambda:Pool", printed: "lambda:Pool",
      status: 200, exit: 1, words: "without a credential it answers 200"),
    Outcome(
      testDescription: "an open route that does not answer", listed: "open", printed: "open", status: 403,
      exit: 1, words: "an open route answers 403"),
  ]

  @Test(arguments: outcomes) func failsOnADifference(_ outcome: Outcome) throws {
    let workshop = try Workshop()
    try workshop.write(
      program: Self.harness(access: outcome.printed, status: outcome.status), to: "harness")
    try workshop.write("Resources: {}", to: "templates/a.yaml")
    try workshop.write(
      #"{"a.yaml":{"parameters":{},"routes":[{"access":"\#(outcome.listed)",\#(Self.route)}],"verdict":"served"}}"#,
      to: "list.json")
    let script = Workshop.packageRoot.appendingPathComponent("scripts/check-templates").path
    let process = workshop.process(
      [script, "--templates", "templates", "--list", "list.json"],
      environment: [
        "HARNESS": workshop.folder.appendingPathComponent("harness").path,
        "PATH": "/usr/bin:/bin:/usr/local/bin",
      ])
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == outcome.exit, "\(text)")
    #expect(text.contains(outcome.words), "\(text)")
  }
}
