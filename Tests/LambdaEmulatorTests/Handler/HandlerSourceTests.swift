@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import LambdaEmulator
@testable import Templates
import Foundation
import TestSupport
import Testing

/// What a template's function or `--handler` means on this machine, without running anything.
@Suite struct HandlerSourceTests {
  private static func function(_ properties: String, more: String = "") throws -> TemplateFunction {
    let template = try GatewayTemplate(
      parsing: """
        Transform: AWS::Serverless-2016-10-31
        Parameters: { Name: { Type: String } }
        Resources:
          Own:
            Type: AWS::Serverless::Function
            Properties: { \(properties) }
            \(more)
          Packages: { Type: AWS::Serverless::LayerVersion, Properties: { ContentUri: layers/packages } }
          Api:
            Type: AWS::Serverless::Api
            Properties:
              StageName: prod
              Auth: { DefaultAuthorizer: Own, Authorizers: { Own: { FunctionArn: !GetAtt Own.Arn } } }
          Backend:
            Type: AWS::Serverless::Function
            Properties:
              Runtime: provided.al2023
              Events: { Pets: { Type: Api, Properties: { RestApiId: !Ref Api, Path: /pets, Method: get } } }
        """)
    return try #require(template.functions["Own"])
  }

  private static func source(
    _ workplace: HandlerWorkplace, _ properties: String, more: String = ""
  ) throws -> HandlerSource {
    let folder = workplace.folder
    return try HandlerSource(try function(properties, more: more), in: folder) {
      (packed) throws(HandlerRefusal) in
      switch packed {
      case .archive(let path): throw .archive(path, problem: "asked")
      case .inline(let text, let name):
        try? Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        return folder
      }
    }
  }

  static let files = [
    "app.py": "", "web.mjs": "", "src/app.js": "", "typed.ts": "", "function.zip": "",
    "layers/packages/python/own.py": "", "layers/packages/python/lib/python3.12/site-packages/deep.py": "",
    "layers/packages/nodejs/node22/node_modules/deep.js": "",
  ]

  /// Properties of a function, and why it does not run.
  static let refused: [(properties: String, refusal: HandlerRefusal)] = [
    ("Runtime: java21, Handler: a.B, CodeUri: .", .runtimeNotSupported("java21")),
    ("Runtime: ruby3.3, Handler: a.b, CodeUri: .", .runtimeNotSupported("ruby3.3")),
    ("Handler: app.handler, CodeUri: .", .runtimeMissing),
    ("PackageType: Image, ImageUri: 'a/b:c'", .image),
    (
      "Runtime: python3.12, Handler: app.handler, CodeUri: 's3://bucket/key.zip'",
      .codeElsewhere("s3://bucket/key.zip")
    ),
    (
      "Runtime: python3.12, Handler: app.handler, CodeUri: { Bucket: bucket, Key: key.zip }",
      .codeElsewhere("s3://bucket/key.zip")
    ),
    ("Runtime: python3.12, Handler: app.handler, CodeUri: absent/", .codeMissing("absent/")),
    ("Runtime: python3.12, Handler: handler, CodeUri: .", .handlerMalformed("handler")),
    ("Runtime: python3.12, CodeUri: .", .handlerMalformed("")),
    ("Runtime: nodejs22.x, Handler: !Ref Name, CodeUri: .", .handlerUnknown),
    (
      "Runtime: nodejs22.x, Handler: /opt/nodejs/node_modules/agent/index.handler, CodeUri: .",
      .handlerInLayer("/opt/nodejs/node_modules/agent/index.handler", layer: "the folder /opt/")
    ),
    ("Runtime: nodejs22.x, Handler: /opt/../a.b, CodeUri: .", .handlerMalformed("/opt/../a.b")),
    (
      "Runtime: python3.12, Handler: agent.handler, CodeUri: ., Layers: ['arn:aws:lambda:x']",
      .handlerInLayer("agent.handler", layer: "the layer arn:aws:lambda:x")
    ),
    (
      "Runtime: nodejs22.x, Handler: typed.handler, CodeUri: ., Layers: ['arn:aws:lambda:x']",
      .notBuilt(source: "typed.ts", folder: "HERE")
    ),
    (
      "Runtime: python3.13, Handler: deep.handler, CodeUri: ., Layers: [!Ref Packages]",
      .moduleMissing("deep", folder: "HERE")
    ),
    ("Runtime: nodejs22.x, Handler: ../app.handler, CodeUri: .", .handlerMalformed("../app.handler")),
    ("Runtime: nodejs22.x, Handler: /src/app.handler, CodeUri: .", .handlerMalformed("/src/app.handler")),
    ("Runtime: python3.12, Handler: other.handler, CodeUri: .", .moduleMissing("other", folder: "HERE")),
    ("Runtime: nodejs22.x, Handler: app.handler, CodeUri: .", .moduleMissing("app", folder: "HERE")),
    (
      "Runtime: nodejs22.x, Handler: typed.handler, CodeUri: .", .notBuilt(source: "typed.ts", folder: "HERE")
    ),
    ("Runtime: provided.al2023, Handler: bootstrap, CodeUri: .", .programMissing(folder: "HERE")),
    (
      "Runtime: python3.12, Handler: app.handler, CodeUri: function.zip",
      .archive("HERE/function.zip", problem: "asked")
    ),
  ]

