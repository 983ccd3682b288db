internal import GatewayEmulator
internal import GatewayModel
internal import JSON
internal import Synchronization

/// The answer to `GET /dev/decisions`.
///
/// A list of whole decisions is the most expensive answer of the console. It is made for one client at a time, gives way
/// to other requests after each decision, and ends with its connection.
struct ConsoleList {
  let console: Console
  let connection: ConsoleConnection

  private struct Order {
    var after: Int?
    var limit = ConsoleLimits.page.standard
    var isSummary = false
  }

  /// Returns the list.
  ///
  /// - Throws: `invalid` for wrong parameters, `busy` while another list of whole decisions is made or if the client has
  ///   left.
  func answer(_ request: GatewayRequest) async throws(ConsoleProblem) -> JSONTree {
    let order = try Self.order(request)
    let page = console.log.page(after: order.after, limit: order.limit)
    if order.isSummary { return try await tree(page, page.decisions) { .object(DecisionText($0).summary) } }
    let decisions = Self.bounded(page.decisions, isFromStart: order.after != nil)
    return try await console.wholeLists.alone { () async throws(ConsoleProblem) in
      try await tree(page, decisions, console.full)
    }
  }

  private func tree(
    _ page: DecisionHistory.Page, _ decisions: [RecordedDecision], _ text: (RecordedDecision) -> JSONTree
  ) async throws(ConsoleProblem) -> JSONTree {
    let life = ConnectionLife(of: connection)
    var trees: [JSONTree] = []
    for decision in decisions {
      try life.check()
      trees.append(text(decision))
      await Task.yield()
    }
    return .members([
      "newest": .integer(Int64(page.newest)), "oldest": .integer(Int64(page.oldest)),
      "decisions": .array(trees), "truncated": .boolean(decisions.count < page.decisions.count),
    ])
  }

  /// Returns as many decisions as fit into the bound, at least one: the first of them, or the last.
  static func bounded(_ decisions: [RecordedDecision], isFromStart: Bool) -> [RecordedDecision] {
    var (kept, bytes): ([RecordedDecision], Int) = ([], 0)
    for decision in isFromStart ? decisions : decisions.reversed() {
      bytes += decision.bytes
      if !kept.isEmpty, bytes > ConsoleLimits.pageBytes { break }
      kept.append(decision)
    }
    return isFromStart ? kept : kept.reversed()
  }

  private static func order(_ request: GatewayRequest) throws(ConsoleProblem) -> Order {
    var order = Order()
    for item in request.queryItems {
      switch item.name {
      case "after":
        guard let number = Int(item.value), number >= 0 else { throw .invalid("after must be an ID") }
        order.after = number
      case "limit":
        guard let number = Int(item.value), (1...ConsoleLimits.page.maximum).contains(number) else {
          throw .invalid("limit must be from 1 to \(ConsoleLimits.page.maximum)")
        }
        order.limit = number
      case "view":
        guard ["summary", "full"].contains(item.value) else { throw .invalid("view must be summary or full") }
        order.isSummary = item.value == "summary"
      default: throw .invalid("unknown parameter; known are after, limit and view")
      }
    }
    return order
  }
}

/// Whether the client of a long answer is still there.
final class ConnectionLife: Sendable {
  private let isOver = Mutex(false)

  /// Notices the end of the connection from now on.
  init(of connection: ConsoleConnection) {
    connection.whenClosed { [weak self] in self?.isOver.withLock { $0 = true } }
  }

  /// - Throws: `busy` if the connection or the task has ended; no client sees it.
  func check() throws(ConsoleProblem) {
    if Task.isCancelled || isOver.withLock({ $0 }) { throw .busy("the client has left") }
  }
}
