@testable import LambdaEmulator
import JSON
import TestSupport
import Testing

/// How handlers are found and loaded, and what goes wrong before the first event.
@Suite(.hangLimit)
struct HandlerLoadingTests {
  /// A file of a handler that cannot be loaded, its source, and the error.
  static let broken: [(file: String, source: String, type: String, message: String)] = [
    ("app.py", "def handler(", "Runtime.UserCodeSyntaxError", "Syntax error in module 'app'"),
    (
      "app.py", "import no_such_package", "Runtime.ImportModuleError",
      "Unable to import module 'app': No module named 'no_such_package'"
    ),
    ("app.py", "x = 1", "Runtime.HandlerNotFound", "Handler 'handler' missing on module 'app'"),
    ("app.py", "raise KeyError('now')", "KeyError", "now"),
    ("app.mjs", "export const handler = (", "Runtime.UserCodeSyntaxError", "SyntaxError"),
    ("app.mjs", "import 'no-such-package'", "Runtime.ImportModuleError", "no-such-package"),
    ("app.cjs", "require('no-such-package')", "Runtime.ImportModuleError", "no-such-package"),
    ("app.mjs", "", "Runtime.HandlerNotFound", "app.handler is undefined or not exported"),
    ("app.mjs", "throw new RangeError('now')", "RangeError", "now"),
    (
      "app.mjs",
      "export const handler = Object.assign(() => {}, { [Symbol.for('aws.lambda.runtime.handler.streaming')]: 'request' })",
      "Runtime.MalformedStreamingHandler", "Only response streaming is supported."
    ),
  ].filter { HandlerWorkplace.has($0.file.hasSuffix(".py") ? .python : .node) }