  @Test("what cannot run says why", arguments: refused)
  func refusals(_ row: (properties: String, refusal: HandlerRefusal)) throws {
    let workplace = try HandlerWorkplace(Self.files)
    do {
      _ = try Self.source(workplace, row.properties)
      Issue.record("not refused")
    } catch let refusal as HandlerRefusal {
      #expect(refusal.problem.replacing(workplace.folder, with: "HERE") == row.refusal.problem)
      #expect(!refusal.hint.isEmpty)
    }
  }

  @Test("code that a build writes is not there yet") func unbuilt() throws {
    let workplace = try HandlerWorkplace(Self.files)
    do {
      _ = try Self.source(
        workplace, "Runtime: nodejs22.x, Handler: app.handler, CodeUri: layers",
        more: "Metadata: { BuildMethod: esbuild }")
      Issue.record("not refused")
    } catch let refusal as HandlerRefusal {
      #expect(refusal == .notBuilt(source: "app", folder: workplace.folder + "/layers"))
    }
  }

  @Test("the handler of a template is found") func found() throws {
    let workplace = try HandlerWorkplace(Self.files)
    let python = try Self.source(
      workplace,
      "Runtime: python3.12, Handler: app.handler, CodeUri: ., Layers: [!Ref Packages, 'arn:aws:lambda:x']")
    #expect(python.kind == .interpreted(.python, wanted: InterpreterVersion(major: 3, minor: 12)))
    #expect(python.folder == workplace.folder)
    #expect(python.layers == [workplace.folder + "/layers/packages"])
    #expect(python.missingLayers == ["arn:aws:lambda:x"])
    let node = try Self.source(workplace, "Runtime: nodejs22.x, Handler: app.handler, CodeUri: src/")
    #expect(node.kind == .interpreted(.node, wanted: InterpreterVersion(major: 22, minor: 0)))
    #expect(node.folder == workplace.folder + "/src")
    // A handler may be in a layer.
    for (runtime, module) in [("python3.12", "own"), ("python3.12", "deep"), ("nodejs22.x", "deep")] {
      _ = try Self.source(
        workplace, "Runtime: \(runtime), Handler: \(module).handler, CodeUri: ., Layers: [!Ref Packages]")
    }
    let inline = try Self.source(
      workplace, "Runtime: nodejs22.x, Handler: index.handler, InlineCode: 'exports'")
    #expect(inline.handler == "index.handler")
    #expect(FileManager.default.fileExists(atPath: workplace.folder + "/index.js"))
  }

  @Test("memory, log format and places are read") func package() throws {
    let function = try Self.function(
      "Runtime: python3.12, Handler: a.b, MemorySize: 512, LoggingConfig: { LogFormat: JSON }, CodeUri: src")
    #expect(function.package.memoryMegabytes == 512)
    #expect(function.package.logsJSON)
    #expect(function.package.localPlaces == ["src"])
    let plain = try Self.function("Runtime: python3.12, Handler: a.b, MemorySize: 1")
    #expect(plain.package == FunctionCode())
  }

  /// Paths and symbols of `--handler` that name no handler.
  static let options: [(path: String, symbol: String, problem: String)] = [
    ("app.py", "../x/app.handler", "its handler is ../x/app.handler; it has the form FILE.FUNCTION"),
    ("src", "../app.handler", "its handler is ../app.handler; it has the form FILE.FUNCTION"),
    (".", "src/../app.handler", "its handler is src/../app.handler; it has the form FILE.FUNCTION"),
    (".", "/app.handler", "its handler is /app.handler; it has the form FILE.FUNCTION"),
    ("typed.ts", "handler", "typed.ts is no Python or JavaScript file"),
    ("absent.py", "handler", "HERE has no file absent.py for its handler"),
    (".", "absent.handler", "HERE has no file absent for its handler"),
    (".", "typed.handler", "typed.ts is not built: HERE has no JavaScript for its handler"),
    (".", "handler", "its handler is handler; it has the form FILE.FUNCTION"),
  ]

