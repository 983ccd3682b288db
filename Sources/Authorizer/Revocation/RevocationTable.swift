import DynamoDB
import FunctionHost
import IssuerKeys
import Withdrawals

/// The revocations in the identity function's table (docs/dynamodb.md).
///
/// The first lookup starts the process that connects to DynamoDB, not the start of the function.
struct RevocationTable<Transport: DynamoDBTransport, Pace: DynamoDBPace>: RevocationSource {
  private var client: DynamoDBClient<Transport, Pace>
  /// Makes another client of the same table, with its own connection.
  private let make: () -> DynamoDBClient<Transport, Pace>
  /// Whether several items are read together. If not, one is, and the role needs no further right.
  private let readsBatches: Bool

  /// A source that reads with these clients.
  init(readsBatches: Bool = false, _ make: @escaping () -> DynamoDBClient<Transport, Pace>) {
    self.make = make
    self.readsBatches = readsBatches
    client = make()
  }

  func forAnotherWorker() -> RevocationTable { RevocationTable(readsBatches: readsBatches, make) }

  mutating func answer(about items: [[UInt8]], at now: Int64, endMilliseconds: Int64?) -> RevocationAnswer {
    let longest = client.deadline(afterMilliseconds: Self.maximumMilliseconds)
    let deadline = endMilliseconds.map { min(longest, client.deadline(unixMilliseconds: $0)) } ?? longest
    var found: [(index: Int, item: Item?)] = []
    var failure: String?
    do throws(BatchFailure) {
      for item in try read(items, until: deadline) { found.append((found.count, item)) }
    } catch {
      (found, failure) = (error.known, error.cause.description)
    }
    var known: [RevocationAnswer.KnownEvent] = []
    for (index, item) in found {
      do throws(Withdrawal.MissingEvent) {
        var event: Int64?
        // Only items that are read together expire.
        if let item { event = try Withdrawal.eventMilliseconds(in: item, at: readsBatches ? now : .min) }
        known.append(RevocationAnswer.KnownEvent(index: index, eventMilliseconds: event))
      } catch {
        failure = failure ?? "an item of the table has no eventMilliseconds"
      }
    }
    if let failure { return .unavailable(failure, known: known) }
    return .events(known.map { $0.eventMilliseconds })
  }

  /// Consistent reads: the next lookup must see an acknowledged revocation.
  private mutating func read(_ items: [[UInt8]], until deadline: Int64) throws(BatchFailure) -> [Item?] {
    if readsBatches { return try client.batchGetItem(items, deadline: deadline) }
    var found: [Item?] = []
    do throws(DynamoDBError) {
      for item in items { found.append(try client.getItem(item, isConsistent: true, deadline: deadline)) }
    } catch {
      throw BatchFailure(cause: error, known: [])
    }
    return found
  }

  /// The time limit of one lookup in milliseconds. It allows two attempts of the client, so that a connection that
  /// died while the environment was frozen costs time but not the verdict (our own limit).
  private static var maximumMilliseconds: Int64 { 3000 }
}

extension RevocationTable where Transport == ProcessTransport, Pace == SystemPace {
  /// A source for a table of this environment.
  init(
    _ table: TableReference, readsBatches: Bool, _ fetch: FetchSettings, isDevelopment: Bool,
    _ environment: FunctionEnvironment
  ) {
    self.init(readsBatches: readsBatches) {
      DynamoDBClient(table, fetch, isDevelopment: isDevelopment, environment)
    }
  }
}
