import KeyFetcher
import LibcurlTransfer

/// What a server has sent, up to the limits.
struct Answer: AnswerReceiver {
  /// Why no more was taken; nil where all was.
  enum End: Equatable {
    case tooLarge
    /// The status is not 200, so the body is of no use.
    case status
  }

  /// Of the last status line; 0 before one came that can be read.
  private(set) var status = 0
  private(set) var body: [UInt8] = []
  private(set) var end: End?
  private var freshness = Freshness()
  private var headBytes = 0
  private var isInHead = false

  var maximumAgeSeconds: Int64? { freshness.seconds }

  /// Whether a final status came that is not 200: then nothing that follows it matters.
  var isRefusal: Bool { status > 200 }

  /// Takes one line of a head; false where no more is wanted. A second status line follows an interim answer (RFC 9110
  /// §15.2): what the first said does not count. Lines after the body are trailers, which do not count either.
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
    } else if line.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) {
      isInHead = false
    } else if isInHead {
      freshness.read(line: line)
    }
    return true
  }

  /// The three digits after the version (RFC 9112 §4); 0 for anything else.
  private static func status(in line: [UInt8]) -> Int {
    let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
    guard digits.count == 3, digits.allSatisfy({ $0.isDecimalDigit }) else { return 0 }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Takes the next piece of the body; false where no more is wanted.
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
