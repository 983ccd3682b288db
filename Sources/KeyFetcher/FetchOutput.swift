import Bytes

/// Reads the output of a finished `fetch-keys` (``FetchExitStatus``).
enum FetchOutput {
  static func result(exitCode: Int32, output: [UInt8], diagnosis: [UInt8]) -> KeyFetchResult {
    guard let status = FetchExitStatus(rawValue: exitCode) else { return .failure(.malformedOutput) }
    let reason = self.diagnosis(diagnosis, of: status)
    switch status {
    case .done:
      guard let head = Head(output), head.status == 200, head.body.count <= FetchLimit.bodyBytes else {
        return .failure(.malformedOutput)
      }
      return .success(KeySetResponse(body: Array(head.body), maximumAgeSeconds: head.maximumAgeSeconds))
    case .status:
      return .failure(Head(output).map { .status($0.status) } ?? .malformedOutput)
    case .redirect:
      return .failure(Head(output).map { .redirect(status: $0.status) } ?? .malformedOutput)
    case .nameResolution: return .failure(.nameResolution(reason))
    case .connect: return .failure(.connect(reason))
    case .timeout: return .failure(.timeout(reason))
    case .tls: return .failure(.tls(reason))
    case .tooLarge: return .failure(.tooLarge)
    case .transfer: return .failure(.transfer(reason))
    case .usage: return .failure(.usage(reason))
    case .libraryMissing: return .failure(.libraryMissing(reason))
    case .output: return .failure(.malformedOutput)
    }
  }

  /// The line `STATUS AGE` and the body.
  private struct Head {
    let status: Int
    let maximumAgeSeconds: Int64?
    let body: ArraySlice<UInt8>

    init?(_ output: [UInt8]) {
      guard let end = output.prefix(FetchLimit.statusLineBytes).firstIndex(of: .lineFeed) else { return nil }
      let words = output[..<end].split(separator: .space, omittingEmptySubsequences: false)
      guard words.count == 2, words[0].count == 3, let status = number(words[0]) else { return nil }
      if words[1].elementsEqual("-".utf8) {
        maximumAgeSeconds = nil
      } else {
        guard let seconds = number(words[1]) else { return nil }
        maximumAgeSeconds = seconds
      }
      self.status = Int(status)
      body = output[(end + 1)...]
    }
  }

  /// The first line of standard error without its prefix. Only printable ASCII is used, because the text is logged.
  private static func diagnosis(_ bytes: [UInt8], of status: FetchExitStatus) -> KeyFetchError.Diagnosis {
    let line = bytes.prefix { $0 != .lineFeed }.filter { $0.isPrintable }
    let text = line.after("fetch-keys: \(status.code): ") ?? line[...]
    if let rest = Array(text).after("curl "), let colon = rest.firstIndex(of: .colon),
      let code = number(rest[..<colon])
    {
      let words = rest[colon...].dropFirst().drop { $0 == .space }
      return KeyFetchError.Diagnosis(curlCode: Int(code), text: String(decoding: words, as: UTF8.self))
    }
    return KeyFetchError.Diagnosis(curlCode: 0, text: String(decoding: text, as: UTF8.self))
  }

  /// Parses one to ten decimal digits.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard !digits.isEmpty, digits.count <= 10, digits.allSatisfy({ $0.isDecimalDigit }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8.digitZero) }
  }
}
