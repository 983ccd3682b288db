@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
import Foundation
import TestSupport
import JSON
import TestTokens
import Testing

/// Requests to custom domain names.
@Suite struct DomainTargetTests {
  static func mapping(_ path: String, _ target: GatewayDomain.Target) -> GatewayDomain.Mapping {
    GatewayDomain.Mapping(basePath: path, target: target)
  }

  static let finding = Diagnostic(line: 7, path: "Resources.A", problem: "is closed", cure: "nothing")

  static let shop = GatewayDomain(
    name: "shop.example",
    mappings: [
      mapping("orders", .stage(api: "Api", stage: "prod")), mapping("orders/v1", .api("Api")),
      mapping("old", .closed(finding)),
    ], closure: nil)

  static func responder(
    _ domains: [GatewayDomain], _ api: GatewayAPI, _ settings: Assumptions = Assumptions()
  ) throws -> GatewayResponder {
    let gateway = Gateway(apis: [api], domains: domains, location: AWSLocation(), settings: settings)
    let service = GatewayService(gateway: gateway, functions: [:])
    let issuer = DevelopmentIssuer(keys: try SharedKeys.all(), defaults: .init())
    return GatewayResponder(
      service: service,
      development: DevelopmentEndpoint(
        service: service, issuer: issuer, secret: try SampleSecrets.secret.get()),
      invocations: nil)
  }

  static func api(isREST: Bool = true, hasDefaultEndpoint: Bool = true) throws -> GatewayAPI {
    var access = APIAccess()
    access.hasDefaultEndpoint = hasDefaultEndpoint
    let format: GatewayIntegration.PayloadFormat = isREST ? .rest : .http2
    let routes = try ["GET /{proxy+}", "GET /"].map {
      try GatewayStage.route($0, integration: .function("Backend", format))
    }
    return GatewayStage.api(routes, access: access, isREST: isREST)
  }

  static func send(
    _ responder: GatewayResponder, _ host: String, _ path: String
  ) async throws -> (status: Int, event: JSONTree?) {
    let response = await responder.answer(
      GatewayRequest(method: "GET", path: path, headers: [.init("Host", host)]))
    return (response.status, (try? JSONTree(parsing: response.body))?["event"])
  }

  /// The four cases that LocalStack measured on AWS (pull request 12296), and the rule of the longest base path.
  @Test(arguments: [
    ("/orders/hats", 200, "/orders/hats"), ("/orders", 200, "/orders"), ("/orders/", 200, "/orders/"),
    ("/orders/v1/prod/hats", 200, "/orders/v1/prod/hats"), ("/orders/v1/other/hats", 403, nil),
    ("/orders/v10", 200, "/orders/v10"), ("/ordersx", 403, nil), ("/", 403, nil), ("/Orders/hats", 403, nil),
    ("/old/a", 501, nil), ("/dev", 403, nil), ("/Api/prod/hats", 403, nil),
  ]) func choosesTheMappingWithTheLongestBasePath(_ path: String, _ status: Int, _ seen: String?) async throws
  {
    let responder = try Self.responder([Self.shop], Self.api())
    let (answered, event) = try await Self.send(responder, "Shop.Example:8080", path)
    #expect(answered == status)
    guard let seen else { return }
    #expect(event?.at("path") == .string(seen))
    #expect(event?.at("requestContext", "path") == .string(seen))
    #expect(event?.at("requestContext", "stage") == .string("prod"))
    #expect(event?.at("requestContext", "domainName") == .string("shop.example"))
    #expect(event?.at("requestContext", "domainPrefix") == .string("shop"))
    #expect(event?.at("headers", "Host") == .string("shop.example"))
  }

  @Test func anHTTPAPIHasNoStageInThePath() async throws {
    let domain = GatewayDomain(
      name: "*.example", mappings: [Self.mapping("", .stage(api: "Api", stage: "$default"))], closure: nil)
    let responder = try Self.responder([domain], Self.api(isREST: false))
    for (host, status) in [("a.example", 200), ("a.b.example", 403), ("example", 403), (".example", 403)] {
      let (answered, event) = try await Self.send(responder, host, "/hats")
      #expect(answered == status, "\(host)")
      if status == 200 { #expect(event?.at("rawPath") == .string("/hats")) }
    }
  }

  /// Integrations of REST APIs get the path as measured on AWS, whatever the setting.
  @Test(arguments: [
    ("domain-path=kept", false, "rawPath", "/orders/hats"),
    ("domain-path=removed", false, "rawPath", "/hats"),
    ("domain-path=removed", true, "path", "/orders/hats"),
  ]) func theBasePathInEventsIsASetting(
    _ setting: String, _ isREST: Bool, _ member: String, _ seen: String
  ) async throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    let domain = GatewayDomain(
      name: "shop.example",
      mappings: [Self.mapping("orders", .stage(api: "Api", stage: isREST ? "prod" : "$default"))],
      closure: nil)
    let responder = try Self.responder([domain], Self.api(isREST: isREST), settings)
    let (status, event) = try await Self.send(responder, "shop.example", "/orders/hats")
    #expect(status == 200)
    #expect(event?.at(member) == .string(seen))
  }

