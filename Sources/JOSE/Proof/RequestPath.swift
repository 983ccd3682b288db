import Bytes

/// The path of a request, as an event shows it.
enum RequestPath: Equatable, Sendable {
  /// As the client sent it, in normal form.
  case sent(URLPath)
  /// Percent-decoded once. As it is no path in normal form, it cannot be what the client sent.
  case decoded([UInt8])

  /// Returns `nil` for a path that cannot be compared.
  ///
  /// - Parameter mayBeDecoded: whether API Gateway may have decoded the path. A path that is complete in both readings
  ///   is read as sent.
  init?(_ path: [UInt8], mayBeDecoded: Bool) {
    let sent = URLPath(parsing: path[...])
    // A shorter normal form would decode unreserved characters, which in a decoded path would be the second time.
    if let sent, !mayBeDecoded || sent.text.count == path.count {
      self = .sent(sent)
      return
    }
    guard mayBeDecoded, path.first == .slash, !Self.hasDotSegments(path),
      !Self.hasDotSegments(Self.decoded(path))
    else { return nil }
    self = .decoded(path)
  }

  /// Whether a proof for this URL is for the request.
  func isPath(of url: ResourceURL) -> Bool {
    switch self {
    case .sent(let path): url.path == path
    case .decoded(let path): Self.decoded(url.path.text) == path
    }
  }

  private static func hasDotSegments(_ path: [UInt8]) -> Bool {
    path.split(separator: .slash, omittingEmptySubsequences: false).contains {
      $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
    }
  }

  /// Decodes each complete percent-encoding once.
  private static func decoded(_ path: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(path.count)
    var index = 0
    while index < path.count {
      if path[index] == .percent, index + 2 < path.count, let high = path[index + 1].hexadecimalValue,
        let low = path[index + 2].hexadecimalValue
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(path[index])
        index += 1
      }
    }
    return bytes
  }
}
