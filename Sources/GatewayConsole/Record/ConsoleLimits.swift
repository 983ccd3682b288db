internal import GatewayEmulator

/// The bounds of what the console keeps and sends. All are our own choices.
enum ConsoleLimits {
  /// The decisions that are kept; the oldest is removed first.
  static let decisions = 500
  /// The bytes of all kept decisions together, by ``RecordedDecision/bytes``; the oldest is removed first.
  static let bytes = 32 << 20
  /// The longest body of a request that is kept for a replay, in bytes: the longest that is searched for credentials.
  static let requestBodyBytes = RequestCredentials.bodyBytes
  /// The longest body of a response that is kept, in bytes. A longer one is not cut: half a token could be left.
  static let responseBodyBytes = RequestCredentials.bodyBytes
  /// The longest event and the longest answer of an authorizer that are kept, in bytes each.
  static let eventBytes = RequestCredentials.answerBytes
  /// The longest head of a request (path, query, headers) that is kept, in bytes: more than API Gateway accepts.
  static let headBytes = 64 << 10
  /// The decisions of one answer to `GET /dev/decisions`, unless `limit` asks for others; and the most.
  static let page = (standard: 100, maximum: 500)
  /// The bytes of the kept decisions of one answer with whole decisions, by ``RecordedDecision/bytes``; the answer itself
  /// is some times as long.
  static let pageBytes = 4 << 20
  /// The streams that are open at the same time.
  static let streams = 8
  /// The decisions that wait for the reader of a stream. A reader that is further behind is disconnected.
  static let waitingDecisions = 256
  /// The milliseconds between two comment lines of a stream, which show that it is alive.
  static let beatMilliseconds = 15_000
  /// The users and the cells of a matrix.
  static let matrix = (users: 24, cells: 1_000)
  /// The milliseconds after which a matrix ends with the rows that it has: less than the page waits.
  static let matrixMilliseconds = 30_000
  /// The cached answers, the keys of one set and the revocations in a list.
  static let listed = 500
  /// The longest body of a request to the console, in bytes.
  static let orderBytes = 1 << 20
}