  @Test("a handler that cannot be loaded says why", arguments: broken)
  func load(_ row: (file: String, source: String, type: String, message: String)) async throws {
    let workplace = try HandlerWorkplace([row.file: row.source])
    let settings = try workplace.settings(row.file, "handler")
    let result = try #require(try await HandlerWorkplace.results(settings, ["{}"]).first)
    guard case .initializationFailed(.reported(let report)) = result.answer else {
      Issue.record("\(result.answer): \(result.text)")
      return
    }
    let document = try JSONTree(parsing: report.document)
    #expect(document["errorType"] == .string(row.type), "\(result.text)")
    guard case .string(let message)? = document["errorMessage"] else { return }
    #expect(message.contains(row.message), "\(message)")
    #expect(
      result.log.contains { $0.text.contains("hint: ") } == row.source.contains("such"), "\(result.log)")
  }

  /// Files, the path and the name of the handler.
  static let layouts: [(files: [String: String], path: String, symbol: String)] = [
    (["app.py": "def handler(e, c): return 'here'"], "app.py", "handler"),
    (["src/__init__.py": "", "src/app.py": "def handler(e, c): return 'here'"], ".", "src.app.handler"),
    (["src/app.py": "def handler(e, c): return 'here'"], ".", "src/app.handler"),
    (
      ["app.py": "import part\ndef handler(e, c): return part.text", "part.py": "text = 'here'"], "app.py",
      "handler"
    ),
    (["app.mjs": "export const handler = async () => 'here'"], "app.mjs", "handler"),
    (["app.js": "exports.handler = async () => 'here'"], "app.js", "handler"),
    (["app.cjs": "exports.handler = async () => 'here'"], "app.cjs", "handler"),
    (
      ["app.js": "export const handler = async () => 'here'", "package.json": #"{"type":"module"}"#],
      "app.js",
      "handler"
    ),
    (["app.js": "exports.api = { handler: async () => 'here' }"], ".", "app.api.handler"),
    (["src/app.mjs": "export const handler = async () => 'here'"], ".", "src/app.handler"),
    (
      [
        "app.mjs": "import { text } from 'own'\nexport const handler = async () => text",
        "node_modules/own/package.json": #"{"main":"index.js"}"#,
        "node_modules/own/index.js": "exports.text = 'here'",
      ],
      "app.mjs", "handler"
    ),
    (
      ["app.js": "exports.handler = (e, c, done) => setTimeout(() => done(null, 'here'), 1)"], "app.js",
      "handler"
    ),
    (["app.js": "exports.handler = (e, c) => c.succeed('here')"], "app.js", "handler"),
    (
      ["app.py": "open('part.txt').read()\ndef handler(e, c): return 'here'", "part.txt": ""], "app.py",
      "handler"
    ),
    (
      [
        "app.js": "require('fs').readFileSync('part.txt')\nexports.handler = async () => 'here'",
        "part.txt": "",
      ], "app.js", "handler"
    ),
  ]

  @Test("the layouts of Lambda's own runtimes work", arguments: layouts)
  func layout(_ row: (files: [String: String], path: String, symbol: String)) async throws {
    let isPython = row.files.keys.contains { $0.hasSuffix(".py") }
    guard HandlerWorkplace.has(isPython ? .python : .node) else { return }
    let workplace = try HandlerWorkplace(row.files)
    let path = row.path == "." ? workplace.folder : workplace.folder + "/" + row.path
    let settings = workplace.settings(
      try workplace.function(HandlerSource(path: path, symbol: row.symbol)))
    let result = try #require(try await HandlerWorkplace.results(settings, ["{}"]).first)
    #expect(result.text == #""here""#)
  }

  /// What Node's client does beside promises: the handler, the event, and a part of the payload.
  static let edges: [(symbol: String, event: String, payload: String)] = [
    // Without a callback nothing answers: the event loop is empty.
    ("sync", "{}", "null"), ("handler", #"{"do":"never"}"#, #""errorType":"Runtime.NodeJsExit""#),
    // The first call counts.
    ("callback", #"{"do":"twice"}"#, #""first""#),
    ("handler", #"{"do":"null"}"#, #""errorType":"string","errorMessage":"handled""#),
    ("handler", #"{"do":"text"}"#, #""errorType":"string","errorMessage":"Unauthorized""#),
    ("callback", #"{"a":1}"#, #"{"a":1}"#), ("callback", #"{"do":"fail"}"#, #""errorType":"TypeError""#),
    ("handler", #"{"do":"rejection"}"#, #""errorType":"Runtime.UnhandledPromiseRejection""#),
    ("handler", #"{"do":"uncaught"}"#, #""errorType":"RangeError""#),
  ]

  @Test("callbacks, lost promises and late errors of Node.js", .needs(.node), arguments: edges)
  func edge(_ row: (symbol: String, event: String, payload: String)) async throws {
    let workplace = try HandlerWorkplace.withFixtures()
    let settings = try workplace.settings("handler.mjs", row.symbol)
    let results = try await HandlerWorkplace.results(settings, [row.event, #"{"do":"nothing"}"#])
    #expect(results[0].text.contains(row.payload), "\(results[0].text)")
    #expect(results.count == 2)
  }

  @Test("a layer's packages are found", .needs(.node), .needs(.python))
  func layers() async throws {
    let workplace = try HandlerWorkplace([
      "layer/python/shared.py": "text = 'here'",
      "layer/nodejs/node_modules/shared/index.js": "exports.text = 'here'",
      "code/app.py": "import shared\ndef handler(e, c): return shared.text",
      "code/app.js": "const shared = require('shared')\nexports.handler = async () => shared.text",
    ])
    for file in ["app.py", "app.js"] {
      var source = try HandlerSource(path: workplace.folder + "/code/" + file, symbol: "handler")
      source.layers = [workplace.folder + "/layer"]
      let settings = workplace.settings(try workplace.function(source))
      #expect(try await HandlerWorkplace.results(settings, ["{}"]).first?.text == #""here""#, "\(file)")
    }
  }

  @Test("a handler for Node.js 24 has no callback", .needs(.node))
  func deprecatedCallback() async throws {
    let workplace = try HandlerWorkplace(["app.js": "exports.handler = (e, c, done) => done(null, 1)"])
    var settings = try workplace.settings("app.js")
    settings.variables["AWS_EXECUTION_ENV"] = "AWS_Lambda_nodejs24.x"
    let result = try #require(try await HandlerWorkplace.results(settings, ["{}"]).first)
    #expect(result.text.contains("Runtime.CallbackHandlerDeprecated"), "\(result.text)")
  }
}
