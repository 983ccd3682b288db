@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import LambdaEmulator
@testable import Templates
import TestSupport
import Testing

/// Packages that Lambda's runtimes include and this machine may have elsewhere.
@Suite(.hangLimit)
struct HandlerRuntimePackageTests {
  /// The file of the handler, its text, and where the package is: a module, a member of its exports, a dynamic import.
  static let uses: [(file: String, text: String)] = [
    ("app.mjs", "import { text } from '@aws-sdk/client-x'\nexport const handler = async () => text"),
    ("app.cjs", "const { text } = require('@aws-sdk/client-x')\nexports.handler = async () => text"),
    ("app.mjs", "export const handler = async () => (await import('@aws-sdk/client-x')).text"),
    ("app.cjs", "exports.handler = async () => require('@aws-sdk/client-x/dist/index.js').text"),
    ("app.mjs", "import { text } from './part.cjs'\nexport const handler = async () => text"),
  ]

  private static let package = [
    "@aws-sdk/client-x/package.json": #"{"name":"@aws-sdk/client-x","main":"./dist/index.js"}"#,
    "@aws-sdk/client-x/dist/index.js": "exports.text = require('@smithy/y').text",
    "@smithy/y/index.js": "exports.text = 'here'",
  ]

  /// Runs a handler beside which is a folder with packages; the shell names it.
  private static func result(
    _ use: (file: String, text: String), packages: [String: String], in place: String,
    _ shell: (_ folder: String) -> [String: String], runtime: String? = nil
  ) async throws -> (text: String, hints: [String], folder: String) {
    let workplace = try HandlerWorkplace(["code/" + use.file: use.text])
    try workplace.write("exports.text = require('@aws-sdk/client-x').text", to: "code/part.cjs")
    for (path, text) in packages { try workplace.write(text, to: place + "/" + path) }
    let folder = workplace.folder
    let source =
      if let runtime {
        try HandlerSource(
          #require(try Self.function(runtime)), in: folder, unpacked: { _ throws(HandlerRefusal) in folder })
      } else {
        try HandlerSource(path: "\(folder)/code/\(use.file)", symbol: "handler")
      }
    let settings = workplace.settings(
      try workplace.function(source, HandlerWorkplace.shell.merging(shell(folder)) { $1 }))
    let result = try #require(try await HandlerWorkplace.results(settings, ["{}"]).first)
    return (result.text, result.log.map(\.text).filter { $0.hasPrefix("hint: ") }, folder)
  }

  private static func function(_ runtime: String) throws -> TemplateFunction? {
    try GatewayTemplate(
      parsing: """
        Transform: AWS::Serverless-2016-10-31
        Resources:
          Own:
            Type: AWS::Serverless::Function
            Properties:
              Runtime: \(runtime)
              Handler: app.handler
              CodeUri: code
              Events: { Pets: { Type: HttpApi, Properties: { Path: /pets, Method: get } } }
        """
    ).functions["Own"]
  }

  /// Folders of packages for all programs, and how the shell names them.
  static let places: [(place: String, shell: @Sendable (String) -> [String: String])] = [
    ("shared", { ["NODE_PATH": "relative:\($0)/shared"] }),
    ("prefix/lib/node_modules", { ["NPM_CONFIG_PREFIX": $0 + "/prefix"] }),
    ("global/lib/node_modules", { ["HOME": $0] }),
  ]

  @Test(
    "the AWS SDK is found where the user has it for all programs",
    .needs(.node), arguments: uses.indices, places.indices)
  func shared(_ use: Int, _ place: Int) async throws {
    var packages = Self.package
    packages["../../../.npmrc"] = "# mine\nprefix = ${HOME}/global\n"
    let (place, shell) = Self.places[place]
    if place != "global/lib/node_modules" { packages["../../../.npmrc"] = nil }
    let found = try await Self.result(Self.uses[use], packages: packages, in: place, shell)
    #expect(found.text == #""here""#, "\(found)")
    #expect(found.hints == [])
  }

  @Test(
    "a package of Lambda's runtime that is missing is named with its cure",
    .needs(.node), arguments: uses.indices)
  func missing(_ use: Int) async throws {
    let found = try await Self.result(Self.uses[use], packages: [:], in: "none", { ["HOME": $0] })
    let name = "@aws-sdk/client-x"
    #expect(
      Set(found.hints) == [
        "hint: \(name) is in Lambda's runtime, and not on this machine: run npm install --no-save \(name) in "
          + "\(found.folder)/code, or npm install --global \(name)"
      ], "\(found)")
  }

  /// The SDK of another version is not in the runtime, so it must be deployed; and other packages are found on no Lambda.
  @Test(
    "only what the runtime includes is shared", .needs(.node),
    arguments: [
      ("nodejs16.x", "aws-sdk", true), ("nodejs16.x", "@aws-sdk/client-x", false),
      ("nodejs20.x", "aws-sdk", false), ("nodejs20.x", "@aws-sdk/client-x", true),
      ("nodejs20.x", "jose", false), ("nodejs20.x", "@aws-sdkx/client", false),
    ])
  func included(_ runtime: String, _ name: String, _ isShared: Bool) async throws {
    let packages = Self.package.merging([
      "\(name)/index.js": "exports.text = 'here'", "\(name)/package.json": #"{"main":"index.js"}"#,
    ]) { $1 }
    let use = ("app.js", "const { text } = require('\(name)')\nexports.handler = async () => text")
    let found = try await Self.result(
      use, packages: packages, in: "shared", { ["NODE_PATH": $0 + "/shared"] }, runtime: runtime)
    #expect((found.text == #""here""#) == isShared, "\(found)")
    if !isShared {
      #expect(
        Set(found.hints) == ["hint: \(name) is not installed: run npm install in the folder of the function"])
    }
  }

  @Test(
    "a missing package of Lambda's runtime for Python is named with its cure",
    .needs(.python), arguments: ["import boto3", "def handler(e, c):\n    import boto3"])
  func python(_ text: String) async throws {
    // The interpreter may have it.
    let source = "import sys\nsys.modules['boto3'] = None\n" + text + "\n"
    let workplace = try HandlerWorkplace(["app.py": source])
    let settings = try workplace.settings("app.py")
    let result = try #require(try await HandlerWorkplace.results(settings, ["{}"]).first)
    let hints = Set(result.log.map(\.text).filter { $0.hasPrefix("hint: ") })
    #expect(
      hints == [
        "hint: boto3 is in Lambda's runtime, and \(settings.executable) does not have it: install it there, or into "
          + "the folder of the function"
      ], "\(result.log)")
  }
}