  @Test(arguments: [
    ("http-domain-without-mapping=403", false, 403), ("http-domain-without-mapping=404", false, 404),
    ("http-domain-without-mapping=404", true, 403),
  ]) func thePathWithoutAMappingIsASetting(_ setting: String, _ isREST: Bool, _ status: Int) async throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    let domain = GatewayDomain(
      name: "shop.example",
      mappings: [Self.mapping("orders", .stage(api: "Api", stage: isREST ? "prod" : "$default"))],
      closure: nil)
    let responder = try Self.responder([domain], Self.api(isREST: isREST), settings)
    #expect(try await Self.send(responder, "shop.example", "/other").status == status)
  }

  @Test func aClosedDomainAnswersNothing() async throws {
    let domain = GatewayDomain(
      name: "shop.example", mappings: [Self.mapping("", .stage(api: "Api", stage: "prod"))],
      closure: Self.finding)
    let responder = try Self.responder([domain], Self.api())
    #expect(try await Self.send(responder, "shop.example", "/hats").status == 501)
    #expect(try await Self.send(responder, "localhost", "/Api/prod/hats").status == 200)
  }

  /// `DisableExecuteApiEndpoint` closes the API's own address only.
  @Test func onlyTheDomainAnswersForADisabledEndpoint() async throws {
    let responder = try Self.responder([Self.shop], Self.api(hasDefaultEndpoint: false))
    #expect(try await Self.send(responder, "localhost", "/Api/prod/hats").status == 403)
    #expect(try await Self.send(responder, "shop.example", "/orders/hats").status == 200)
  }

  /// A page whose name resolves to this machine has no name of the template.
  @Test(arguments: ["evil.example", "shop.example.evil.example", "xshop.example", "shop.example.", ""])
  func refusesOtherNames(_ host: String) async throws {
    let responder = try Self.responder([Self.shop], Self.api())
    #expect(try await Self.send(responder, host, "/orders/hats").status == 403)
    guard case .refused = responder.destination(host: host, path: "/") else {
      Issue.record("\(host) is accepted")
      return
    }
  }

  @Test func theIndexNamesTheDomain() async throws {
    let responder = try Self.responder([Self.shop], Self.api())
    let index = await responder.answer(
      GatewayRequest(method: "GET", path: "/", headers: [.init("Host", "localhost")]))
    let text = String(decoding: index.body, as: UTF8.self)
    #expect(text.contains("Host: shop.example, /orders  Api, stage prod"))
    #expect(text.contains("Host: shop.example, /old  closed"))
  }

  // MARK: Mutual TLS

  /// A domain with mutual TLS, and one without.
  static func domains(isREST: Bool) -> [GatewayDomain] {
    ["bank.example", "plain.example"].map { name in
      var domain = GatewayDomain(
        name: name, mappings: [mapping("", .stage(api: "Api", stage: isREST ? "prod" : "$default"))],
        closure: nil)
      if name == "bank.example" { domain.certificateFinding = finding }
      return domain
    }
  }

  /// The certificate of a client; its serial number is 16 bytes long.
  static func certificate() throws -> X509Certificate {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let made = try DevelopmentCertificate(in: folder.path, at: 1_795_255_200)
    return try #require(X509Certificate(pem: made.certificate))
  }

  @Test(arguments: [true, false])
  func theCertificateIsInEventsOfADomainWithMutualTLSOnly(_ isREST: Bool) async throws {
    let sent = try Self.certificate()
    var responder = try Self.responder(Self.domains(isREST: isREST), Self.api(isREST: isREST))
    func answer(_ host: String, _ path: String) async throws -> (status: Int, certificate: JSONTree?) {
      let (status, event) = try await Self.send(responder, host, path)
      let context = event?["requestContext"]
      return (status, (isREST ? context?["identity"] : context?["authentication"])?["clientCert"])
    }
    // The server asks for no certificates.
    #expect(try await answer("bank.example", "/a").status == 501)
    // It asks, and the client sends none.
    responder.client = .asked(nil)
    #expect(try await answer("bank.example", "/a").status == 403)
    #expect(try await answer("plain.example", "/a").status == 200)
    responder.client = .asked(sent)
    let (status, found) = try await answer("bank.example", "/a")
    #expect(status == 200)
    let certificate = try #require(found)
    #expect(certificate["clientCertPem"] == .string(sent.pem))
    #expect(certificate["subjectDN"] == .string("CN=authorizer-local"))
    #expect(certificate["issuerDN"] == .string("CN=authorizer-local development authority"))
    #expect(certificate["validity"]?["notBefore"] == .string("Nov 21 09:00:00 2026 GMT"))
    #expect(certificate["validity"]?["notAfter"] == .string("Dec 23 10:00:00 2027 GMT"))
    guard case .string(let serial)? = certificate["serialNumber"] else {
      throw CocoaError(.coderInvalidValue)
    }
    #expect(serial.wholeMatch(of: /[0-9a-f]{2}(:[0-9a-f]{2}){15}/) != nil)
    // Nowhere else, as on AWS: not on another domain, and not at the API's own address.
    #expect(try await answer("plain.example", "/a").certificate == nil)
    let own = try await answer("127.0.0.1:8080", isREST ? "/Api/prod/a" : "/Api/a")
    #expect(own.certificate == nil)
  }
}
