import DynamoDB

/// The revocations in the identity function's table: items `revocation#<sub>` with `eventMilliseconds`.
///
/// The process that speaks to DynamoDB is started by the first question, not at the start of the function.
struct RevocationTable<Transport: DynamoDBTransport, Pace: DynamoDBPace>: RevocationSource {
  private var client: DynamoDBClient<Transport, Pace>
  /// Another client of the same table, with a connection of its own.
  private let make: () -> DynamoDBClient<Transport, Pace>

  /// The table that these clients read.
  init(_ make: @escaping () -> DynamoDBClient<Transport, Pace>) {
    self.make = make
    client = make()
  }

  func forAnotherWorker() -> RevocationTable { RevocationTable(make) }

  mutating func answer(about subject: [UInt8], endMilliseconds: Int64?) -> RevocationAnswer {
    let longest = client.deadline(afterMilliseconds: RevocationItem.maximumMilliseconds)
    let deadline = endMilliseconds.map { min(longest, client.deadline(unixMilliseconds: $0)) } ?? longest
    do throws(DynamoDBError) {
      // Consistent: a revocation that was acknowledged must be seen by the next question.
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

/// How the identity function writes a revocation down (docs/dynamodb.md).
private enum RevocationItem {
  static let keyPrefix = "revocation#"
  static let attribute = "eventMilliseconds"
  /// How long one question may take, in milliseconds: two attempts of the client's, so that a connection that died while
  /// the environment was frozen costs time and no verdict (our own limit).
  static let maximumMilliseconds: Int64 = 3000
}

extension RevocationTable where Transport == ProcessTransport, Pace == SystemPace {
  /// The table of this name, in the function's own region where none is given.
  init(_ table: String, region: String?, _ settings: Settings, _ environment: FunctionEnvironment) {
    let fetch = settings.fetch
    let isDevelopment = settings.isDevelopment
    self.init {
      let transport = ProcessTransport(
        executable: ProcessTransport.executable(beside: environment.executablePath),
        allowsLoopbackHTTP: isDevelopment,
        certificateFile: fetch.certificateAuthorities.map { environment.path($0) }, proxy: fetch.proxy,
        variable: { name in
          let isRegion = name.utf8.elementsEqual("AWS_REGION".utf8)
          return isRegion ? region ?? environment.variable(name) : environment.variable(name)
        })
      return DynamoDBClient(table: table, transport: transport, pace: SystemPace())
    }
  }
}
