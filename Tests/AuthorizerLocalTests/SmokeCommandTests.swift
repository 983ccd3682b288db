@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
@testable import Templates
import Foundation
import JSON
import LambdaEmulator
import Synchronization
import TestSupport
import TestTokens
import Testing

@testable import authorizer_local

/// `smoke` as a command, with another gateway on a port as the deployed API.
@Suite(.hangLimit) struct SmokeCommandTests {
  static let template = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: provided.al2023
          Events:
            Pets: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /pets, Method: get } }
            Open: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /open, Method: get, Auth: { Authorizer: NONE } } }
      Api:
        Type: AWS::Serverless::HttpApi
        Properties:
          Auth:
            DefaultAuthorizer: Jwt
            Authorizers:
              Jwt:
                IdentitySource: $request.header.Authorization
                JwtConfiguration: { issuer: 'https://id.example.com', audience: [pets] }
    """

  /// What the deployed API received, and the command lines of all processes at that time that contain a mark.
  final class Received: Sendable {
    private let all = Mutex<(paths: [String], marked: [String])>(([], []))
    var paths: [String] { all.withLock { $0.paths } }
    var marked: [String] { all.withLock { $0.marked } }

    func add(_ line: String, mark: String) {
      let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      let marked = folders.filter { $0.first?.isNumber == true }.compactMap { folder in
        FileManager.default.contents(atPath: "/proc/\(folder)/cmdline").map {
          String(decoding: $0, as: UTF8.self)
        }
      }.filter { $0.contains(mark) }
      all.withLock { all in
        all.paths.append(line)
        all.marked += marked
      }
    }
  }

  /// Serves a template with the development keys of a machine while `body` runs.
  private static func deployed<Value: Sendable>(
    _ template: String, _ machine: Machine, _ received: Received, mark: String = "no mark",
    _ body: @escaping @Sendable (_ port: Int) async throws -> Value
  ) async throws -> Value {
    let keys = try machine.development.keys()
    let service = GatewayService(
      gateway: Gateway(
        try GatewayTemplate(parsing: template).served, settings: Assumptions(),
        trust: TrustedKeys(keys: keys, credentials: nil)),
      functions: [:], clock: .longTimeouts, onRecord: { received.add($0.line, mark: mark) })
    let server = GatewayServer(
      service, issuer: DevelopmentIssuer(keys: keys), secret: try machine.development.secret())
    return try await server.run(logger: .silent, body)
  }

  /// Runs `smoke` against a deployed API, whose port is `PORT` in the options.
  private static func smoke(
    _ machine: Machine, _ received: Received, _ options: [String], deployed: String = Self.template,
    mark: String = "no mark"
  ) async throws -> Int32 {
    try await Self.deployed(deployed, machine, received, mark: mark) { port in
      await AuthorizerLocal.end(
        of: ["smoke"] + options.map { $0.replacing("PORT", with: String(port)) }, on: machine)
    }
  }

  /// The options that send a token to the deployed API.
  private static func sending(_ token: String, to path: String = "Api") -> [String] {
    [
      "--url", "Api=http://127.0.0.1:PORT/\(path)", "--host", "127.0.0.1:PORT", "--token", token, "--rate",
      "100",
    ]
  }

  private static func token(_ machine: Machine, audience: String = "pets") throws -> String {
    let now = Int64(Date().timeIntervalSince1970)
    let order = JSONTree.members([
      "user": .string("alice"), "preset": .string("oidc:https://id.example.com"),
      "audience": .string(audience),
    ])
    let answer = try DevelopmentIssuer(keys: try machine.development.keys()).token(
      order, base: "http://127.0.0.1:1", authorizers: [], now: now)
    guard case .string(let token)? = answer["access_token"] else { return "" }
    return token
  }

  private static func machine(_ environment: [String: String] = [:]) throws -> RecordedMachine {
    let machine = try RecordedMachine(environment, hasKeys: true)
    try machine.write(template, to: "template.yaml")
    return machine
  }

  /// A guard that no program plays here was not tried, so the run is no success.
  @Test func aGuardThatIsNotTriedIsNoSuccess() async throws {
    let (machine, received) = (try Self.machine(), Received())
    let template =
      Self.template.components(separatedBy: "          Jwt:\n")[0] + """
                  Jwt:
                    FunctionArn: !GetAtt Guard.Arn
                    AuthorizerPayloadFormatVersion: "2.0"
                    EnableSimpleResponses: true
                    Identity: { Headers: [Authorization] }
          Guard:
            Type: AWS::Serverless::Function
            Properties: { Runtime: nodejs22.x, Handler: index.handler, CodeUri: guard }
        """
    try machine.write(template, to: "template.yaml")
    try machine.write("a-token", to: "reader.jwt")
    let code = try await Self.smoke(
      machine.machine, received, Self.sending("reader=@reader.jwt") + ["--yes", "--junit", "report.xml"],
      deployed: template)
    #expect(code == 2, "\(machine.answer) \(machine.notes)")
    #expect(machine.answer.contains("not sent, no program for the authorizer"), "\(machine.answer)")
    let junit = try String(contentsOfFile: machine.folder + "/report.xml", encoding: .utf8)
    #expect(junit.contains("failures=\"2\""), "\(junit)")
  }

  @Test func withoutYesThePlanIsPrintedAndNothingIsSent() async throws {
    let (machine, received) = (try Self.machine(), Received())
    try machine.write("plan-mark", to: "reader.jwt")
    let code = try await Self.smoke(
      machine.machine, received,
      ["--url", "Api=http://127.0.0.1:PORT/Api", "--host", "127.0.0.1:PORT", "--token", "reader=@reader.jwt"])
    #expect(code == 0 && received.paths.isEmpty, "\(machine.notes)")
    for words in [
      "plan: 4 requests, 1 with a token, in 2 s", "GET /pets with reader", "GET /pets with garbage",
      "GET /pets without a token", "GET /open without a token",
      "2 requests are sent to be refused: alarms on 4xx",
      "nothing was sent: --yes sends it",
    ] { #expect(machine.answer.contains(words), "\(machine.answer)") }
    #expect(!(machine.answer + machine.notes).contains("plan-mark"))
  }

  /// The same deployment, and one whose route lost its authorizer.
  @Test(
    arguments: [
      (template, 0), (template.replacing("DefaultAuthorizer: Jwt", with: "EnableIamAuthorizer: false"), 1),
    ] as [(String, Int32)])
  func noTokenIsInOutputFilesOrProcesses(_ deployed: String, _ exit: Int32) async throws {
    let (machine, received) = (try Self.machine(), Received())
    let token = try Self.token(machine.machine)
    let mark = try #require(token.split(separator: ".").last.map(String.init))
    try machine.write(token + "\n", to: "alice.jwt")
    let code = try await Self.smoke(
      machine.machine, received, Self.sending("alice=@alice.jwt") + ["--yes", "--junit", "report.xml"],
      deployed: deployed, mark: mark)
    #expect(code == exit, "\(machine.answer) \(machine.notes)")
    #expect(received.paths.count == 4 && received.marked.isEmpty)
    #expect(
      machine.answer.contains(
        exit == 0 ? "4 of 4 answers as predicted" : "the backend answers what serve refuses with 401"))
    #expect(machine.notes.contains("other users can read the file of alice"))
    var texts = ["answer": machine.answer, "notes": machine.notes]
    for case let path as String in try #require(FileManager.default.enumerator(atPath: machine.folder))
    where path != "alice.jwt" {
      texts[path] = FileManager.default.contents(atPath: machine.folder + "/" + path).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    #expect(texts.keys.contains("report.xml"))
    #expect(texts.filter { $0.value.contains(mark) }.keys.sorted() == [])
  }

  @Test func theTokenOfAVariableIsSentToo() async throws {
    let other = try RecordedMachine(hasKeys: true)
    let token = try Self.token(other.machine, audience: "others")
    let (machine, received) = (try Self.machine(["ALICE": token]), Received())
    let code = try await Self.smoke(
      machine.machine, received, Self.sending("alice=env:ALICE") + ["--yes", "--json"])
    // A token that is worthless here too tries nothing.
    #expect(code == 2, "\(machine.answer) \(machine.notes)")
    let tree = try JSONTree(parsing: Array(machine.answer.utf8))
    #expect(tree["same"] == .number("4") && tree["different"] == .number("0"))
    #expect(tree["untried"] == .array([.string("alice")]))
    #expect(machine.answer.contains(#""credential":"with alice","predicted":"401""#))
  }

  /// The host, further options, and words of the error.
  @Test(
    arguments: [
      ("127.0.0.1", [], "so no token is sent there"),
      ("127.0.0.1", ["--host", "127.0.0.1:1"], "so no token is sent there"),
      ("localhost", ["--host", "localhost:PORT"], "plain http"),
      ("127.0.0.1", ["--token", "eyJtoken-mark.x.y"], "--token needs ROLE=@FILE"),
      ("127.0.0.1", ["--token", "a=eyJtoken-mark.x.y"], "--token needs ROLE=@FILE"),
      ("127.0.0.1", ["--token", "a=@eyJtoken-mark.x.y"], "of a cannot be read"),
      ("127.0.0.1", ["--token", "a=env:eyJtoken-mark.x.y"], "of a cannot be read"),
      ("token-mark:secret@127.0.0.1", [], "a user name before the host"),
      ("127.0.0.1", ["--url", "Api=https://a.example"], "have different keys"),
      ("127.0.0.1", ["--rate", "0"], "--rate must be greater than 0"),
      ("127.0.0.1", ["--wait", "86401"], "--wait at most 86400"),
      ("127.0.0.1", ["--token", "a=@t.jwt", "--token", "a=@t.jwt"], "given twice"),
    ] as [(String, [String], String)])
  func aMistakeSendsNothingAndRepeatsNoToken(_ host: String, _ options: [String], _ words: String)
    async throws
  {
    let (machine, received) = (try Self.machine(), Received())
    try machine.write("token-mark", to: "t.jwt")
    let code = try await Self.smoke(
      machine.machine, received, ["--yes", "--url", "Api=http://\(host):PORT/Api"] + options)
    #expect(code == 64 && received.paths.isEmpty)
    #expect(
      machine.notes.contains(words) && !(machine.notes + machine.answer).contains("token-mark"),
      "\(machine.notes)")
  }

  @Test func aRedirectIsNotFollowed() async throws {
    let (machine, other, received) = (try Self.machine(), Received(), Received())
    try machine.write(try Self.token(machine.machine), to: "alice.jwt")
    let code = try await Self.deployed(Self.template, machine.machine, other) {
      [machine = machine.machine] port in
      try await Self.smoke(
        machine, received, Self.sending("alice=@alice.jwt", to: "Api/prod") + ["--yes"],
        deployed: Self.redirecting(to: port))
    }
    #expect(
      code == 1 && received.paths.count == 4 && other.paths.isEmpty, "\(machine.answer) \(machine.notes)")
    #expect(machine.answer.contains("a redirect (302) answers, which is not followed"))
  }

  /// API Gateway keeps nothing for its own JWT authorizer: the run does not wait, and says so.
  @Test(arguments: [true, false]) func withoutAKeptAnswerThereIsNoWait(_ isSent: Bool) async throws {
    let (machine, received) = (try Self.machine(), Received())
    try machine.write(try Self.token(machine.machine), to: "alice.jwt")
    let code = try await Self.smoke(
      machine.machine, received,
      Self.sending("alice=@alice.jwt") + ["--wait", "86400"] + (isSent ? ["--yes"] : []))
    #expect(code == (isSent ? 2 : 0) && received.paths.count == (isSent ? 4 : 0), "\(machine.answer)")
    #expect(
      machine.answer.contains(
        isSent
          ? "not tried, the TTL: no authorizer with --token keeps answers"
          : "after 86400 s again those whose token has expired, 0 at most"), "\(machine.answer)")
  }

  @Test func anUnreachableAPIIsNoAnswer() async throws {
    let machine = try Self.machine()
    let code = await machine.run(
      "smoke", "--url", "Api=http://127.0.0.1:1/Api", "--host", "127.0.0.1:1", "--yes", "--rate", "100")
    #expect(code == 2, "\(machine.answer) \(machine.notes)")
    #expect(machine.answer.contains("no answer, the host takes no connection: GET /pets with garbage"))
  }

  /// A REST API that answers each request with a redirect to a port.
  private static func redirecting(to port: Int) -> String {
    """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Api:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          DefinitionBody:
            openapi: 3.0.1
            paths:
              /{proxy+}:
                get:
                  responses: { '302': { headers: { Location: { schema: { type: string } } } } }
                  x-amazon-apigateway-integration:
                    type: mock
                    requestTemplates: { application/json: '{"statusCode": 302}' }
                    responses:
                      default:
                        statusCode: '302'
                        responseParameters:
                          method.response.header.Location: "'http://127.0.0.1:\(port)/Api/pets'"
    """
  }
}
