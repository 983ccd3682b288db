@testable import EmulatorTestSupport
@testable import DeploymentChecks
@testable import GatewayEmulator
import GatewayModel
import LambdaEmulator
import Templates
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Authorizer

/// Random sequences of requests of an owner and of a thief through the gateway, for every template that `doctor` finds
/// sound.
@Suite("Stolen tokens behind the gateway")
struct StolenTokenSequenceTests {
  /// The authorizer behind the gateway, at the gateway's time.
  final class Function: FunctionInvoking {
    private let authorizer: Mutex<Authorizer<ScriptedTransport>>
    private let offset = Mutex<Int64>(0)

    init(_ authorizer: sending Authorizer<ScriptedTransport>) { self.authorizer = Mutex(authorizer) }

    var now: Int64 { TestIssuers.now + offset.withLock { $0 } }

    func setClockOffset(seconds: Int64) -> Bool {
      offset.withLock { $0 = seconds }
      return true
    }

    func outcome(of event: [UInt8]) async -> FunctionOutcome {
      let now = now
      let decision = authorizer.withLock { $0.decide(on: event, at: now) }
      return FunctionOutcome(
        answer: Self.answer(decision.answer), reason: decision.reason?.rawValue, hasDecisionLine: true)
    }

    private static func answer(_ answer: Answer) -> InvocationAnswer {
      switch answer {
      case .response(let bytes): .response(bytes)
      case .unauthorized: error(Answer.unauthorizedMessage)
      case .failure(let failure): error(failure.errorMessage)
      }
    }

    private static func error(_ message: String) -> InvocationAnswer {
      let document = JSONTree.object([
        .init(name: "errorMessage", value: .string(message)),
        .init(name: "errorType", value: .string("Function.Refused")),
      ])
      return .error(FunctionErrorReport(headerType: "Function.Refused", document: document.bytes()))
    }
  }

  // MARK: Templates

  /// One API with an authorizer.
  struct Setup: Sendable {
    let kind: GatewayModel.EventKind
    let seconds: Int
    let sources: String
    /// The authorizer of one more route: none, the same one, or one of API Gateway itself for the same issuer.
    var extra = Extra.none

    enum Extra: CaseIterable, Sendable { case none, same, native, open }

    private var route: String {
      guard extra != .none else { return "" }
      let auth =
        switch extra {
        case .native: ", Auth: { Authorizer: Native }"
        case .open: ", Auth: { Authorizer: NONE }"
        case .none, .same: ""
        }
      let api = kind == .restRequest || kind == .restToken ? "RestApiId" : "ApiId"
      let type = api == "RestApiId" ? "Api" : "HttpApi"
      return "Extra: { Type: \(type), Properties: { \(api): !Ref Api, Method: ANY, Path: /pets\(auth) } }"
    }

    private var native: String {
      guard extra == .native else { return "" }
      return
        "Native: { IdentitySource: $request.header.Authorization,"
        + " JwtConfiguration: { issuer: \"https://id.example.com\", audience: [api] } }"
    }

    var template: String {
      let isREST = kind == .restRequest || kind == .restToken
      let version = kind == .http1 ? "1.0" : "2.0"
      let form =
        isREST
        ? "FunctionPayloadType: \(kind == .restToken ? "TOKEN" : "REQUEST")"
        : "AuthorizerPayloadFormatVersion: \"\(version)\"\n            EnableFunctionDefaultPermissions: true"
      let identity = kind == .restToken ? "Header: Authorization" : "Headers: [\(sources)]"
      return """
        AWSTemplateFormatVersion: "2010-09-09"
        Transform: AWS::Serverless-2016-10-31
        Resources:
          AuthorizerFunction:
            Type: AWS::Serverless::Function
            Properties: { CodeUri: ., Handler: bootstrap, Runtime: provided.al2023, MemorySize: 128, Timeout: 10 }
          Api:
            Type: AWS::Serverless::\(isREST ? "Api" : "HttpApi")
            Properties:
              StageName: prod
              Auth:
                DefaultAuthorizer: Proof
                Authorizers:
                  Proof:
                    FunctionArn: !GetAtt AuthorizerFunction.Arn
                    \(form)
                    Identity: { \(identity), ReauthorizeEvery: \(seconds) }
                  \(native)
          Backend:
            Type: AWS::Serverless::Function
            Properties:
              Runtime: nodejs24.x
              Handler: index.handler
              InlineCode: "exports.handler = async () => ({ statusCode: 200 });"
              Events:
                Any: { Type: \(isREST ? "Api" : "HttpApi"), Properties: { \(isREST ? "RestApiId" : "ApiId"): !Ref Api, Method: ANY, Path: "/{proxy+}" } }
                \(route)
        """
    }

    static let all: [Setup] = {
      var all: [Setup] = []
      for kind in [GatewayModel.EventKind.restToken, .restRequest, .http1, .http2] {
        for extra in Extra.allCases {
          // REST APIs have no JWT authorizers, and no Cognito pool has the tests' issuer.
          if extra == .native, kind == .restToken || kind == .restRequest { continue }
          for seconds in [0, 60, 300] {
            for sources in ["Authorization", "Authorization, DPoP"] {
              all.append(Setup(kind: kind, seconds: seconds, sources: sources, extra: extra))
            }
          }
        }
      }
      return all
    }()

