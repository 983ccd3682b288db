@testable import EmulatorTestSupport
@testable import LambdaEmulator
import Foundation
import TestSupport
import Testing

/// A folder with the code of a handler and the programs that call handlers.
struct HandlerWorkplace {
  private let temporary: TemporaryFolder
  var folder: String { temporary.path }

  /// The variables of a user who has keys of their own in the shell.
  static let shell = [
    "PATH": "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin", "HOME": "/users/someone", "LANG": "C.UTF-8",
    "AWS_ACCESS_KEY_ID": "AKIAREALKEY", "AWS_SECRET_ACCESS_KEY": "real-secret", "AWS_PROFILE": "production",
    "AWS_SESSION_TOKEN": "real-session", "GITHUB_TOKEN": "real-token", "AUTHORIZER_CONFIG": "{}",
    "TZ": "Asia/Tokyo",
    "NODE_OPTIONS": "--no-such-option", "PYTHONPATH": "/users/someone/lib",
    "LD_PRELOAD": "/users/someone/lib.so",
  ]

  static func has(_ language: HandlerLanguage) -> Bool {
    Interpreter.find(language, for: nil, inheriting: shell) != nil
  }

  init(_ files: [String: String] = [:]) throws {
    temporary = try TemporaryFolder("handler")
    for loop in HandlerLoop.all { try write(loop.text, to: ".loops/" + loop.fileName) }
    for (path, text) in files { try write(text, to: path) }
  }

  func write(_ text: String, to path: String) throws { try temporary.write(text, to: path) }

  /// Returns one with the handlers of `Tests/Fixtures/handlers`.
  static func withFixtures() throws -> HandlerWorkplace {
    let workplace = try HandlerWorkplace()
    for name in ["handler.py", "handler.mjs"] {
      try workplace.write(try Checkout.text("Tests/Fixtures/handlers/" + name), to: name)
    }
    return workplace
  }

  func function(
    _ source: HandlerSource, _ shell: [String: String] = Self.shell, keySets: AnsweredKeySets? = nil
  ) throws -> HandlerFunction {
    try HandlerFunction(
      source, loops: folder + "/.loops", inheriting: shell,
      key: HandlerFunction.AccessKey(identifier: "LOCALKEY", secret: "local-secret"), keySets: keySets)
  }

  /// Returns the settings of a handler of this folder.
  func settings(
    _ path: String, _ symbol: String = "handler", variables: [String: String] = [:],
    given: [String: String] = [:]
  ) throws -> FunctionSettings {
    let source = try HandlerSource(path: folder + "/" + path, symbol: symbol)
    return settings(try function(source), variables: variables, given: given)
  }

  func settings(
    _ function: HandlerFunction, variables: [String: String] = [:], given: [String: String] = [:]
  ) -> FunctionSettings {
    var settings = function.settings(name: "mine", variables: variables, given: given)
    settings.memoryMegabytes = 1024
    settings.initializationMilliseconds = HangLimit.milliseconds
    settings.timeoutMilliseconds = HangLimit.milliseconds
    return settings
  }

  /// Sends events to the function, one after the other.
  static func results(
    _ settings: FunctionSettings, _ events: [String], clock: LambdaClock = .longTimeouts
  ) async throws -> [InvocationResult] {
    try await FunctionPool.run(
      settings, inheriting: shell.filter { ["PATH", "LANG"].contains($0.key) }, clock: clock,
      logger: .silent
    ) { pool in
      var results: [InvocationResult] = []
      for event in events {
        results.append(
          try await pool.invoke(Array(event.utf8), context: InvocationContext(waitsForReport: true)))
      }
      return results
    }
  }
}

extension InvocationResult {
  var text: String { String(decoding: payload, as: UTF8.self) }
}

extension Trait where Self == ConditionTrait {
  static func needs(_ language: HandlerLanguage) -> Self {
    .enabled(
      if: HandlerWorkplace.has(language), "\(language == .node ? "Node.js" : "python3") is not installed")
  }
}