  @Test("an option that names no handler says why", arguments: options)
  func option(_ row: (path: String, symbol: String, problem: String)) throws {
    let workplace = try HandlerWorkplace(Self.files)
    let path = row.path == "." ? workplace.folder : workplace.folder + "/" + row.path
    do {
      _ = try HandlerSource(path: path, symbol: row.symbol)
      Issue.record("not refused")
    } catch {
      #expect(error.problem.replacing(workplace.folder, with: "HERE") == row.problem)
    }
  }

  /// Why this machine, with another `PATH`, does not run a handler; `nil` if it does.
  private static func refusal(of source: HandlerSource, path: String) -> HandlerRefusal? {
    do throws(HandlerRefusal) {
      _ = try HandlerFunction(
        source, loops: "/nowhere", inheriting: ["PATH": path],
        key: HandlerFunction.AccessKey(identifier: "a", secret: "b"))
      return nil
    } catch {
      return error
    }
  }

  /// A program that prints its version and its path, as interpreters do.
  private static func interpreter(_ version: String) -> String {
    "#!/bin/sh\necho \(version)\necho \"$0\"\n"
  }

  @Test("a missing interpreter and one of another kind are refused") func interpreters() throws {
    let workplace = try HandlerWorkplace(Self.files)
    let folder = workplace.folder
    let node = try HandlerSource(path: folder + "/web.mjs", symbol: "handler")
    #expect(Self.refusal(of: node, path: folder) == .interpreterMissing(.node, wanted: nil))
    // A relative folder in PATH decides nothing.
    #expect(Self.refusal(of: node, path: ".:bin") == .interpreterMissing(.node, wanted: nil))
    try TestProgram.write(Self.interpreter("v16.2.0"), to: folder + "/node")
    let old = InterpreterVersion(major: 16, minor: 2)
    #expect(
      Self.refusal(of: node, path: folder) == .interpreterTooOld(.node, path: folder + "/node", found: old))
    let python = try Self.source(workplace, "Runtime: python2.7, Handler: app.handler, CodeUri: .")
    try TestProgram.write(Self.interpreter("3.11.7"), to: folder + "/python3")
    #expect(
      Self.refusal(of: python, path: folder)
        == .interpreterOther(
          .python, path: folder + "/python3", found: InterpreterVersion(major: 3, minor: 11),
          wanted: InterpreterVersion(major: 2, minor: 7)))
  }

  @Test("another version is noted, and the wanted one is preferred") func versions() throws {
    let workplace = try HandlerWorkplace(Self.files)
    try TestProgram.write(Self.interpreter("3.11.7"), to: workplace.folder + "/python3")
    let source = try Self.source(workplace, "Runtime: python3.12, Handler: app.handler, CodeUri: .")
    let path = ["PATH": workplace.folder]
    #expect(
      try workplace.function(source, path).notes == [
        "Python 3.11 of \(workplace.folder)/python3 runs it instead of 3.12"
      ])
    try TestProgram.write(Self.interpreter("3.12.1"), to: workplace.folder + "/python3.12")
    let found = try workplace.function(source, path)
    #expect(found.executable == workplace.folder + "/python3.12")
    #expect(found.notes == [])
  }

  /// What a version manager puts into PATH: a program that starts the interpreter, or says that it has none.
  @Test(
    "the interpreter itself runs, not the program of a version manager",
    arguments: [
      ("#!/bin/sh\nexec HERE/versions/python3 \"$@\"\n", "HERE/versions/python3"),
      ("#!/bin/sh\necho loading\nexec HERE/versions/python3 \"$@\"\n", "HERE/versions/python3"),
      ("#!/bin/sh\necho no version 3.12 is set >&2\nexit 1\n", "HERE/later/python3"),
      ("#!/bin/sh\necho 3.12.1\n", "HERE/later/python3"),
      ("#!/bin/sh\necho 3.12.1\necho versions/python3\n", "HERE/later/python3"),
      ("#!/bin/sh\necho 3.12.1\necho HERE/nowhere/python3\n", "HERE/later/python3"),
    ])
  func shim(_ text: String, _ path: String) throws {
    let workplace = try HandlerWorkplace(Self.files)
    let folder = workplace.folder
    for name in ["shims", "versions", "later"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(name)", withIntermediateDirectories: false)
      try TestProgram.write(Self.interpreter("3.12.1"), to: "\(folder)/\(name)/python3")
    }
    try TestProgram.write(text.replacing("HERE", with: folder), to: folder + "/shims/python3")
    let source = try Self.source(workplace, "Runtime: python3.12, Handler: app.handler, CodeUri: .")
    let found = try workplace.function(source, ["PATH": "\(folder)/shims:\(folder)/later"])
    #expect(found.executable == path.replacing("HERE", with: folder))
  }
}
