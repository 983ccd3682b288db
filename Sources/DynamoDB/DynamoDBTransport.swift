/// What brings a request to DynamoDB and an answer back. It signs, and knows the endpoint and the credentials; tests pass in
/// a script.
public protocol DynamoDBTransport {
  /// One request, once; returns when it has ended, about when its time is over at the latest.
  mutating func send(_ call: DynamoDBCall) -> Result<DynamoDBAnswer, CallFailure>
}

/// One request to DynamoDB's low-level API.
public struct DynamoDBCall: Equatable, Sendable {
  /// The operation, such as `GetItem`.
  public let operation: String
  /// Its parameters, a JSON object.
  public let body: [UInt8]
  /// The time for a connection with the look-up of the name and the handshake of TLS, in milliseconds.
  public let connectMilliseconds: Int64
  /// The time for everything, in milliseconds.
  public let totalMilliseconds: Int64

  /// A request.
  public init(operation: String, body: [UInt8], connectMilliseconds: Int64, totalMilliseconds: Int64) {
    self.operation = operation
    self.body = body
    self.connectMilliseconds = connectMilliseconds
    self.totalMilliseconds = totalMilliseconds
  }
}

/// What DynamoDB, or something in its place, answered.
public struct DynamoDBAnswer: Equatable, Sendable {
  /// The HTTP status.
  public let status: Int
  /// The body as it came.
  public let body: [UInt8]

  /// An answer.
  public init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}

/// Why there is no answer. Whether DynamoDB did what it was asked to is then not known.
public struct CallFailure: Error, Equatable, Sendable {
  /// What kind of failure.
  public let kind: Kind
  /// One line of printable ASCII for an operator; nothing of the request, the answer or the credentials. May be empty.
  public let text: String

  /// A failure.
  public init(_ kind: Kind, _ text: String = "") {
    self.kind = kind
    self.text = text
  }

  /// The kinds of failures.
  public enum Kind: Equatable, Sendable {
    /// The endpoint, or the proxy, has no address.
    case nameResolution
    /// No connection was made.
    case connect
    /// The request's own time was over.
    case timeout
    /// TLS was refused: an untrusted, expired or foreign certificate, or no version from 1.2 on.
    case tls
    /// The answer has more than 1 MiB.
    case tooLarge
    /// The answer is not HTTP, or broke off.
    case transfer
    /// `call-dynamodb` found no libcurl that it can use.
    case libraryMissing
    /// The environment names no region or no credentials, or an endpoint that is none.
    case configuration
    /// `call-dynamodb` is not where it was looked for, or could not be started.
    case executable
    /// `call-dynamodb` ended, or said what no program of this version says.
    case process

    /// The stable name of the failure, for logs and tests.
    public var code: String {
      switch self {
      case .nameResolution: "storeNameResolution"
      case .connect: "storeConnect"
      case .timeout: "storeTimeout"
      case .tls: "storeTLS"
      case .tooLarge: "storeTooLarge"
      case .transfer: "storeTransfer"
      case .libraryMissing: "storeLibraryMissing"
      case .configuration: "storeConfiguration"
      case .executable: "storeExecutable"
      case .process: "storeProcess"
      }
    }

    /// Whether the same may go well a moment later.
    var isPassing: Bool {
      switch self {
      case .nameResolution, .connect, .timeout, .tls, .transfer, .process: true
      case .tooLarge, .libraryMissing, .configuration, .executable: false
      }
    }
  }
}

/// Time and chance, as arguments: tests hold both.
public protocol DynamoDBPace {
  /// Milliseconds of a clock that nobody sets, since some moment of the past.
  var monotonicMilliseconds: Int64 { get }
  /// Milliseconds since 1970-01-01 UTC.
  var unixMilliseconds: Int64 { get }
  /// Waits for so many milliseconds.
  mutating func pause(milliseconds: Int64)
  /// 64 random bits.
  mutating func randomBits() -> UInt64
}

/// The machine's clocks and its random numbers.
public struct SystemPace: DynamoDBPace {
  private var generator = SystemRandomNumberGenerator()

  /// The machine's.
  public init() {}

  /// CLOCK_MONOTONIC (clock_gettime(2)).
  public var monotonicMilliseconds: Int64 { SystemCalls.monotonicMilliseconds }

  /// CLOCK_REALTIME.
  public var unixMilliseconds: Int64 { SystemCalls.unixMilliseconds }

  /// poll(2) on nothing.
  public mutating func pause(milliseconds: Int64) { SystemCalls.pause(milliseconds: milliseconds) }

  /// The system's generator.
  public mutating func randomBits() -> UInt64 { generator.next() }
}
