import LambdaEmulator
import Foundation
import TestSupport
import Testing

/// What calls a handler. Python and Node.js are columns of the table of docs/harness/handlers.md; AWS's Python client
/// answers as Python.
enum HandlerColumn: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case python, awslambdaric, node

  /// The columns that run on this machine.
  static let here = allCases.filter(\.isHere)

  private var isHere: Bool {
    switch self {
    case .python: Workshop.python != nil
    case .awslambdaric: Clients.areInstalled
    case .node: Workshop.hasNode
    }
  }

  /// The file of the tests' handler.
  var file: String { self == .node ? "handler.mjs" : "handler.py" }

  /// The folders with the interpreter.
  private var path: String {
    let system = "/usr/bin:/usr/local/bin:/opt/homebrew/bin"
    switch self {
    case .awslambdaric: return Clients.environment.appendingPathComponent("bin").path
    case .node: return system
    case .python:
      // The interpreter of the virtual environment, so that both columns have the same standard library.
      guard Clients.areInstalled else { return system }
      let interpreter = URL(fileURLWithPath: Clients.python).resolvingSymlinksInPath()
      return interpreter.deletingLastPathComponent().path + ":" + system
    }
  }

  /// Returns the results of events, one after the other.
  ///
  /// - Parameter source: the text of the handler's file; `nil` for the tests' handler.
  func results(
    _ events: [String], source: String? = nil, change: (inout FunctionSettings) -> Void = { _ in }
  ) async throws -> [InvocationResult] {
    let workshop = try Workshop(hasDevelopmentKeys: false)
    let fixtures = Workshop.packageRoot.appendingPathComponent("Tests/Fixtures/handlers")
    try workshop.write(
      source ?? String(contentsOf: fixtures.appendingPathComponent(file), encoding: .utf8), to: file)
    for loop in HandlerLoop.all { try workshop.write(loop.text, to: ".loops/" + loop.fileName) }
    let folder = workshop.folder.resolvingSymlinksInPath().path
    let function = try HandlerFunction(
      HandlerSource(path: folder + "/" + file, symbol: "handler"), loops: folder + "/.loops",
      inheriting: ["PATH": path], key: HandlerFunction.AccessKey(identifier: "a", secret: "b"))
    var settings = function.settings(name: "same", variables: [:], given: [:])
    settings.memoryMegabytes = 1024
    settings.initializationMilliseconds = HangLimit.milliseconds
    settings.timeoutMilliseconds = HangLimit.milliseconds
    change(&settings)
    return try await Clients.run(settings) { pool in
      var results: [InvocationResult] = []
      for event in events {
        results.append(
          try await pool.invoke(Array(event.utf8), context: InvocationContext(waitsForReport: true)))
      }
      return results
    }
  }

  var testDescription: String { rawValue }
}
