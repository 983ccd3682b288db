import GatewayModel

/// A template of two random APIs, a configuration of the authorizer, and what `doctor` may refuse in them.
///
/// `AuthorizerFunction` checks proofs. `Reader` is the authorizer of another configuration: it refuses bound tokens,
/// and its answers may be cached.
struct RandomTemplate {
  let apis: [API]
  /// Whether the configuration names the origin of clients; otherwise the domain in the event counts.
  let hasOrigins: Bool
  let isRequired: Bool
  let verdictCache: Int
  /// Undocumented behavior of AWS that changes what the authorizer sees.
  let repeatsHTTP1Headers: Bool
  let decodesPaths: Bool

  static let origin = "https://api.example.com"

  init(_ random: inout some RandomNumberGenerator) {
    hasOrigins = .random(using: &random)
    isRequired = .random(using: &random)
    verdictCache = Bool.random(using: &random) ? 16 : 0
    repeatsHTTP1Headers = .random(using: &random)
    decodesPaths = .random(using: &random)
    apis = [
      API("First", checksProofs: true, hasDomain: !hasOrigins, &random),
      API("Second", checksProofs: .random(using: &random), hasDomain: .random(using: &random), &random),
    ]
  }

  /// The options of `serve` for these behaviors.
  var assumptions: [String] {
    [
      "--assume", "http1-multi-value-headers=\(repeatsHTTP1Headers ? "yes" : "no")", "--assume",
      "http-raw-path=\(decodesPaths ? "decoded" : "as-sent")",
    ]
  }

