internal import LambdaEmulator
internal import POSIX

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The Runtime API for one function, with blocking sockets in the caller's thread and precomputed responses.
///
/// A request costs one poll, one read and one write, so that the function dominates the figures.
final class BenchServer {
  let port: UInt16
  /// The listener first, then the connections.
  private var entries: [pollfd]
  /// One reader for each connection, in the same order.
  private var readers: [BenchRequestReader] = []
  private var inbox = [UInt8](repeating: 0, count: 256 << 10)
  /// The index of the last request's connection.
  private var current = 0

  /// A complete request and the time at which its last byte was read.
  struct Arrival {
    let request: BenchRequest
    let nanoseconds: UInt64
  }

  /// The milliseconds after which a wait checks whether the function still runs.
  private static let timeoutMilliseconds: Int32 = 50

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
  /// - Parameter onPause: called whenever no request comes for a while; an error that it throws ends the wait.
  func nextRequest(onPause: () throws(BenchFault) -> Void) throws(BenchFault) -> Arrival {
    while true {
      BenchSystemCalls.poll(&entries, milliseconds: Self.timeoutMilliseconds)
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

  /// Answers the last request.
  ///
  /// - Returns: the time before the answer was written.
  func answer(_ bytes: [UInt8]) -> UInt64 {
    let started = BenchSystemCalls.nanoseconds()
    // The wait for the next request detects a function that has ended.
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
    let request = try readers[index - 1].next {
      _ = BenchSystemCalls.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: descriptor)
    }
    guard let request else { return nil }
    guard readers[index - 1].isEmpty else { throw BenchRequestReader.noRequestLine }
    current = index
    return Arrival(request: request, nanoseconds: now)
  }
}
