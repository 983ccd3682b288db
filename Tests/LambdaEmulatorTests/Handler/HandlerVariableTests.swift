@testable import EmulatorTestSupport
@testable import LambdaEmulator
import JSON
import TestSupport
import Testing

/// The variables of a handler: nothing of the user's shell, and no access key of the user.
@Suite(.needs(.python), .hangLimit)
struct HandlerVariableTests {
  /// What Lambda and the harness set.
  static let own: Set<String> = [
    "_HANDLER", "_X_AMZN_TRACE_ID", "LAMBDA_TASK_ROOT", "LAMBDA_RUNTIME_DIR", "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_LAMBDA_FUNCTION_NAME", "AWS_LAMBDA_FUNCTION_VERSION", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
    "AWS_LAMBDA_LOG_GROUP_NAME", "AWS_LAMBDA_LOG_STREAM_NAME", "AWS_LAMBDA_LOG_FORMAT",
    "AWS_LAMBDA_LOG_LEVEL",
    "AWS_LAMBDA_INITIALIZATION_TYPE", "AWS_LAMBDA_RUNTIME_API", "AWS_XRAY_CONTEXT_MISSING",
    "AWS_EXECUTION_ENV",
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE", "AWS_EC2_METADATA_DISABLED", "TZ", "LANG", "PATH", "HOME", "NODE_PATH",
  ]

  static let files = ["handler.py", "handler.mjs"].filter {
    HandlerWorkplace.has(HandlerLanguage(file: $0) ?? .node)
  }

  private static func environment(
    _ file: String, variables: [String: String] = [:], given: [String: String] = [:]
  ) async throws -> [String: String] {
    let workplace = try HandlerWorkplace.withFixtures()
    let settings = try workplace.settings(file, variables: variables, given: given)
    // The whole shell is inherited, as in a pool of serve.
    let text = try await FunctionPool.run(
      settings, inheriting: HandlerWorkplace.shell, clock: .longTimeouts, logger: .silent
    ) { pool in try await pool.invoke(Array(#"{"do":"environment"}"#.utf8)).payload }
    guard case .object(let members) = try JSONTree(parsing: text) else { return [:] }
    return Dictionary(
      members.compactMap { if case .string(let value) = $0.value { ($0.name, value) } else { nil } }
    ) { $1 }
  }

  @Test("a handler gets Lambda's variables and three of the shell", arguments: files)
  func names(_ file: String) async throws {
    let environment = try await Self.environment(file)
    // Some systems add a variable of their own to each process.
    let found = Set(environment.keys).subtracting(["__CF_USER_TEXT_ENCODING", "LC_CTYPE"])
    #expect(found.subtracting(Self.own) == [])
    for (name, value) in HandlerWorkplace.shell where !["PATH", "HOME", "LANG"].contains(name) {
      #expect(!environment.values.contains(value) || value == "{}", "\(name)")
    }
    #expect(environment["AWS_ACCESS_KEY_ID"] == "LOCALKEY")
    #expect(environment["AWS_SHARED_CREDENTIALS_FILE"] == "/dev/null")
    #expect(environment["TZ"] == ":UTC")
    #expect(environment["HOME"] == "/users/someone")
  }

  @Test("the template's variables arrive unchanged, without Lambda's reserved names", arguments: files)
  func template(_ file: String) async throws {
    let environment = try await Self.environment(
      file,
      variables: [
        "TABLE": "pets", "TZ": "Europe/Berlin", "MODE": "template", "AWS_SECRET_ACCESS_KEY": "theirs",
        "_HANDLER": "other.handler", "AWS_LAMBDA_RUNTIME_API": "203.0.113.1:80",
      ], given: ["MODE": "given"])
    #expect(environment["TABLE"] == "pets")
    #expect(environment["TZ"] == "Europe/Berlin")
    #expect(environment["MODE"] == "given")
    #expect(environment["AWS_SECRET_ACCESS_KEY"] == "local-secret")
    #expect(environment["_HANDLER"] == "handler.handler")
    #expect(environment["AWS_EXECUTION_ENV"]?.hasPrefix("AWS_Lambda_") == true)
  }

  /// Variables with which a template would lead an AWS SDK to credentials of this machine.
  static let ways = [
    "AWS_SHARED_CREDENTIALS_FILE": "", "AWS_CONFIG_FILE": "/users/someone/.aws/config",
    "AWS_PROFILE": "default",
    "AWS_DEFAULT_PROFILE": "default", "AWS_EC2_METADATA_DISABLED": "false", "AWS_CREDENTIAL_FILE": "/a",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:1", "BOTO_CONFIG": "/a",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:1/", "AWS_WEB_IDENTITY_TOKEN_FILE": "/a",
  ]

  @Test("a template leads no AWS SDK to credentials of this machine", arguments: files)
  func credentials(_ file: String) async throws {
    let found = try await Self.environment(file, variables: Self.ways)
    let usual = try await Self.environment(file)
    for name in Self.ways.keys { #expect(found[name] == usual[name], "\(name)") }
    #expect(found["AWS_CONFIG_FILE"] == "/dev/null")
    // The user may.
    let given = try await Self.environment(file, given: Self.ways)
    for (name, value) in Self.ways { #expect(given[name] == value, "\(name)") }
  }

  @Test("outside of a template the same variables arrive", arguments: files)
  func command(_ file: String) throws {
    let workplace = try HandlerWorkplace.withFixtures()
    let source = try HandlerSource(path: workplace.folder + "/" + file, symbol: "handler")
    let command = try workplace.function(source).command(
      inheriting: HandlerWorkplace.shell, given: ["A": "b"])
    #expect(Set(command.environment.keys).subtracting(Self.own) == ["A"])
    #expect(command.environment["LANG"] == "C.UTF-8")
    #expect(!command.environment.values.contains("real-secret"))
  }
}
