import POSIX

/// Sends requests to DynamoDB. It has the endpoint and the credentials, and signs requests; tests use a scripted one.
package protocol DynamoDBTransport {
  /// Sends one request once; returns about when its timeout ends at the latest.
  mutating func send(_ call: DynamoDBCall) -> Result<DynamoDBAnswer, CallFailure>
}

/// One request to DynamoDB's low-level API.
package struct DynamoDBCall: Equatable, Sendable {
  /// The operation, such as `GetItem`.
  package let operation: String
  /// Its parameters, a JSON object.
  package let body: [UInt8]
  /// The timeout for name lookup, connection and TLS handshake, in milliseconds.
  package let connectMilliseconds: Int64
  /// The timeout for the whole call, in milliseconds.
  package let totalMilliseconds: Int64

  /// Creates a request.
  package init(operation: String, body: [UInt8], connectMilliseconds: Int64, totalMilliseconds: Int64) {
    self.operation = operation
    self.body = body
    self.connectMilliseconds = connectMilliseconds
    self.totalMilliseconds = totalMilliseconds
  }
}

/// The HTTP response of DynamoDB, or of a proxy or server in its place.
package struct DynamoDBAnswer: Equatable, Sendable {
  package let status: Int
  /// The unparsed body.
  package let body: [UInt8]

  package init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}

/// Why there is no answer. It is unknown whether DynamoDB performed the call.
package struct CallFailure: Error, Equatable, Sendable {
  package let kind: Kind
  /// One line of printable ASCII for an operator, without data from the request, the answer or the credentials. May
  /// be empty.
  package let text: String

  package init(_ kind: Kind, _ text: String = "") {
    self.kind = kind
    self.text = text
  }

  package enum Kind: Equatable, Sendable {
    /// The name of the endpoint or the proxy was not resolved.
    case nameResolution
    /// No connection was made.
    case connect
    /// The request timed out.
    case timeout
    /// TLS failed: an untrusted, expired or wrong certificate, or no version from 1.2 on.
    case tls
    /// The answer exceeds 1 MiB.
    case tooLarge
    /// The answer is not HTTP, or is incomplete.
    case transfer
    /// `call-dynamodb` found no usable libcurl.
    case libraryMissing
    /// The environment has no region or credentials, or an invalid endpoint.
    case configuration
    /// `call-dynamodb` is missing or could not be started.
    case executable
    /// `call-dynamodb` ended, or sent an answer of another version.
    case process

    /// The stable name of the failure, for logs and tests.
    package var code: String {
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

    /// Whether a retry may succeed.
    var isTransient: Bool {
      switch self {
      case .nameResolution, .connect, .timeout, .tls, .transfer, .process: true
      case .tooLarge, .libraryMissing, .configuration, .executable: false
      }
    }
  }
}

/// Clocks and randomness, which tests replace.
package protocol DynamoDBPace {
  /// Milliseconds of a monotonic clock.
  var monotonicMilliseconds: Int64 { get }
  /// Milliseconds since 1970-01-01 UTC.
  var unixMilliseconds: Int64 { get }
  /// Waits for this many milliseconds.
  mutating func pause(milliseconds: Int64)
  mutating func randomBits() -> UInt64
}

/// The machine's clocks and random numbers.
package struct SystemPace: DynamoDBPace {
  private var generator = SystemRandomNumberGenerator()

  /// Creates a pace of this machine.
  package init() {}

  /// CLOCK_MONOTONIC (clock_gettime(2)).
  package var monotonicMilliseconds: Int64 { SystemCalls.monotonicMilliseconds }

  /// CLOCK_REALTIME.
  package var unixMilliseconds: Int64 { SystemCalls.unixMilliseconds }

  /// poll(2) on nothing.
  package mutating func pause(milliseconds: Int64) { SystemCalls.pause(milliseconds: milliseconds) }

  /// The system's generator.
  package mutating func randomBits() -> UInt64 { generator.next() }
}
