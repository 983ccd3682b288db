/// The protocol between `call-dynamodb` and its caller. The caller writes one request to the program's standard input
/// and reads one answer from its standard output, then sends the next. Numbers are unsigned and big-endian.
///
///     request:  version 1, length of the target 1, zero 2, connect ms 4, total ms 4, length of the body 4, target, body
///     answer:   version 1, outcome 1, HTTP status 2, length of the body 4, body
///
/// The body of an answer whose outcome is not ``CallOutcomeCode/answered`` is one line for an operator.
package enum CallFrame {
  /// The version of this protocol. A mismatch means that the two programs are from different builds.
  package static let version: UInt8 = 1
  /// The bytes before a request's target.
  package static let requestHeadBytes = 16
  /// The bytes before an answer's body.
  package static let answerHeadBytes = 8
  /// The prefix of each target: the version of DynamoDB's API.
  package static let targetPrefix = "DynamoDB_20120810."

  /// The bytes of a request.
  package static func request(_ call: DynamoDBCall) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(requestHeadBytes + 64 + call.body.count)
    let target = Array((targetPrefix + call.operation).utf8)
    bytes.append(version)
    bytes.append(UInt8(truncatingIfNeeded: target.count))
    append(0, bytes: 2, to: &bytes)
    append(call.connectMilliseconds, bytes: 4, to: &bytes)
    append(call.totalMilliseconds, bytes: 4, to: &bytes)
    append(Int64(call.body.count), bytes: 4, to: &bytes)
    bytes.append(contentsOf: target)
    bytes.append(contentsOf: call.body)
    return bytes
  }

  /// The fields in the head of a request.
  package struct RequestHead: Equatable {
    package let targetBytes: Int
    package let connectMilliseconds: Int
    package let totalMilliseconds: Int
    package let bodyBytes: Int

    /// `nil` if the head is malformed or exceeds the limits.
    package init?(_ head: [UInt8]) {
      guard head.count == requestHeadBytes, head[0] == version, head[1] > 0, head[2] == 0, head[3] == 0 else {
        return nil
      }
      targetBytes = Int(head[1])
      connectMilliseconds = number(head[4..<8])
      totalMilliseconds = number(head[8..<12])
      bodyBytes = number(head[12..<16])
      // libcurl takes 0 for "no limit" (CURLOPT_TIMEOUT_MS(3)).
      guard (1...CallLimit.milliseconds).contains(connectMilliseconds),
        (1...CallLimit.milliseconds).contains(totalMilliseconds), bodyBytes <= CallLimit.requestBodyBytes
      else { return nil }
    }
  }

  /// The bytes of an answer.
  package static func answer(_ outcome: CallOutcomeCode, status: Int = 0, body: [UInt8]) -> [UInt8] {
    var bytes = [version, outcome.rawValue]
    bytes.reserveCapacity(answerHeadBytes + body.count)
    append(Int64(status), bytes: 2, to: &bytes)
    append(Int64(body.count), bytes: 4, to: &bytes)
    bytes.append(contentsOf: body)
    return bytes
  }

  /// The fields in the head of an answer.
  package struct AnswerHead: Equatable {
    package let outcome: CallOutcomeCode
    package let status: Int
    package let bodyBytes: Int

    /// `nil` if the head is malformed or exceeds the limit.
    package init?(_ head: [UInt8]) {
      guard head.count == answerHeadBytes, head[0] == version,
        let outcome = CallOutcomeCode(rawValue: head[1])
      else { return nil }
      self.outcome = outcome
      status = number(head[2..<4])
      bodyBytes = number(head[4..<8])
      guard bodyBytes <= CallLimit.answerBodyBytes, (outcome == .answered) == (100...999).contains(status)
      else { return nil }
    }
  }

  private static func append(_ number: Int64, bytes count: Int, to bytes: inout [UInt8]) {
    for place in stride(from: (count - 1) * 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> place))
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}

/// The outcome of a call, the second byte of an answer.
package enum CallOutcomeCode: UInt8, CaseIterable, Sendable {
  /// A complete answer came, with any status.
  case answered = 0
  case nameResolution = 1
  case connect = 2
  case timeout = 3
  case tls = 4
  case tooLarge = 5
  case transfer = 6
  case libraryMissing = 7
  case configuration = 8
}

package enum CallLimit {
  /// The maximum bytes of a request's body. An item has at most 400 KB (DynamoDB, "Quotas").
  package static let requestBodyBytes = 512 << 10
  /// The maximum bytes of an answer's body. A page of DynamoDB's has at most 1 MB ("Quotas": Query, Scan).
  package static let answerBodyBytes = 1 << 20
  /// The maximum bytes of an HTTP header section. libcurl allows 300 KiB; DynamoDB sends less than 1 KiB.
  package static let headBytes = 32 << 10
  /// The maximum bytes of the line that explains a failure; libcurl's have at most 256 (CURL_ERROR_SIZE).
  package static let diagnosisBytes = 512
  /// The maximum timeout of a request in milliseconds: 15 minutes, Lambda's longest invocation.
  package static let milliseconds = 900_000
}
