import Foundation
import TestSupport
import TestTokens
import Testing

/// Random requests of an owner and of a thief to `serve` with the built function, for random templates.
@Suite("Stolen tokens and serve", .needsBootstrap, .serialized, .hangLimit)
struct StolenTokenServeTests {
  /// The tokens and keys of one test. The thief has all tokens, and each proof that the owner has sent.
  struct Loot {
    let owner: DevelopmentProofKey
    let thief: DevelopmentProofKey
    let bound: String
    /// Another token that is bound to the owner's key.
    let other: String
    let unbound: String
    var proofs: [Recorded] = []

    struct Recorded {
      let proof: String
      let request: String
      /// How often the clock was moved before: each move makes all earlier proofs too old.
      let moves: Int
    }
  }

  /// One request, and whether it must be accepted; `nil` for a recorded proof that is sent again for its own request,
  /// which counts until it is too old.
  struct Attempt {
    let words: String
    let method: String
    let path: String
    let headers: [(name: String, value: String)]
    let isAccepted: Bool?
  }

  /// Longer than a proof is valid, with its leeway. Six moves are shorter than the hour of a token.
  static let moveSeconds: Int64 = 310

  @Test("no sequence of requests lets a bound token in without its proof", arguments: 0..<4 as Range<UInt64>)
  func sequences(seed: UInt64) async throws {
    let workshop = try Workshop()
    let keys = try await workshop.run(["keys", "show"])
    try workshop.write(keys.output, to: "reader/keys.json")
    var loot = try await Self.loot(workshop)
    var random = SeededGenerator(seed: seed)
    var counts = (templates: 0, refused: 0, accepted: 0, stolen: 0)
    while counts.templates < 2 {
      let template = RandomTemplate(&random)
      try workshop.write(template.text, to: "template.yaml")
      try workshop.write(template.configuration, to: "authorizer.json")
      guard try await Self.isSound(workshop) else {
        counts.refused += 1
        try #require(counts.refused < 300, "doctor finds no template sound")
        continue
      }
      counts.templates += 1
      let gateway = try Self.gateway(workshop, template.assumptions)
      var moves = 0
      for step in 0..<80 {
        if step % 20 == 19 {
          let order = #"{"move":"+\#(Self.moveSeconds)s"}"#
          #expect(try await gateway.send("POST", "/dev/clock", body: order).status == 200)
          moves += 1
        }
        let api = template.apis[Int.random(in: template.apis.indices, using: &random)]
        let place = Place(api, of: template, &random)
        let attempt = try Self.attempt(place, &loot, moves, &random)
        let status = try Self.status(of: attempt, place, gateway)
        guard let isAccepted = attempt.isAccepted else { continue }
        #expect((status == 200) == isAccepted, "\(attempt) \(status)\n\(template.text)\n\(gateway.logText)")
        if isAccepted { counts.accepted += 1 } else { counts.stolen += 1 }
      }
    }
    #expect(counts.refused > 0 && counts.accepted > 10 && counts.stolen > 50, "\(counts)")
  }

  // MARK: Setup

  private static func loot(_ workshop: borrowing Workshop) async throws -> Loot {
    let shape = ["token", "--preset", "oidc:https://id.example.com", "--audience", "api"]
    func token(_ more: [String]) async throws -> String {
      let answer = try await workshop.run(shape + more)
      try #require(answer.exit == 0, "\(answer.errors)")
      return answer.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    return Loot(
      owner: try DevelopmentProofKey(in: workshop.folder.appendingPathComponent(".development").path),
      thief: try .generate(), bound: try await token(["--bind", "dpop"]),
      other: try await token(["--bind", "dpop", "--claim", "jti=other"]), unbound: try await token([]))
  }

  /// Whether `doctor` finds neither an error nor a warning. Accepted is what refuses more, or changes the body of a
  /// refusal.
  private static func isSound(_ workshop: borrowing Workshop) async throws -> Bool {
    let accepted = ["gatewayResponseMissing", "configurationShadowed", "sourceUnread"].flatMap {
      ["--accept", $0]
    }
    let answer = try await workshop.run(
      ["doctor", "--config", "authorizer.json"] + accepted + ["--template", "template.yaml"])
    try #require([0, 1].contains(answer.exit), "\(answer.output)\(answer.errors)")
    return answer.exit == 0
  }

  private static func gateway(_ workshop: borrowing Workshop, _ more: [String]) throws -> ServedGateway {
    let reader = RandomTemplate.reader(keys: #"{"seed":"keys.json","pinned":true}"#)
    let variables =
      "AUTHORIZER_DEVELOPMENT=1 AUTHORIZER_CONFIG='\(reader)'"
      + " LAMBDA_TASK_ROOT='\(workshop.folder.appendingPathComponent("reader").path)'"
    return try ServedGateway(
      workshop,
      [
        "--template", "template.yaml", "--config", "authorizer.json", "--function", Workshop.bootstrap,
        "--run", "Reader=\(variables) exec \(Workshop.bootstrap)",
      ] + more)
  }

  /// Sends a request as it is written, since clients repair some of them.
  private static func status(of attempt: Attempt, _ place: Place, _ gateway: ServedGateway) throws -> Int {
    let headers = [(name: "Host", value: place.host), (name: "Connection", value: "close")] + attempt.headers
    let head =
      "\(attempt.method) \(place.prefix)\(attempt.path) HTTP/1.1\r\n"
      + headers.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
    let answer = try RawConnection(port: gateway.port).exchange(head, until: "\r\n\r\n")
    return try #require(answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }, "\(answer)")
  }
}
