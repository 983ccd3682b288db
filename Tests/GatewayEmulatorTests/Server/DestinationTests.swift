@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
@testable import LambdaEmulator
import Foundation
import Synchronization
import TestSupport
import TestTokens
import Testing

/// Where a request goes by its host and its path. A page of another site that reaches a part of the gateway by DNS
/// rebinding, or a development path that hides a path of an API, is a row that changes.
///
/// | letter | answer |
/// |---|---|
/// | `a` `c` `d` `l` | the API `Api`, `Console`, `Dev` or `Live` |
/// | `K` | the console |
/// | `D` | the development endpoint |
/// | `F` | Lambda's Invoke API |
/// | `I`, `N` | the list of addresses, with 200 or 404 |
/// | `O` | 404: only the console has this name |
/// | `R` | 403: no loopback name |
/// | `M` | 403: no mapping of the domain |
/// | `X` | 501: the API or the mapping is closed |
/// | `U`, `W` | of a WebSocket API: 426 to a request, 101 to a handshake |
@Suite(.hangLimit) struct DestinationTests {
  private static let hosts = [
    "127.0.0.1:80", "LOCALHOST", "none.localhost", "api.localhost", "dev.localhost", "live.localhost",
    "shut.localhost", "console.localhost", "shop.example", "shop.localhost", "evil.example", "",
  ]

  private static let withConsole = """
    /                        I I I a d U X O M M R R
    /dev                     I I I a d U X O M M R R
    /dev/console             K K K a d U K K M M R R
    /dev/clock               D D D a d U D D M M R R
    /dev/a                   D D D a d U D O M M R R
    /dev?x=/dev/clock        I I I a d U X O M M R R
    /.well-known/jwks.json   D D D a d U D O M M R R
    /2015-03-31/functions    F F F a d U F O M F R R
    /Api/prod/a              a a a a d U X O M M R R
    /Console/prod/a          c c c a d U X O M M R R
    /Dev/dev/a               d d d a d U X O M M R R
    /Live/live               U U U a d U X O M M R R
    /Live/live/@connections/ l l l a d U X O M M R R
    /Shut/a                  X X X X X X X O M M R R
    /orders/a                N N N a d U X O a a R R
    /old/a                   N N N a d U X O X X R R
    /live                    N N N a d U X O U U R R
    /live/@connections/      N N N a d l X O l l R R
    """

  private static let withoutConsole = """
    /                        I I I a d U X c M M R R
    /dev                     I I I a d U X c M M R R
    /dev/console             D D D a d U D c M M R R
    /dev/clock               D D D a d U D c M M R R
    /2015-03-31/functions    F F F a d U F c M F R R
    /Console/prod/a          c c c a d U X c M M R R
    """

  private static let handshakes = """
    /                        I I I a d l X O M M R R
    /dev/console             K K K a d l K K M M R R
    /2015-03-31/functions    F F F a d l F O M F R R
    /Api/prod/a              a a a a d l X O M M R R
    /Live/live               W W W a d l W O M M R R
    /Live/dev                l l l a d l l O M M R R
    /live                    N N N a d W X O W W R R
    """

  @Test func aRequestGoesWhereItsHostAndItsPathSay() async throws {
    let found = try await Self.table(Self.withConsole, hasConsole: true)
    #expect(found == Self.withConsole, "\(found)")
  }

  @Test func withoutAConsoleItsNameIsThatOfAnAPI() async throws {
    let found = try await Self.table(Self.withoutConsole, hasConsole: false)
    #expect(found == Self.withoutConsole, "\(found)")
  }

  @Test func aHandshakeGoesToWebSocketAPIsOnly() async throws {
    let found = try await Self.table(Self.handshakes, hasConsole: true, isHandshake: true)
    #expect(found == Self.handshakes, "\(found)")
  }

