@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
import Foundation
import Logging
import Synchronization
import TestSupport
import TestTokens
import Testing

/// Requests that no API gets: each has one line in the log, and one decision.
@Suite(.hangLimit) struct RefusedRequestTests {
  private final class Seen: RequestObserving {
    let lines = Mutex<[String]>([])
    let decisions = Mutex<[CompletedRequest]>([])
    func observe(_ exchange: CompletedRequest) { decisions.withLock { $0.append(exchange) } }
  }

  private static func responder(_ seen: Seen) throws -> GatewayResponder {
    let closed = Diagnostic(line: 7, path: "Resources.Shut", problem: "is closed", cure: "nothing")
    func domain(_ name: String, _ target: GatewayDomain.Target, _ finding: Diagnostic?) -> GatewayDomain {
      var domain = GatewayDomain(
        name: name, mappings: [DomainTargetTests.mapping("orders", target)], closure: nil)
      domain.certificateFinding = finding
      return domain
    }
    let target = GatewayDomain.Target.stage(api: "Api", stage: "prod")
    let gateway = Gateway(
      apis: [
        try DomainTargetTests.api(),
        try WebSocketStage.api([WebSocketStage.route("$default", .webSocketMock)]),
      ],
      closedAPIs: [ClosedAPI(name: "Shut", findings: [closed])],
      domains: [domain("shop.example", target, nil), domain("tls.example", target, closed)],
      location: AWSLocation(), settings: Assumptions())
    let service = GatewayService(gateway: gateway, functions: [:], observer: seen) { record in
      seen.lines.withLock { $0.append(record.line) }
    }
    return GatewayResponder(
      service: service,
      development: DevelopmentEndpoint(
        service: service,
        issuer: DevelopmentIssuer(keys: try SharedKeys.all(), defaults: .init()),
        secret: try SampleSecrets.secret.get()),
      invocations: nil)
  }

  /// Host, path, whether the server asks for client certificates, and what the line says.
  @Test(
    arguments: [
      ("tls.example", "/orders/a", true, "tls.example GET /orders/a", 403, "no certificate"),
      ("tls.example", "/orders/a", false, "none GET /orders/a", 501, "template:7: "),
      ("shop.example", "/other?token=x", false, "shop.example GET /other", 403, "no mapping of the domain"),
      ("127.0.0.1", "/Shut/a", false, "none GET /Shut/a", 501, "template:7: Resources.Shut: is closed"),
      ("127.0.0.1", "/nothing", false, "none GET /nothing", 404, "no API has this address"),
      ("127.0.0.1", "/Live/live", false, "Live GET /Live/live", 426, "send an upgrade request"),
      ("evil.example", "/Api/prod/a", false, "none GET /Api/prod/a", 403, "the Host header must be"),
    ] as [(String, String, Bool, String, Int, String)])
  func haveOneLineAndOneDecision(
    _ host: String, _ path: String, _ asks: Bool, _ subject: String, _ status: Int, _ words: String
  ) async throws {
    let seen = Seen()
    var responder = try Self.responder(seen)
    if asks { responder.client = .asked(nil) }
    let (path, query) = GatewayResponder.split(path)
    let response = await responder.answer(
      GatewayRequest(method: "GET", path: path, query: query, headers: [.init("Host", host)]))
    #expect(response.status == status)
    let lines = seen.lines.withLock { $0 }
    #expect(lines.count == 1)
    #expect(
      lines.allSatisfy {
        $0.contains(" \(subject)") && $0.contains(" status=\(status) authorizer=none ") && $0.contains(words)
          && !$0.contains("token=")
      }, "\(lines)")
    let decisions = seen.decisions.withLock { $0 }
    #expect(
      decisions.count == 1 && decisions.allSatisfy { $0.refusal != nil && $0.response.status == status })
  }

  /// What is no request to an API has none: the controls, and the list of addresses.
  @Test(arguments: ["/", "/dev", "/dev/clock", "/.well-known/jwks.json"])
  func controlsHaveNoLine(_ path: String) async throws {
    let seen = Seen()
    _ = try await Self.responder(seen).answer(
      GatewayRequest(method: "GET", path: path, headers: [.init("Host", "127.0.0.1")]))
    #expect(seen.lines.withLock { $0 } == [])
  }

  /// Also those that the HTTP server refuses itself, first on their connection or later. A client that leaves before its
  /// request is whole has asked nothing.
  @Test(
    arguments: [
      ("NONSENSE\r\n\r\n", 1, "the request is not HTTP/1.1"),
      ("GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nNONSENSE\r\n\r\n", 2, "the request is not HTTP/1.1"),
      ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 200_000))\r\n\r\n", 1, "HTTP/1.1"),
      ("GET /noth", 0, ""),
    ] as [(String, Int, String)])
  func requestsThatAreNotHTTPHaveALine(_ text: String, _ count: Int, _ words: String) async throws {
    let seen = Seen()
    let service = try Self.responder(seen).service
    let server = GatewayServer(
      service, issuer: DevelopmentIssuer(keys: try SharedKeys.all(), defaults: .init()),
      secret: try SampleSecrets.secret.get())
    try await server.run(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { port in
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        DispatchQueue.global().async {
          _ = try? RawConnection(port: port).exchange(last: text)
          continuation.resume()
        }
      }
    }
    let lines = seen.lines.withLock { $0 }
    #expect(lines.count == count && (count == 0 || lines.contains { $0.contains(words) }), "\(lines)")
    #expect(seen.decisions.withLock { $0.count } == count)
  }
}
