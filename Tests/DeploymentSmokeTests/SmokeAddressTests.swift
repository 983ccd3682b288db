@testable import DeploymentSmoke
@testable import GatewayModel
@testable import Templates
@testable import EmulatorTestSupport
import Testing

/// Which hosts get requests: none that neither the template nor the user named.
@Suite struct SmokeAddressTests {
  @Test(
    arguments: [
      ("https://a.example", "addressForm"), ("=https://a.example", "addressForm"),
      ("Api=a.example", "scheme"),
      ("Api=HTTPS://a.example", "scheme"), ("Api=ftp://a.example", "scheme"),
      ("Api=http://a.example", "plainHTTP"), ("Api=http://localhost:8080", "plainHTTP"),
      ("Api=http://127.0.0.1.evil.example", "plainHTTP"), ("Api=http://10.0.0.1", "plainHTTP"),
      ("Api=https://a.example@evil.example", "userInAddress"), ("Api=https://", "hostForm"),
      ("Api=https://a.example:0", "hostForm"), ("Api=https://a.example:99999", "hostForm"),
      ("Api=https://a.example\\@evil.example", "userInAddress"),
      ("Api=https://a.example\\evil", "hostForm"),
      ("Api=https://0x7f.1", "hostForm"), ("Api=https://a.example.", "hostForm"),
      ("Api=https://a.example/x?y", "pathForm"), ("Api=https://a.example/x#y", "pathForm"),
      ("Api=https://a.example/../x", "pathForm"), ("Api=https://a.example//x", "pathForm"),
      ("Api=https://a.example/%2e", "pathForm"), ("Api=https://a.example/a b", "pathForm"),
      ("Api=https://a.example/\u{0D}\u{0A}Host: b", "pathForm"),
      ("Api=https://a.exa\u{0D}\u{0A}mple/", "hostForm"), ("Api=https://аpi.example", "hostForm"),
    ])
  func anAddressIsRefused(_ text: String, _ code: String) {
    #expect(throws: SmokeRefusal.self) { try DeployedAddress(parsing: text) }
    do throws(SmokeRefusal) { _ = try DeployedAddress(parsing: text) } catch { #expect(error.code == code) }
  }

  @Test(
    arguments: [
      ("Api=https://A.Example/prod/", "https://a.example", "/prod"),
      ("Api=https://a.example", "https://a.example", ""),
      ("Api=https://a.example:8443/v1/x", "https://a.example:8443", "/v1/x"),
      ("Api=http://127.0.0.1:8080/Api", "http://127.0.0.1:8080", "/Api"),
      ("Api=http://[::1]:1", "http://[::1]:1", ""),
    ])
  func anAddressHasAnOriginAndAPath(_ text: String, _ origin: String, _ path: String) throws {
    let address = try DeployedAddress(parsing: text)
    #expect(address.origin == origin && address.path == path && address.api == "Api")
  }

  static let served: Result<ServedAPIs, any Error> = Result {
    let selection = try #require(RouteSelection("$request.body.a"))
    var closed = GatewayStage.api([])
    closed.access.hasDefaultEndpoint = false
    return ServedAPIs(
      apis: [
        GatewayStage.api([]), GatewayStage.api([], isREST: false).named("Http"), closed.named("Closed"),
        GatewayAPI(
          name: "Chat", identifier: "abcdefghik", kind: .webSocket(selection),
          stage: .init(name: "live", variables: [:]), routes: []),
      ], closedAPIs: [],
      domains: [
        GatewayDomain(
          name: "api.example.com",
          mappings: [
            .init(basePath: "v1", target: .stage(api: "Api", stage: "prod")),
            .init(basePath: "all", target: .api("Api")),
          ], closure: nil)
      ], location: AWSLocation(), tenancy: [:])
  }

  /// The rest of a URL, what the user names, and where a request to `/pets` goes, or why nowhere.
  @Test(
    arguments: [
      ("Api=https://api.example.com/v1", [], [], "https://api.example.com/v1/pets"),
      ("Api=https://api.example.com/all/prod", [], [], "https://api.example.com/all/prod/pets"),
      ("Api=https://api.example.com/all/dev", [], [], "mapping"),
      ("Api=https://api.example.com", [], [], "mapping"),
      ("Http=https://api.example.com/v1", [], [], "mapping"),
      ("Api=https://api.example.com.evil.example/v1", [], [], "unnamedHost"),
      ("Api=https://evil-api.example.com/v1", [], [], "unnamedHost"),
      ("Api=https://api.example.com:8443/v1", [], [], "unnamedHost"),
      (
        "Api=https://abc.execute-api.us-east-1.amazonaws.com/prod", ["abc"], [],
        "https://abc.execute-api.us-east-1.amazonaws.com/prod/pets"
      ),
      (
        "Api=https://abc.execute-api.us-east-1.amazonaws.com", ["abc"], [],
        "https://abc.execute-api.us-east-1.amazonaws.com/prod/pets"
      ),
      (
        "Http=https://abc.execute-api.us-east-1.amazonaws.com", ["abc"], [],
        "https://abc.execute-api.us-east-1.amazonaws.com/pets"
      ),
      ("Http=https://abc.execute-api.us-east-1.amazonaws.com/x", ["abc"], [], "stage"),
      ("Api=https://abc.execute-api.us-east-1.amazonaws.com/dev", ["abc"], [], "stage"),
      ("Api=https://abd.execute-api.us-east-1.amazonaws.com/prod", ["abc"], [], "unnamedHost"),
      ("Api=https://abc.execute-api.eu-west-1.amazonaws.com/prod", ["abc"], [], "unnamedHost"),
      ("Api=https://abc.execute-api.us-east-1.amazonaws.com.evil.example", ["abc"], [], "unnamedHost"),
      ("Api=https://abc.execute-api.us-east-1.amazonaws.com:8443/prod", ["abc"], [], "unnamedHost"),
      ("Api=https://a.example/x", [], ["a.example"], "https://a.example/x/pets"),
      ("Api=https://a.example/x", [], ["A.Example"], "https://a.example/x/pets"),
      ("Api=https://a.example:8443/x", [], ["a.example"], "unnamedHost"),
      ("Api=https://a.example/x", [], ["b.example"], "unnamedHost"),
      ("Api=http://127.0.0.1:80/Api/prod", [], [], "unnamedHost"),
      ("Api=http://127.0.0.1:80/Api/prod", [], ["127.0.0.1:80"], "http://127.0.0.1:80/Api/prod/pets"),
      ("Other=https://api.example.com/v1", [], [], "unknownAPI"),
      ("Chat=https://a.example", [], [], "webSocket"),
    ] as [(String, [String], [String], String)])
  func aHostMustBeNamed(_ url: String, _ identifiers: [String], _ hosts: [String], _ end: String) throws {
    let served = try Self.served.get()
    let result = Result { () throws(SmokeRefusal) in
      let target = try SmokeTarget(
        try DeployedAddress(parsing: url), in: served, identifiers: identifiers, hosts: hosts)
      return target.address.origin + target.prefix + "/pets"
    }
    switch result {
    case .success(let address): #expect(address == end)
    case .failure(let refusal): #expect(refusal.code == end)
    }
  }

  @Test(arguments: [("api.example.com/v1", true), ("abc.execute-api.us-east-1.amazonaws.com/prod", false)])
  func aDomainIsToldToTheGateway(_ rest: String, _ isDomain: Bool) throws {
    let target = try SmokeTarget(
      try DeployedAddress(parsing: "Api=https://" + rest), in: try Self.served.get(),
      identifiers: ["abc"])
    let request = SmokeRequest(
      target: target, route: try GatewayStage.route("GET /pets"), method: "GET", path: "/pets",
      credential: .none)
    let exchange = request.exchange([])
    #expect(exchange.request.path == "/prod/pets" && exchange.url == "https://\(rest)/pets")
    #expect((exchange.request.domain?.path == "/v1/pets") == isDomain)
  }

  // MARK: Tokens

  @Test(
    arguments: [
      "eyJhbGciOi.x.y", "admin", "admin=", "=@f", "admin=eyJ.x.y", "admin=@", "admin=env:", "eyJ.x.y=@f",
      "a b=@f",
    ])
  func aTokenOnTheCommandLineIsRefusedWithoutItsText(_ text: String) {
    do throws(SmokeRefusal) {
      _ = try RoleToken.source(text)
      Issue.record("accepted")
    } catch {
      #expect(error == .tokenForm && !error.text.problem.contains("eyJ"))
    }
  }

  @Test(
    arguments: [
      ("abc\n", "Bearer abc"), ("  abc \r\n", "Bearer abc"), ("DPoP abc", "DPoP abc"), ("", nil),
      ("a\nb", nil),
      ("a\u{0}b", nil), ("é", nil), (String(repeating: "a", count: 8193), nil),
    ] as [(String, String?)])
  func aTokenIsOneVisibleLine(_ text: String, _ value: String?) {
    #expect((try? RoleToken(role: "admin", Array(text.utf8)))?.headerValue == value)
  }

  @Test func aTokenDescribesItselfByItsRole() throws {
    let token = try RoleToken(role: "admin", Array("secret-mark".utf8))
    var dumped = ""
    dump(token, to: &dumped)
    #expect(![dumped, "\(token)", String(reflecting: token)].contains { $0.contains("secret-mark") })
  }
}

extension GatewayAPI {
  fileprivate func named(_ name: String) -> GatewayAPI {
    GatewayAPI(name: name, identifier: identifier, kind: kind, stage: stage, routes: routes, access: access)
  }
}

extension SmokeRefusal {
  /// The name of the case.
  var code: String { String("\(self)".prefix { $0 != "(" }) }
}