    /// Whether `doctor` has neither an error for it nor a warning about an open route.
    func isSound() throws -> Bool {
      let template = try GatewayTemplate(parsing: template)
      let configuration = DeployedConfiguration(
        cache: .off, proofs: [.dpop], provenIssuers: ["https://id.example.com"])
      let findings = TemplateInspection(template, ["AuthorizerFunction": configuration]).findings
      return findings.allSatisfy { $0.severity != .error && $0.code != .routeWithoutAuthorizer }
    }
  }

  @Test("doctor refuses every template that caches, TOKEN authorizers, and other authorizers on a route")
  func soundTemplates() throws {
    let sound = try Setup.all.filter { try $0.isSound() }
    #expect(sound.count == 12)
    #expect(
      sound.allSatisfy {
        $0.seconds == 0 && $0.kind != .restToken && [.none, .same].contains($0.extra)
      })
  }

  // MARK: Sequences

  /// A request, and whether its caller has proven the key for exactly this request.
  struct Step {
    let method: String
    let path: String
    let headers: [GatewayRequest.Header]
    let isProven: Bool
  }

  /// What the owner has sent so far, which the thief may have recorded.
  struct Recording {
    var proofs: [(text: String, method: String, path: String, at: Int64)] = []
  }

  private static let host = "api.example.com"
  private static let paths = ["/prod/pets", "/prod/pets/7", "/prod/dogs"]
  private static let methods = ["GET", "POST", "DELETE"]

  private static func step(
    _ token: String, at now: Int64, _ recording: inout Recording, _ random: inout some RandomNumberGenerator
  ) throws -> Step {
    let method = methods.randomElement(using: &random) ?? "GET"
    let path = paths.randomElement(using: &random) ?? paths[0]
    let url = "https://\(host)\(path)"
    func step(_ scheme: String, _ proofs: [String], isProven: Bool = false) -> Step {
      Step(
        method: method, path: path,
        headers: [.init("Host", host), .init("Authorization", "\(scheme) \(token)")]
          + proofs.map { .init("DPoP", $0) }, isProven: isProven)
    }
    let (owner, thief) = (try ProvingClient.owner(), try ProvingClient.thief())
    let identifier = String(UInt64.random(in: 0 ... .max, using: &random))
    switch Int.random(in: 0..<10, using: &random) {
    case 0...2:
      let proof = try owner.proof(for: token, method: method, url: url, at: now, identifier: identifier)
      recording.proofs.append((proof, method, path, now))
      return step("DPoP", [proof], isProven: true)
    case 3: return step("DPoP", [])
    case 4: return step("Bearer", [])
    case 5:
      return step("DPoP", [try thief.proof(for: token, method: method, url: url, at: now)])
    case 6:
      // Another method, or another URL, of the owner's last proof.
      guard let last = recording.proofs.last, (last.method, last.path) != (method, path) else {
        return step("Bearer", [try owner.proof(for: token, method: method, url: url, at: now)])
      }
      return step("DPoP", [last.text])
    case 7:
      // A recorded proof, which counts again only while it is fresh, and for its own request.
      guard let old = recording.proofs.randomElement(using: &random) else { return step("DPoP", [""]) }
      let isFresh = (-5...65).contains(now - old.at)
      return step("DPoP", [old.text], isProven: isFresh && (old.method, old.path) == (method, path))
    case 8:
      guard let old = recording.proofs.last else { return step("dpop", []) }
      let own = try thief.proof(for: token, method: method, url: url, at: now)
      return step("DPoP", [old.text, own])
    default: return step("DPoP", [token])
    }
  }

  @Test("no sequence of requests lets a bound token in without its proof", arguments: 0..<8 as Range<UInt64>)
  func sequences(seed: UInt64) async throws {
    let token = try TestRules.partnerToken(try ProvingClient.owner().binding())
    var random = SeededGenerator(seed: seed)
    var counts = (proven: 0, stolen: 0)
    for setup in Setup.all where try setup.isSound() {
      let function = Function(try PossessionTests.authorizer(PossessionTests.dpop))
      let template = try GatewayTemplate(parsing: setup.template)
      let api = try #require(template.apis.first)
      let service = GatewayService(
        gateway: Gateway(template.served, settings: Assumptions()),
        functions: ["AuthorizerFunction": function])
      var recording = Recording()
      for _ in 0..<60 {
        let step = try Self.step(token, at: function.now, &recording, &random)
        var request = GatewayRequest(method: step.method, path: step.path, headers: step.headers)
        request.domain = GatewayDomain.Use(name: Self.host, path: step.path)
        let status = await service.answer(request, to: api).response.status
        #expect(status == (step.isProven ? 200 : 401), "\(setup) \(step)")
        if step.isProven { counts.proven += 1 } else { counts.stolen += 1 }
        // Up to 40 s later, but always within the token's own life.
        if service.clockOffsetSeconds < 300 {
          _ = service.moveClock(bySeconds: Int64.random(in: 0...40, using: &random))
        }
      }
    }
    #expect(counts.proven > 50 && counts.stolen > 50, "\(counts)")
  }
}
