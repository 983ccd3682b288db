import Foundation
import TestSupport

/// Concurrent requests to a server on this machine. No answer is read before every connection is open and every
/// request is sent.
struct ConcurrentClients: ~Copyable {
  private var members: [Member] = []

  private struct Member {
    let descriptor: Int32
    let request: [UInt8]
    var answer: [UInt8] = []
    var isSent = false
    var hasEnded = false
  }

  struct Failed: Error { let reason: String }

  private static let turn = NSLock()

  /// Raises the limit of open files to this number, for this process and those that it starts later. Returns whether
  /// the system allows it.
  static func raisesFileLimit(to count: Int) -> Bool {
    #if canImport(Glibc)
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let files = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard unsafe getrlimit(files, &limit) == 0 else { return false }
    if limit.rlim_cur >= rlim_t(count) { return true }
    limit.rlim_cur = rlim_t(count)
    return unsafe setrlimit(files, &limit) == 0
  }

  /// Sends each request over its own connection, and returns the answers, each read to the end of the connection.
  ///
  /// Uses a separate thread, because it blocks. Others wait meanwhile: with more than some 1,350 open descriptors,
  /// Foundation's `Process.run` reads past the buffer of readdir(3) when it lists /proc/self/fd.
  static func answers(to requests: [String], port: Int) async throws -> [String] {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            turn.lock()
            defer { turn.unlock() }
            var clients = ConcurrentClients()
            try clients.connect(requests, port: port)
            try clients.advance(until: \.isSent, waitingFor: POLLOUT) { try Self.send(&$0) }
            try clients.advance(until: \.hasEnded, waitingFor: POLLIN) { try Self.read(&$0) }
            return clients.members.map { String(decoding: $0.answer, as: UTF8.self) }
          })
      }
    }
  }

  deinit { for member in members { close(member.descriptor) } }

  private mutating func connect(_ requests: [String], port: Int) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    for request in requests {
      #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
      #endif
      guard descriptor >= 0 else { throw Failed(reason: "socket: \(errno)") }
      members.append(Member(descriptor: descriptor, request: Array(request.utf8)))
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      let result = unsafe withUnsafePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard result == 0 || errno == EINPROGRESS else { throw Failed(reason: "connect: \(errno)") }
    }
  }

  /// Performs a step with each ready connection, until all connections are done.
  private mutating func advance(
    until isDone: KeyPath<Member, Bool>, waitingFor event: Int32, _ step: (inout Member) throws -> Void
  ) throws {
    let end = HangLimit.date
    while true {
      let waiting = members.indices.filter { !members[$0][keyPath: isDone] }
      guard !waiting.isEmpty else { return }
      guard Date() < end else { throw Failed(reason: "\(waiting.count) of \(members.count) hang") }
      var watched = waiting.map { pollfd(fd: members[$0].descriptor, events: Int16(event), revents: 0) }
      _ = unsafe poll(&watched, nfds_t(watched.count), 1000)
      for (index, entry) in zip(waiting, watched) where entry.revents != 0 { try step(&members[index]) }
    }
  }

  /// Sends the request. It is small enough for the buffer of a new socket.
  private static func send(_ member: inout Member) throws {
    guard LoopbackConnection(descriptor: member.descriptor).write(member.request) else {
      throw Failed(reason: "send: \(errno)")
    }
    member.isSent = true
  }

  private static func read(_ member: inout Member) throws {
    var piece = [UInt8](repeating: 0, count: 16_384)
    let count = unsafe recv(member.descriptor, &piece, piece.count, 0)
    guard count >= 0 else { throw Failed(reason: "recv: \(errno)") }
    member.answer += piece[..<count]
    member.hasEnded = count == 0
  }
}
