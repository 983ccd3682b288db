@testable import LambdaEmulator
import TestSupport
import Testing

/// Packages that this machine has and Lambda may not.
@Suite(.hangLimit)
struct HandlerPackageTests {
  /// Files, the file of the handler, and the packages that the log names.
  static let layouts: [(name: String, files: [String: String], path: String, named: [String])] = [
    (
      "CommonJS package above the function",
      [
        "code/app.js": "require('shared')\nexports.handler = async () => 'here'",
        "node_modules/shared/index.js": "",
      ], "code/app.js", ["shared"]
    ),
    (
      "ES module above the function",
      [
        "code/app.mjs": "import { text } from '@team/shared'\nexport const handler = async () => text",
        "node_modules/@team/shared/package.json": #"{"type":"module","exports":"./index.js"}"#,
        "node_modules/@team/shared/index.js": "export const text = 'here'",
      ], "code/app.mjs", ["@team/shared"]
    ),
    (
      "own packages, the AWS SDK, and what an own package imports",
      [
        "code/app.js": "require('own')\nrequire('@aws-sdk/client')\nexports.handler = async () => 'here'",
        "code/node_modules/own/index.js": "", "node_modules/@aws-sdk/client/index.js": "require('deep')",
        "node_modules/deep/index.js": "",
      ], "code/app.js", []
    ),
    (
      "Python package of this machine",
      [
        "code/app.py":
          "import sys\nsys.path.append('HERE/site-packages')\nimport shared, alone\ndef handler(e, c): return 'here'",
        "site-packages/shared/__init__.py": "import deep", "site-packages/deep.py": "",
        "site-packages/alone.py": "",
      ], "code/app.py", ["alone", "shared"]
    ),
    (
      "virtual environment in the folder of the function",
      [
        "code/app.py":
          "import sys\nsys.path.append('HERE/code/.venv/lib/site-packages')\nimport shared\ndef handler(e, c): return 'here'",
        "code/.venv/lib/site-packages/shared.py": "",
      ], "code/app.py", ["shared"]
    ),
    (
      "type of a package above the function",
      ["code/app.js": "export const handler = async () => 'here'", "package.json": #"{"type":"module"}"#],
      "code/app.js", ["package.json"]
    ),
    (
      "own modules, the standard library, and the AWS SDK",
      [
        "code/app.py":
          "import sys\nsys.path.append('HERE/site-packages')\nimport own, json, boto3\ndef handler(e, c): return 'here'",
        "code/own/__init__.py": "", "site-packages/boto3.py": "",
      ], "code/app.py", []
    ),
  ]

  @Test("a package outside of the function is named", arguments: layouts.indices)
  func named(_ index: Int) async throws {
    let row = Self.layouts[index]
    guard HandlerWorkplace.has(row.path.hasSuffix(".py") ? .python : .node) else { return }
    let workplace = try HandlerWorkplace()
    for (path, text) in row.files {
      try workplace.write(text.replacing("HERE", with: workplace.folder), to: path)
    }
    let settings = try workplace.settings(row.path)
    let result = try #require(try await HandlerWorkplace.results(settings, ["{}"]).first)
    #expect(result.text == #""here""#, "\(row.name): \(result.text)")
    let hints = result.log.map(\.text).filter { $0.hasPrefix("hint: ") }
    let named = hints.map { String($0.split(separator: " ")[1]) }
    #expect(named.sorted() == row.named, "\(row.name): \(hints)")
    #expect(hints.allSatisfy { $0.contains("Lambda has it only if you deploy it with the function") })
  }

  @Test("the hint names the folder to give if the packages beside the sources are deployed", .needs(.node))
  func cure() async throws {
    let workplace = try HandlerWorkplace([
      "code/src/app.js": "require('own')\nexports.handler = async () => 'here'",
      "code/node_modules/own/index.js": "",
    ])
    let code = workplace.folder + "/code"
    let result = try #require(
      try await HandlerWorkplace.results(try workplace.settings("code/src/app.js"), ["{}"]).first)
    let hints = result.log.map(\.text).filter { $0.hasPrefix("hint: ") }
    #expect(hints.count == 1)
    #expect(
      hints.first?.hasSuffix(
        "; if you deploy the folder \(code), give --handler \(code):src/app.handler") == true, "\(hints)")
    let source = try HandlerSource(path: code, symbol: "src/app.handler")
    let whole = try #require(
      try await HandlerWorkplace.results(workplace.settings(try workplace.function(source)), ["{}"]).first)
    #expect(whole.text == #""here""#)
    #expect(!whole.log.contains { $0.text.hasPrefix("hint: ") })
  }

  @Test("what the hints cannot read costs no handler", .needs(.node))
  func unreadable() async throws {
    let workplace = try HandlerWorkplace([
      "app.mjs":
        "import fs from 'node:fs'\nfs.unlinkSync('app.mjs')\nexport const handler = async () => 'here'"
    ])
    let result = try #require(
      try await HandlerWorkplace.results(try workplace.settings("app.mjs"), ["{}"]).first)
    #expect(result.text == #""here""#)
  }
}
