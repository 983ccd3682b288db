import Bytes
import DynamoDB
import FunctionHost
import IssuerKeys

/// Used proofs as items `dpop#<fingerprint>` of DynamoDB tables, one client for each table.
struct ProofTables<Transport: DynamoDBTransport, Pace: DynamoDBPace>: ProofMemory {
  private var clients: [(table: TableReference, client: DynamoDBClient<Transport, Pace>)] = []
  /// Makes another client of a table, with its own connection.
  private let make: (TableReference) -> DynamoDBClient<Transport, Pace>

  /// A memory that writes with these clients.
  init(_ make: @escaping (TableReference) -> DynamoDBClient<Transport, Pace>) { self.make = make }

  func forAnotherWorker() -> ProofTables { ProofTables(make) }

  mutating func remember(_ use: ProofUse, endMilliseconds: Int64?) -> ProofMemoryAnswer {
    let index = clients.firstIndex { $0.table == use.table } ?? clients.endIndex
    if index == clients.endIndex { clients.append((use.table, make(use.table))) }
    let mark = clients[index].client.freshName()
    let longest = clients[index].client.deadline(afterMilliseconds: ProofItem.maximumMilliseconds)
    let deadline =
      endMilliseconds.map { min(longest, clients[index].client.deadline(unixMilliseconds: $0)) } ?? longest
    do throws(DynamoDBError) {
      try clients[index].client.write(ProofItem.put(use, mark: mark), deadline: deadline)
      return .first
    } catch {
      return error == .conditionFailed ? .repeated : .unavailable(error.description)
    }
  }
}

/// The item of a used proof (docs/dynamodb.md).
private enum ProofItem {
  static let keyPrefix = "dpop#"
  /// The time limit of one write in milliseconds. It allows two attempts of the client, as for a revocation lookup
  /// (our own limit).
  static let maximumMilliseconds: Int64 = 3000

  /// Puts the item if there is none. The mark makes a second attempt of the same call succeed if the answer to the
  /// first one was lost. An expired item that DynamoDB has not deleted yet counts as present: no proof is valid for that
  /// long.
  static func put(_ use: ProofUse, mark: [UInt8]) -> ItemWrite {
    var item = Item.key(Array(keyPrefix.utf8) + use.fingerprint.hexadecimal)
    item.set("mark", .string(mark))
    item.set("expires", .number(use.expiresAt))
    var values = Item()
    values.set(":mark", .string(mark))
    return .put(item, if: "attribute_not_exists(pk) OR mark = :mark", values: values)
  }
}

extension ProofTables where Transport == ProcessTransport, Pace == SystemPace {
  /// A memory in the tables of this environment. The first write to a table starts the process that connects to it.
  init(_ fetch: FetchSettings, isDevelopment: Bool, _ environment: FunctionEnvironment) {
    self.init { DynamoDBClient($0, fetch, isDevelopment: isDevelopment, environment) }
  }
}
