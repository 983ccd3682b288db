import Foundation
import JSON
import TestSupport
import Testing

/// `serve` with an untrusted template, which must not run code, or read or overwrite files of the user.
@Suite(.needsPython, .serialized, .hangLimit)
struct ServeForeignTests {
  /// A function that answers each event with its environment and the milliseconds until the deadline.
  private static let source = """
    import http.client, json, os, time
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    while True:
        connection.request("GET", "/2018-06-01/runtime/invocation/next")
        answer = connection.getresponse()
        answer.read()
        request = answer.getheader("Lambda-Runtime-Aws-Request-Id")
        left = int(answer.getheader("Lambda-Runtime-Deadline-Ms")) - int(time.time() * 1000)
        body = json.dumps(dict(os.environ, left=str(left)))
        connection.request("POST", "/2018-06-01/runtime/invocation/" + request + "/response", body)
        connection.getresponse().read()
    """

  private static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    for name in ["bootstrap", "identity"] {
      try workshop.write("#!\(Workshop.python ?? "") -I\n" + source, to: "dist/\(name)")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755],
        ofItemAtPath: workshop.folder.appendingPathComponent("dist/\(name)").path)
    }
    try workshop.write("{}", to: "outside.json")
    _ = try workshop.addTool()
    return workshop
  }

  /// Returns a template as JSON, which is valid YAML.
  private static func template(
    authorizer: [String: String] = [:], identity: [String: String] = [:], backend: [String: String] = [:],
    auth: String = "", sections: String = ""
  ) -> String {
    func function(_ variables: [String: String]) -> String {
      let variables = JSONTree.object(
        variables.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) })
      return #"{"Type":"AWS::Serverless::Function","Properties":{"Runtime":"provided.al2023","Timeout":3,"#
        + #""Environment":{"Variables":\#(String(decoding: variables.bytes(), as: UTF8.self))}}}"#
    }
    let authorizer = ["AUTHORIZER_ISSUER": "apple", "AUTHORIZER_AUDIENCE": "a"].merging(authorizer) { $1 }
    return #"""
      {"Transform":"AWS::Serverless-2016-10-31"\#(sections),"Resources":{
      "AuthorizerFunction":\#(function(authorizer)),"IdentityFunction":\#(function(identity)),
      "Backend":\#(function(backend)),
      "Api":{"Type":"AWS::Serverless::Api","Properties":{"StageName":"prod",
      "Auth":{"DefaultAuthorizer":"Bearer","Authorizers":{"Bearer":{"FunctionArn":{"Fn::GetAtt":["AuthorizerFunction","Arn"]}\#(auth)}}},
      "DefinitionBody":{"paths":{"/pets":{"get":{"x-amazon-apigateway-integration":{"type":"http_proxy","httpMethod":"GET","uri":"https://a.example/"}}}}}}}}}
      """#
  }

  private static func gateway(
    _ workshop: borrowing Workshop, _ template: String, _ more: [String] = []
  ) throws -> ServedGateway {
    try workshop.write(template, to: "foreign/template.yaml")
    return try ServedGateway(
      workshop, ["--template", "foreign/template.yaml"] + more, tool: workshop.ownTool)
  }

  /// Returns the environment of a served function.
  private static func environment(of function: String, _ gateway: ServedGateway) async throws -> JSONTree {
    let answer = try await gateway.send(
      "POST", "/2015-03-31/functions/\(function)/invocations", body: "{}")
    #expect(answer.status == 200, "\(answer.text)")
    return try #require(answer.json)
  }

  private static func configuration(_ environment: JSONTree, _ name: String) throws -> JSONTree {
    let text = try #require(environment[name]?.text, "\(name) is missing: \(environment)")
    return try JSONTree(parsing: Array(text.utf8))
  }

  private static let identity =
    #"{"audiences":["a"],"store":{"sqlite":{"path":"PATH","revocations":"OTHER"}}}"#

  // MARK: Code

  @Test func dropsVariablesThatLoadCode() async throws {
    let workshop = try Self.workshop()
    let powerful = [
      "LD_LIBRARY_PATH": "/evil", "LD_AUDIT": "/evil.so", "OPENSSL_CONF": "/evil.cnf",
      "https_proxy": "http://evil", "SSLKEYLOGFILE": "/evil.log", "LAMBDA_TASK_ROOT": "/evil",
      "PATH": "/evil", "STAGE": "dev",
    ]
    let gateway = try Self.gateway(
      workshop,
      Self.template(
        authorizer: powerful,
        identity: powerful.merging(["IDENTITY_CONFIG": Self.identity]) { $1 }))
    for function in ["AuthorizerFunction", "IdentityFunction"] {
      let environment = try await Self.environment(of: function, gateway)
      #expect(environment["AUTHORIZER_DEVELOPMENT"] == .string("1"), "\(function)")
      for (name, value) in powerful { #expect(environment[name] != .string(value), "\(function) \(name)") }
      try await gateway.untilLog(
        "note: \(function) runs without LAMBDA_TASK_ROOT, LD_AUDIT, LD_LIBRARY_PATH, OPENSSL_CONF, PATH, "
          + "SSLKEYLOGFILE, STAGE, https_proxy of the template: --template-variables passes them on")
    }
  }

  /// What a template may set, to have other code run by a program that is not its own; and what is only a value.
  private static let chosen = [
    "PYENV_HOOK_PATH": "hooks", "RBENV_ROOT": "/evil", "ASDF_DATA_DIR": "/evil", "VOLTA_HOME": "/evil",
    "GOFLAGS": "-toolexec=/evil", "MAKEFILES": "/evil", "RUSTC_WRAPPER": "/evil",
    "MAVEN_OPTS": "-javaagent:/evil",
    "PATH": "/evil", "BASH_ENV": "/evil", "TABLE": "pets", "NODE_OPTIONS": "template",
  ]

  /// A command and a handler get none of the template's variables, unless the user trusts it.
  @Test(arguments: ["--run", "--handler"], [false, true])
  func passesVariablesOfTheUser(_ option: String, _ isTrusted: Bool) async throws {
    let workshop = try Self.workshop()
    let python = try #require(Workshop.python)
    try workshop.write("import os\ndef handler(event, context):\n    return dict(os.environ)\n", to: "own.py")
    let program =
      option == "--run" ? "Backend='\(python)' -I dist/bootstrap" : "Backend=own.py:handler"
    // The shell that starts the command needs it.
    let variables = Self.chosen.filter { !isTrusted || $0.key != "PATH" }
    let gateway = try Self.gateway(
      workshop, Self.template(authorizer: ["NODE_OPTIONS": "template"], backend: variables),
      ["--env", "NODE_OPTIONS=user", option, program] + (isTrusted ? ["--template-variables"] : []))
    let authorizer = try await Self.environment(of: "AuthorizerFunction", gateway)
    #expect(authorizer["NODE_OPTIONS"] == .string("user"))
    let backend = try await Self.environment(of: "Backend", gateway)
    #expect(backend["NODE_OPTIONS"] == .string("user"))
    for (name, value) in variables where name != "NODE_OPTIONS" {
      #expect((backend[name] == .string(value)) == isTrusted, "\(name)")
    }
    let names = variables.keys.filter { $0 != "NODE_OPTIONS" }.sorted().joined(separator: ", ")
    let note = "note: Backend runs without \(names) of the template: --template-variables passes them on"
    #expect(gateway.logText.contains(note) == !isTrusted, "\(gateway.logText)")
    #expect(!gateway.logText.contains("AuthorizerFunction runs without"))
  }

  /// A version manager's program for `python3` runs the hooks of a folder that a variable names.
  @Test func aHandlerIsNotRunByTheProgramOfAVersionManager() async throws {
    let workshop = try Self.workshop()
    let python = try #require(Workshop.python)
    try workshop.write("import os\ndef handler(event, context):\n    return dict(os.environ)\n", to: "own.py")
    try workshop.write("touch ran\n", to: "hooks/exec/hook.bash")
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent("shims"), withIntermediateDirectories: false)
    try TestProgram.write(
      "#!/bin/sh\n[ -z \"$PYENV_HOOK_PATH\" ] || . \"./$PYENV_HOOK_PATH/exec/hook.bash\"\nexec '\(python)' \"$@\"\n",
      to: workshop.folder.appendingPathComponent("shims/python3").path)
    try workshop.write(
      Self.template(backend: ["PYENV_HOOK_PATH": "hooks"]), to: "foreign/template.yaml")
    let gateway = try ServedGateway(
      workshop,
      [
        "--template", "foreign/template.yaml", "--handler", "Backend=own.py:handler", "--template-variables",
      ],
      environment: ["PATH": workshop.folder.path + "/shims:/usr/bin:/bin"], tool: workshop.ownTool)
    let environment = try await Self.environment(of: "Backend", gateway)
    #expect(environment["PYENV_HOOK_PATH"] == .string("hooks"))
    #expect(!FileManager.default.fileExists(atPath: workshop.folder.appendingPathComponent("ran").path))
  }

  // MARK: Files

  @Test(arguments: [
    ("/VICTIM", "/VICTIM2"), ("../VICTIM", "./../VICTIM"), ("users.sqlite", "revocations.json"),
  ]) func storesAreInTheDevelopmentFolder(_ path: String, _ revocations: String) async throws {
    let workshop = try Self.workshop()
    let folder = workshop.folder.resolvingSymlinksInPath().path + "/.development/"
    let text = Self.identity.replacing("PATH", with: path).replacing("OTHER", with: revocations)
    try workshop.write(text, to: "foreign/conf/own.json")
    for configuration in [text, "conf/own.json", "/var/task/conf/own.json"] {
      let gateway = try Self.gateway(workshop, Self.template(identity: ["IDENTITY_CONFIG": configuration]))
      let environment = try await Self.environment(of: "IdentityFunction", gateway)
      let store = try Self.configuration(environment, "IDENTITY_CONFIG")["store"]?["sqlite"]
      for (name, file) in [("path", "identity.sqlite3"), ("revocations", "revocations.json")] {
        let found = try #require(store?[name]?.text, "no \(name)")
        #expect(URL(fileURLWithPath: found).resolvingSymlinksInPath().path == folder + file)
      }
    }
  }

  /// Without the file, the authorizer refuses every user. An empty one beside users would forget revocations.
  @Test(arguments: [false, true]) func createsRevocationsOnlyWithoutUsers(_ hasUsers: Bool) throws {
    let workshop = try Self.workshop()
    if hasUsers { try workshop.write("", to: ".development/identity.sqlite3") }
    let text =
      #"{"issuers":[{"preset":"apple","audiences":["a"]}],"revocation":{"dynamoDB":{"table":"t"}}}"#
    _ = try Self.gateway(workshop, Self.template(authorizer: ["AUTHORIZER_CONFIG": text]))
    let file = workshop.folder.appendingPathComponent(".development/revocations.json").path
    #expect(FileManager.default.fileExists(atPath: file) == !hasUsers)
  }

  @Test func usesDevelopmentKeysForAConfigurationFile() async throws {
    let workshop = try Self.workshop()
    try workshop.write(
      #"{"issuers":[{"preset":"apple","audiences":["a"],"keys":{"seed":"../../etc/passwd"}}],"fetch":{"certificateAuthorities":"/etc/passwd"}}"#,
      to: "foreign/own.json")
    let gateway = try Self.gateway(workshop, Self.template(authorizer: ["AUTHORIZER_CONFIG": "own.json"]))
    let environment = try await Self.environment(of: "AuthorizerFunction", gateway)
    let configuration = try Self.configuration(environment, "AUTHORIZER_CONFIG")
    guard case .array(let issuers)? = configuration["issuers"],
      case .string(let seed)? = issuers[0]["keys"]?["seed"]
    else { throw ServedGateway.NotStarted(log: gateway.logText) }
    #expect(seed.hasSuffix("/.development/jwks.json"))
    #expect(issuers[0]["keys"]?["pinned"] == .boolean(true))
    #expect(configuration["fetch"]?["certificateAuthorities"] == nil)
  }

  private static func secret(_ file: String) -> String {
    #"{"issuers":[{"issuer":"https://a.example","audiences":["a"],"algorithms":["HS256"],"keys":{"secret":{"file":"\#(file)"}}}]}"#
  }

  @Test(arguments: [
    ("AUTHORIZER_CONFIG", "/etc/passwd"), ("AUTHORIZER_CONFIG", "../outside.json"),
    ("AUTHORIZER_CONFIG", "link.json"), ("AUTHORIZER_CONFIG", secret("/etc/passwd")),
    ("AUTHORIZER_CONFIG", secret("../outside.json")),
    (
      "AUTHORIZER_CONFIG",
      #"{"issuers":[{"preset":"apple","audiences":["a"]}],"revocation":{"file":"/etc/passwd"}}"#
    ),
    ("IDENTITY_CONFIG", "../outside.json"), ("IDENTITY_CONFIG", "link.json"),
    (
      "IDENTITY_CONFIG",
      #"{"audiences":["a"],"nonce":{"secret":{"file":"../../etc/passwd"}},"store":{"sqlite":{"path":"a"}}}"#
    ),
  ]) func aFileOutsideOfTheFolderIsRefused(_ variable: String, _ value: String) throws {
    let workshop = try Self.workshop()
    try workshop.write("", to: "foreign/x")
    try FileManager.default.createSymbolicLink(
      atPath: workshop.folder.appendingPathComponent("foreign/link.json").path,
      withDestinationPath: "../outside.json")
    let variables = [variable: value]
    let isIdentity = variable == "IDENTITY_CONFIG"
    let text = Self.template(
      authorizer: isIdentity ? [:] : variables,
      identity: isIdentity ? variables : [:])
    let error = try #require(throws: ServedGateway.NotStarted.self) { try Self.gateway(workshop, text) }
    #expect(error.log.contains("\(variable) of "), "\(error.log)")
    #expect(error.log.contains("is outside of "), "\(error.log)")
  }

  @Test(arguments: [".development", ".development/revocations.json", ".development/identity.sqlite3-wal"])
  func refusesASymbolicLinkInPlaceOfAStore(_ path: String) throws {
    let workshop = try Self.workshop()
    let link = workshop.folder.appendingPathComponent(path)
    // The link replaces the folder of the development keys, or is in it.
    if path == ".development" { try FileManager.default.removeItem(at: link) }
    try FileManager.default.createDirectory(
      at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: link.path, withDestinationPath: workshop.folder.appendingPathComponent("elsewhere").path)
    let error = try #require(throws: ServedGateway.NotStarted.self) {
      try Self.gateway(workshop, Self.template(identity: ["IDENTITY_CONFIG": Self.identity]))
    }
    #expect(error.log.contains("\(path) is a symbolic link"), "\(error.log)")
    #expect(
      !FileManager.default.fileExists(atPath: workshop.folder.appendingPathComponent("elsewhere").path))
  }

  // MARK: What is reported at the start

  @Test func timeoutOptionAppliesToTheFunctionsOfTheTemplate() async throws {
    let workshop = try Self.workshop()
    let text = Self.template(identity: ["IDENTITY_CONFIG": Self.identity])
    for (more, isLong) in [(["--timeout", "900"], true), ([], false)] {
      let gateway = try Self.gateway(workshop, text, more)
      for function in ["AuthorizerFunction", "IdentityFunction"] {
        guard case .string(let left)? = try await Self.environment(of: function, gateway)["left"] else {
          throw ServedGateway.NotStarted(log: gateway.logText)
        }
        let milliseconds = try #require(Int(left))
        #expect((milliseconds > 3000 * Workshop.timeoutFactor) == isLong, "\(function) \(left)")
      }
    }
  }

  @Test func reportsTheFindingsOfDoctorAtTheStart() async throws {
    let workshop = try Self.workshop()
    let auth =
      #","FunctionPayloadType":"REQUEST","Identity":{"Headers":["X-Client-Id"],"ReauthorizeEvery":300}"#
    let gateway = try Self.gateway(
      workshop, Self.template(identity: ["IDENTITY_CONFIG": Self.identity], auth: auth))
    try await gateway.untilLog(
      "error cacheWithoutToken: Api.Bearer: its cache key is header X-Client-Id")
    try await gateway.untilLog(
      "hint: authorizer-local doctor --template foreign/template.yaml shows how to fix it")
    #expect(!gateway.logText.contains("cure:"))
    let valid = try Self.gateway(workshop, Self.template(identity: ["IDENTITY_CONFIG": Self.identity]))
    try await valid.untilLog("serve --assumptions")
    #expect(!valid.logText.contains("cacheWithoutToken"))
  }

  @Test func firstPageListsTheAPIsAndTheIssuer() async throws {
    let workshop = try Self.workshop()
    let gateway = try Self.gateway(workshop, Self.template(identity: ["IDENTITY_CONFIG": Self.identity]))
    for (path, status) in [("/", 200), ("/dev", 200), ("/nothing", 404)] {
      let answer = try await gateway.send("GET", path)
      #expect(answer.status == status)
      #expect(answer.text.contains("  /Api/prod  GET /pets"), "\(answer.text)")
      #expect(answer.text.contains("  POST /dev/token "), "\(answer.text)")
    }
    let hint = try await gateway.send("GET", "/dev/token")
    #expect(hint.status == 405)
    #expect(hint.text.contains("curl -d user=alice http://127.0.0.1:\(gateway.port)/dev/token"))
    let page = try await gateway.send(
      "POST", "/dev/token", headers: ["Origin": "http://localhost:5173"], body: "user=alice")
    #expect(page.headers["access-control-allow-origin"] == "http://localhost:5173")
  }

  @Test func serveAndDoctorReportACycle() async throws {
    let workshop = try Self.workshop()
    let circle = #","Mappings":{"M":{"a":{"b":{"Fn::FindInMap":["M","a","b"]}}}}"#
    let text = Self.template(sections: circle).replacing(
      #""AUTHORIZER_AUDIENCE":"a""#, with: #""AUTHORIZER_AUDIENCE":{"Fn::FindInMap":["M","a","b"]}"#)
    let error = try #require(throws: ServedGateway.NotStarted.self) { try Self.gateway(workshop, text) }
    #expect(error.log.contains("foreign/template.yaml:1: Mappings.M.a.b: "), "\(error.log)")
    let doctor = try await workshop.run(["doctor", "--template", "foreign/template.yaml"])
    #expect(doctor.exit == 1)
    #expect(
      doctor.output.contains("templateRefused: foreign/template.yaml:1: Mappings.M.a.b: "), "\(doctor.output)"
    )
  }
}