  /// Returns the rows with the answers of a gateway.
  private static func table(
    _ rows: String, hasConsole: Bool, isHandshake: Bool = false
  ) async throws -> String {
    let names = Names()
    let service = GatewayService(gateway: try gateway(), functions: [:]) { record in
      names.last.withLock { $0 = record.line.split(separator: " ")[2].lowercased() }
    }
    let issuer = DevelopmentIssuer(keys: try SharedKeys.all(), defaults: .init())
    let secret = try SampleSecrets.secret.get()
    return try await GatewayServer(
      service, issuer: issuer, secret: secret, invocations: InvokeAPI(functions: [], logger: .silent),
      console: hasConsole ? Page() : nil
    ).run(logger: .silent) { port in
      var table: [String] = []
      for line in rows.split(separator: "\n") {
        let path = line.prefix { $0 != " " }
        var letters: [String] = []
        for host in hosts {
          names.last.withLock { $0 = nil }
          let answer = try await answer(
            "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(DevelopmentSecret.header): \(secret.value)\r\n"
              + (isHandshake ? upgrade : "Connection: close\r\n\r\n"), port: port)
          let mark = marks.first { answer.contains($0.text) }?.letter
          let name = names.last.withLock { $0 } ?? "?"
          letters.append(mark ?? (name.hasPrefix("shop.") ? "M" : String(name.prefix(1))))
        }
        table.append(
          path.padding(toLength: 24, withPad: " ", startingAt: 0) + " " + letters.joined(separator: " "))
      }
      return table.joined(separator: "\n")
    }
  }

  private static let upgrade =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"

  /// Sends a request, on a thread that no task of the server needs.
  private static func answer(_ request: String, port: Int) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result { try RawConnection(port: port).exchange(request, until: "HTTP/1.1 101 ") })
      }
    }
  }

  private static func gateway() throws -> Gateway {
    func api(_ name: String, stage: String) throws -> GatewayAPI {
      GatewayAPI(
        name: name, identifier: "id-" + name, kind: .rest(GatewayResponses()),
        stage: .init(name: stage, variables: [:]), routes: [try GatewayStage.route("GET /a")])
    }
    let finding = Diagnostic(line: 7, path: "Resources.Shut", problem: "is closed", cure: "nothing")
    let domains = ["shop.example", "shop.localhost"].map { name in
      GatewayDomain(
        name: name,
        mappings: [
          .init(basePath: "orders", target: .stage(api: "Api", stage: "prod")),
          .init(basePath: "live", target: .stage(api: "Live", stage: "live")),
          .init(basePath: "old", target: .closed(finding)),
        ], closure: nil)
    }
    return Gateway(
      apis: [
        try api("Api", stage: "prod"), try api("Dev", stage: "dev"), try api("Console", stage: "prod"),
        try WebSocketStage.api([WebSocketStage.route("$default", .webSocketMock)]),
      ], closedAPIs: [ClosedAPI(name: "Shut", findings: [finding])], domains: domains,
      location: AWSLocation(),
      settings: Assumptions())
  }

  /// A console that has one path.
  private struct Page: DevelopmentConsole {
    func reply(to request: GatewayRequest, from server: ConsoleConnection) async -> ConsoleReply? {
      request.path == ConsoleHost.page ? .response(GatewayResponse(status: 299)) : nil
    }
  }

  /// The API of the last record.
  private final class Names: Sendable { let last = Mutex<String?>(nil) }

  /// What only one part of the gateway answers.
  private static let marks: [(text: String, letter: String)] = [
    ("HTTP/1.1 101 ", "W"), ("HTTP/1.1 299 ", "K"), ("HTTP/1.1 426 ", "U"),
    ("X-Authorizer-Local-Closed", "X"), ("no such API", "N"), ("available addresses", "I"),
    ("/2015-03-31/functions", "F"),
    ("offsetSeconds", "D"), ("GET / lists the paths", "D"), ("\"keys\"", "D"), ("only the console", "O"),
    ("must be a loopback name", "R"),
  ]
}
