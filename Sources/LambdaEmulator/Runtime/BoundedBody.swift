internal import HTTPTypes
package import HummingbirdCore
internal import NIOCore

/// A request body, read up to a limit.
package enum BoundedBody: Equatable {
  case whole([UInt8])
  /// The body exceeds the limit; this many bytes were read.
  case tooLarge(bytes: Int)
  /// The body or its connection ended before the announced length.
  case truncated

  /// Reads a body. Continues past the limit so that the sender gets the error response instead of a connection reset.
  package static func read(_ request: Request, limit: Int) async -> BoundedBody {
    var bytes: [UInt8] = []
    var total = 0
    do {
      for try await part in request.body {
        total += part.readableBytes
        if total > max(limit, RuntimeAPILimits.discardedBytes) { return .tooLarge(bytes: total) }
        if total > limit {
          bytes = []
        } else {
          bytes.append(contentsOf: part.readableBytesView)
        }
      }
    } catch {
      return .truncated
    }
    let announced = request.headers[.contentLength].flatMap { Int($0) }
    if let announced, total < announced { return .truncated }
    return total > limit ? .tooLarge(bytes: total) : .whole(bytes)
  }
}