  /// `authorizer.json` of the function that checks proofs. Proofs of 300 s, so that no test depends on the speed of
  /// the machine.
  var configuration: String {
    let origins = hasOrigins ? #","origins":["\#(Self.origin)"]"# : ""
    let proof = #"{"required":\#(isRequired),"dpop":{"maximumAgeSeconds":300\#(origins)}}"#
    return #"""
      {"gatewayCache":"off","verdictCache":\#(verdictCache),"issuers":[{"name":"company",
      "issuer":"https://id.example.com","audiences":["api"],"algorithms":["RS256"],
      "keys":{"url":"https://id.example.com/jwks"},"proofOfPossession":\#(proof)}]}
      """#
  }

  /// `AUTHORIZER_CONFIG` of `Reader`.
  ///
  /// - Parameter keys: where its keys come from.
  static func reader(keys: String = #"{"url":"https://id.example.com/jwks"}"#) -> String {
    #"{"issuers":[{"name":"company","issuer":"https://id.example.com","audiences":["api"],"#
      + #""algorithms":["RS256"],"keys":\#(keys)}]}"#
  }

  var text: String {
    """
    AWSTemplateFormatVersion: "2010-09-09"
    Transform: AWS::Serverless-2016-10-31
    Resources:
      AuthorizerFunction:
        Type: AWS::Serverless::Function
        Properties: { CodeUri: ., Handler: bootstrap, Runtime: provided.al2023, MemorySize: 128, Timeout: 10 }
      Reader:
        Type: AWS::Serverless::Function
        Properties:
          CodeUri: reader/
          Handler: bootstrap
          Runtime: provided.al2023
          MemorySize: 128
          Timeout: 10
          Environment: { Variables: { AUTHORIZER_CONFIG: '\(Self.reader())' } }
    \(apis.map(\.resource).joined(separator: "\n"))
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: nodejs24.x
          Handler: index.handler
          InlineCode: "exports.handler = async () => ({ statusCode: 200 });"
          Events:
    \(apis.flatMap(\.events).map { "        " + $0 }.joined(separator: "\n"))
    """
  }

  /// One API with an authorizer on all paths.
  struct API {
    let name: String
    let kind: EventKind
    let checksProofs: Bool
    let seconds: Int
    let sources: String
    let basePath: String?
    let hasDomain: Bool
    let guardOfPets: Guard
    let cors: CORS

    /// The access of the route `/pets`, if there is one.
    enum Guard: CaseIterable { case none, same, native, open }
    enum CORS: CaseIterable { case none, withProofs, withoutProofs }

    init(
      _ name: String, checksProofs: Bool, hasDomain: Bool, _ random: inout some RandomNumberGenerator
    ) {
      func any<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
      }
      self.name = name
      self.checksProofs = checksProofs
      self.hasDomain = hasDomain
      kind = any([.restToken, .restRequest, .http1, .http2])
      seconds = any(checksProofs ? [0, 0, 60] : [0, 60, 300])
      sources = any(checksProofs ? ["Authorization", "Authorization, DPoP"] : ["Authorization"])
      basePath = any([nil, "v1"])
      guardOfPets = any([.none, .same, .same, .native, .open])
      cors = any(CORS.allCases)
    }

    var isREST: Bool { kind == .restToken || kind == .restRequest }

    /// The name of its custom domain.
    var domain: String { "\(name.lowercased()).example" }

    var resource: String {
      let form =
        isREST
        ? "FunctionPayloadType: \(kind == .restToken ? "TOKEN" : "REQUEST")"
        : "AuthorizerPayloadFormatVersion: \"\(kind == .http1 ? "1.0" : "2.0")\"\n"
          + "            EnableFunctionDefaultPermissions: true"
      let identity = kind == .restToken ? "Header: Authorization" : "Headers: [\(sources)]"
      return """
          \(name):
            Type: AWS::Serverless::\(isREST ? "Api" : "HttpApi")
            Properties:
              StageName: \(isREST ? "prod" : "$default")
              \(domainProperty)
              \(corsProperty)
              Auth:
                DefaultAuthorizer: Main
                \(isREST ? "AddDefaultAuthorizerToCorsPreflight: false" : "")
                Authorizers:
                  Main:
                    FunctionArn: !GetAtt \(checksProofs ? "AuthorizerFunction" : "Reader").Arn
                    \(form)
                    Identity: { \(identity), ReauthorizeEvery: \(seconds) }
                  \(native)
        """
    }

    private var domainProperty: String {
      guard hasDomain else { return "" }
      let certificate =
        "arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222-3333-4444-555555555555"
      let paths = basePath.map { ", BasePath: [\($0)]" } ?? ""
      return "Domain: { DomainName: \(domain), CertificateArn: \"\(certificate)\"\(paths) }"
    }

    private var corsProperty: String {
      guard cors != .none else { return "" }
      let headers = cors == .withProofs ? ["Authorization", "DPoP"] : ["Authorization"]
      return isREST
        ? "Cors: { AllowOrigin: \"'https://app.example.com'\", AllowHeaders: \"'\(headers.joined(separator: ","))'\" }"
        : "CorsConfiguration: { AllowOrigins: [\"https://app.example.com\"], AllowHeaders: [\(headers.joined(separator: ", "))] }"
    }

    /// HTTP APIs have authorizers of API Gateway itself, for the same issuer.
    private var native: String {
      guard guardOfPets == .native, !isREST else { return "" }
      return "Native: { IdentitySource: $request.header.Authorization,"
        + " JwtConfiguration: { issuer: \"https://id.example.com\", audience: [api] } }"
    }

    /// The routes, as events of the backend.
    var events: [String] {
      func event(_ route: String, _ path: String, _ auth: String = "") -> String {
        "\(name)\(route): { Type: \(isREST ? "Api" : "HttpApi"), Properties: { \(isREST ? "RestApiId" : "ApiId"):"
          + " !Ref \(name), Method: ANY, Path: \"\(path)\"\(auth) } }"
      }
      let all = event("All", "/{proxy+}")
      switch guardOfPets {
      case .none: return [all]
      case .open: return [all, event("Pets", "/pets", ", Auth: { Authorizer: NONE }")]
      case .native where !isREST: return [all, event("Pets", "/pets", ", Auth: { Authorizer: Native }")]
      case .native, .same: return [all, event("Pets", "/pets")]
      }
    }
  }
}
