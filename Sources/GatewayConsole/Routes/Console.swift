internal import ConsolePage
package import GatewayEmulator
package import GatewayModel
package import LambdaEmulator
internal import JSON
internal import Text

/// The server side of the console: the routes of `/dev` that show what the gateway decides.
package struct Console: DevelopmentConsole {
  package let log: DecisionHistory
  package let facts: any ConsoleFacts
  package let trials: TrialFunctions
  /// Whole decisions are made for one list at a time: each costs some milliseconds.
  let wholeLists = TrialFunctions([:], running: "another list of whole decisions")
  /// Whether the functions use the real keys of their issuers.
  package let usesRealKeys: Bool
  private let clock: LambdaClock
  /// Makes digests of this console useless for others: a short API key could be found by trying all.
  private let salt = [UInt8].random(count: 16)

  /// Creates a console.
  ///
  /// - Parameters:
  ///   - log: the decisions; also the observer of the gateway.
  ///   - facts: what only the program knows.
  ///   - trials: authorizers of their own for replays at another time, by the names of their resources.
  ///   - usesRealKeys: whether tokens of the development issuer are of no use.
  package init(
    log: DecisionHistory, facts: any ConsoleFacts, trials: [String: any FunctionInvoking] = [:],
    usesRealKeys: Bool = false, clock: LambdaClock = .system
  ) {
    self.log = log
    self.facts = facts
    self.trials = TrialFunctions(trials)
    self.usesRealKeys = usesRealKeys
    self.clock = clock
  }

  /// Answers a request; `nil` for a path that is not the console's.
  ///
  /// A browser is sent to the console's own origin for the page.
  package func reply(
    to request: GatewayRequest, from connection: ConsoleConnection
  ) async -> ConsoleReply? {
    guard let route = ConsoleRoute(path: request.path) else { return nil }
    let isPage = request.path == ConsoleHost.page && request.method == "GET"
    if isPage, let address = ConsoleOrigin.redirect(for: request, scheme: connection.scheme) {
      return .response(ConsoleAnswer.redirect(to: address))
    }
    if let refusal = ConsoleGuard.refusal(of: request, scheme: connection.scheme, isPage: isPage) {
      return .response(ConsoleAnswer.problem(403, refusal))
    }
    if route.needsSecret, !connection.secret.isSent(in: request) {
      return .response(ConsoleAnswer.problem(403, connection.secret.refusal))
    }
    guard request.method == route.method else {
      var response = ConsoleAnswer.problem(405, "send \(route.method)")
      response.headers.append(.init("Allow", route.method))
      return .response(response)
    }
    if request.isBodyTooLarge || request.body.count > ConsoleLimits.orderBytes {
      return .response(
        ConsoleAnswer.problem(413, "the body is larger than \(ConsoleLimits.orderBytes) bytes"))
    }
    do throws(ConsoleProblem) {
      return try await reply(to: request, route, connection)
    } catch {
      return .response(error.response)
    }
  }

  private func reply(
    to request: GatewayRequest, _ route: ConsoleRoute, _ connection: ConsoleConnection
  ) async throws(ConsoleProblem) -> ConsoleReply {
    switch route {
    case .file:
      guard let file = ConsolePage.file(request.path) else { throw .notFound("the console has no such file") }
      return .response(ConsoleAnswer.file(file))
    case .decisions:
      let list = ConsoleList(console: self, connection: connection)
      return .response(ConsoleAnswer.json(try await list.answer(request)))
    case .stream: return try stream(request, connection)
    case .decision(let id): return .response(ConsoleAnswer.json(full(try decision(id))))
    case .replay(let id):
      let replay = ConsoleReplay(console: self, connection: connection)
      return .response(ConsoleAnswer.json(try await replay.answer(try decision(id), try Self.order(request))))
    case .test(let id):
      let test = DecisionText(try decision(id)).test
      guard test["eventDocument"] != nil else {
        guard case .string(let note)? = test["note"] else {
          throw .impossible("the authorizer was not called, so there is nothing to test")
        }
        throw .impossible(note)
      }
      return .response(ConsoleAnswer.json(try facts.save(test: test)))
    case .matrix:
      let matrix = ConsoleMatrix(console: self, connection: connection, base: Self.base(request, connection))
      return .response(ConsoleAnswer.json(try await matrix.answer(request)))
    case .send:
      let sender = ConsoleSender(console: self, connection: connection, base: Self.base(request, connection))
      return .response(ConsoleAnswer.json(try await sender.answer(try Self.order(request))))
    case .cache, .keys, .revocations, .findings, .session:
      return .response(ConsoleAnswer.json(ConsoleState(console: self, connection: connection).answer(route)))
    }
  }

  private static func base(_ request: GatewayRequest, _ connection: ConsoleConnection) -> String {
    let host = request.values(ofHeader: "Host").first ?? "127.0.0.1"
    // No API and no issuer has the console's origin, so clients get an address that works.
    return "\(connection.scheme)://\(ConsoleHost.served(host))"
  }

  /// Reads a JSON object with at most these bytes; no body is an empty object.
  private static func order(_ request: GatewayRequest) throws(ConsoleProblem) -> ConsoleRequest {
    guard !request.body.isEmpty else { return ConsoleRequest(.object([])) }
    let tree = try Result { () throws(JSONError) in try JSONTree(parsing: request.body) }.mapError {
      ConsoleProblem.invalid("the body is not JSON: \($0.description(in: request.body))")
    }.get()
    guard case .object = tree else { throw .invalid("the body must be a JSON object") }
    return ConsoleRequest(tree)
  }

  /// Returns a short name for a key of the cache, which contains tokens.
  package func digest(of key: [UInt8]) -> String {
    String(SignatureHash.hexadecimalDigest(salt + key).prefix(12))
  }

  // MARK: Decisions

  package func decision(_ id: Int) throws(ConsoleProblem) -> RecordedDecision {
    guard let decision = log.decision(id) else {
      throw .notFound(
        "there is no decision \(id), or no longer; GET /dev/decisions lists those that are kept")
    }
    return decision
  }

  /// The whole decision, with the checks of `explain` at its time.
  func full(_ decision: RecordedDecision) -> JSONTree {
    DecisionText(decision).full(explanation(of: decision), rules: facts.rules)
  }

  package func explanation(of decision: RecordedDecision) -> DecisionExplanation? {
    decision.hasEvent ? decision.served.explanation(by: facts) : nil
  }

  private func stream(
    _ request: GatewayRequest, _ connection: ConsoleConnection
  ) throws(ConsoleProblem) -> ConsoleReply {
    let last = request.values(ofHeader: "Last-Event-ID").first ?? ""
    let after = last.isEmpty ? request.queryItems.first { $0.name == "after" }?.value ?? "" : last
    guard after.isEmpty || Int(after).map({ $0 >= 0 }) == true else {
      throw .invalid("Last-Event-ID must be the ID of a decision")
    }
    guard let feed = log.open(after: Int(after), onLate: connection.close) else {
      throw .busy("\(ConsoleLimits.streams) streams are open already; close another page of the console")
    }
    let (log, clock) = (log, clock)
    // However the connection ends: a writer that waits for a new decision would not see it.
    connection.whenClosed { log.close(feed) }
    return .stream(ConsoleAnswer.stream) { send in
      defer { log.close(feed) }
      let beats = Task {
        while (try? await clock.wait(ConsoleLimits.beatMilliseconds)) != nil { feed.beat() }
      }
      defer { beats.cancel() }
      try await send(Array(": \(Self.greeting)\n\n".utf8))
      for await item in feed.items {
        switch item {
        case .beat: try await send(Array(":\n\n".utf8))
        // One that is gone already is skipped: the reader sees the gap in the IDs.
        case .decision(let id): if let decision = log.decision(id) { try await send(Self.part(decision)) }
        }
      }
    }
  }

  private static let greeting = "decisions"

  /// One event of the stream (HTML Living Standard, "Server-sent events"). JSON on one line has no line feed.
  private static func part(_ decision: RecordedDecision) -> [UInt8] {
    let data = JSONTree.object(DecisionText(decision).summary).bytes()
    return Array("event: decision\nid: \(decision.id)\ndata: ".utf8) + data + Array("\n\n".utf8)
  }
}
