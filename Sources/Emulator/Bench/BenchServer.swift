#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The Runtime API for one function: blocking sockets in the caller's thread, answers that were made before.
///
/// It costs one poll, one read and one write a request, so that what is measured is the function.
final class BenchServer {
  let port: UInt16
  /// The listener first, then the connections.
  private var entries: [pollfd]
  /// One for each connection, in the same order.
  private var readers: [BenchRequestReader] = []
  private var inbox = [UInt8](repeating: 0, count: 256 << 10)
  /// Which connection the last request came on.
  private var current = 0

  /// A whole request and the moment in which its last byte had been read.
  struct Arrival {
    let request: BenchRequest
    let nanoseconds: UInt64
  }

  /// Milliseconds after which a wait looks whether the function still runs.
  private static let patienceMilliseconds: Int32 = 50

  init() throws(SystemError) {
    let (descriptor, port) = try BenchSystemCalls.listen()
    self.port = port
    entries = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
  }

  deinit {
    for entry in entries { SystemCalls.close(entry.fd) }
  }

  /// Waits for the next request on any connection.
  ///
  /// - Parameter onPause: called whenever nothing comes for a while; what it throws ends the wait.
  func nextRequest(onPause: () throws(BenchFault) -> Void) throws(BenchFault) -> Arrival {
    while true {
      BenchSystemCalls.poll(&entries, milliseconds: Self.patienceMilliseconds)
      var isIdle = true
      var index = entries.count - 1
      while index > 0 {
        if entries[index].revents != 0 {
          isIdle = false
          if let arrival = try receive(index) { return arrival }
        }
        index -= 1
      }
      if entries[0].revents != 0 {
        isIdle = false
        accept()
      }
      if isIdle { try onPause() }
    }
  }

  /// Answers the request that came last.
  ///
  /// - Returns: the moment before the answer was written.
  func answer(_ bytes: [UInt8]) -> UInt64 {
    let started = BenchSystemCalls.nanoseconds()
    // A function that has gone is found out by the wait for its next request.
    _ = current < entries.count && BenchSystemCalls.send(bytes, to: entries[current].fd)
    return started
  }

  private func accept() {
    guard let descriptor = BenchSystemCalls.accept(from: entries[0].fd) else { return }
    entries.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    readers.append(BenchRequestReader())
  }

  private func receive(_ index: Int) throws(BenchFault) -> Arrival? {
    let count = BenchSystemCalls.receive(entries[index].fd, into: &inbox)
    let now = BenchSystemCalls.nanoseconds()
    guard count > 0 else {
      SystemCalls.close(entries[index].fd)
      entries.remove(at: index)
      readers.remove(at: index - 1)
      return nil
    }
    readers[index - 1].append(inbox[..<count])
    let descriptor = entries[index].fd
    do throws(BenchRequestError) {
      let request = try readers[index - 1].next {
        _ = BenchSystemCalls.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: descriptor)
      }
      guard let request else { return nil }
      guard readers[index - 1].isEmpty else { throw .requestLine }
      current = index
      return Arrival(request: request, nanoseconds: now)
    } catch {
      throw .protocolViolation(error.description)
    }
  }
}
