import DynamoDB
import FunctionHost
import IssuerKeys

/// The revocations in the identity function's table: items `revocation#<sub>` with `eventMilliseconds`.
///
/// The first lookup starts the process that connects to DynamoDB, not the start of the function.
struct RevocationTable<Transport: DynamoDBTransport, Pace: DynamoDBPace>: RevocationSource {
  private var client: DynamoDBClient<Transport, Pace>
  /// Makes another client of the same table, with its own connection.
  private let make: () -> DynamoDBClient<Transport, Pace>

  /// A source that reads with these clients.
  init(_ make: @escaping () -> DynamoDBClient<Transport, Pace>) {
    self.make = make
    client = make()
  }

  func forAnotherWorker() -> RevocationTable { RevocationTable(make) }

  mutating func answer(about subject: [UInt8], endMilliseconds: Int64?) -> RevocationAnswer {
    let longest = client.deadline(afterMilliseconds: RevocationItem.maximumMilliseconds)
    let deadline = endMilliseconds.map { min(longest, client.deadline(unixMilliseconds: $0)) } ?? longest
    do throws(DynamoDBError) {
      // A consistent read: the next lookup must see an acknowledged revocation.
      let key = Array(RevocationItem.keyPrefix.utf8) + subject
      guard let item = try client.getItem(key, isConsistent: true, deadline: deadline) else {
        return .notRevoked
      }
      guard let milliseconds = item.number(RevocationItem.attribute) else {
        return .unavailable("an item of the table has no eventMilliseconds")
      }
      return .revoked(eventMilliseconds: milliseconds)
    } catch {
      return .unavailable(error.description)
    }
  }
}

/// The format of a revocation item of the identity function (docs/dynamodb.md).
private enum RevocationItem {
  static let keyPrefix = "revocation#"
  static let attribute = "eventMilliseconds"
  /// The time limit of one lookup in milliseconds. It allows two attempts of the client, so that a connection that
  /// died while the environment was frozen costs time but not the verdict (our own limit).
  static let maximumMilliseconds: Int64 = 3000
}

extension RevocationTable where Transport == ProcessTransport, Pace == SystemPace {
  /// A source for a table of this environment.
  init(
    _ table: TableReference, _ fetch: FetchSettings, isDevelopment: Bool, _ environment: FunctionEnvironment
  ) {
    self.init { DynamoDBClient(table, fetch, isDevelopment: isDevelopment, environment) }
  }
}
