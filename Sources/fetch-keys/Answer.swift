import Bytes
import KeyFetcher
import LibcurlTransfer

/// The answer of a server, up to the limits.
struct Answer: AnswerReceiver {
  /// The reason why the transfer was ended early; nil if it was not.
  enum End: Equatable {
    case tooLarge
    /// The status is not 200, so the body is not needed.
    case status
  }

  /// The status of the last status line; 0 before the first valid one.
  private(set) var status = 0
  private(set) var body: [UInt8] = []
  private(set) var end: End?
  private var freshness = Freshness()
  private var headBytes = 0
  private var isInHead = false

  var maximumAgeSeconds: Int64? { freshness.seconds }

  /// Whether the final status is not 200, so that the rest of the answer is ignored.
  var isRefusal: Bool { status > 200 }

  /// Receives one line of a head; false ends the transfer. A second status line follows an interim answer, whose
  /// fields are ignored (RFC 9110 §15.2). Lines after the body are trailers, which are ignored too.
  mutating func take(line: [UInt8]) -> Bool {
    headBytes += line.count
    guard headBytes <= FetchLimit.headBytes else {
      end = .tooLarge
      return false
    }
    if line.after("HTTP/") != nil {
      freshness = Freshness()
      status = Self.status(in: line)
      isInHead = true
    } else if line.allSatisfy({ $0 == .carriageReturn || $0 == .lineFeed }) {
      isInHead = false
    } else if isInHead {
      freshness.read(line: line)
    }
    return true
  }

  /// The three digits after the version (RFC 9112 §4); 0 for anything else.
  private static func status(in line: [UInt8]) -> Int {
    let digits = line.drop { $0 != .space }.dropFirst().prefix(3)
    guard digits.count == 3, digits.allSatisfy({ $0.isDecimalDigit }) else { return 0 }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8.digitZero) }
  }

  /// Receives the next piece of the body; false ends the transfer.
  mutating func take(piece: [UInt8]) -> Bool {
    guard status == 200 else {
      end = .status
      return false
    }
    guard body.count + piece.count <= FetchLimit.bodyBytes else {
      end = .tooLarge
      return false
    }
    body += piece
    return true
  }
}
