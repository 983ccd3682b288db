import Foundation
import POSIX
import TestSupport
import Testing

@Suite("SystemCalls", .hangLimit)
struct SystemCallsTests {
  @Test("A pipe carries all bytes, also more than it holds at once")
  func pipe() throws {
    let (readEnd, writeEnd) = try #require(SystemCalls.pipe())
    let sent = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    let writer = Thread {
      #expect(SystemCalls.write(sent, to: writeEnd) == 0)
      SystemCalls.close(writeEnd)
    }
    writer.start()
    #expect(Brief(SystemCalls.read(readEnd, upTo: sent.count + 1) ?? []) == Brief(sent))
    SystemCalls.close(readEnd)
  }

  @Test("Reading stops at the limit")
  func limit() throws {
    let (readEnd, writeEnd) = try #require(SystemCalls.pipe())
    defer { SystemCalls.close(readEnd) }
    #expect(SystemCalls.write(Array("abcdef".utf8), to: writeEnd) == 0)
    SystemCalls.close(writeEnd)
    #expect(SystemCalls.read(readEnd, upTo: 4) == Array("abcd".utf8))
    #expect(SystemCalls.read(readEnd, upTo: 4) == Array("ef".utf8))
    #expect(SystemCalls.read(readEnd, upTo: 4) == [])
  }

  /// One read appends to what is there, never more than the limit, and at most 16 KiB.
  @Test("One read appends at most the limit", arguments: Array(0...40) + [16_383, 16_384, 16_385, 60_000])
  func oneRead(limit: Int) throws {
    let (readEnd, writeEnd) = try #require(SystemCalls.pipe())
    defer { SystemCalls.close(readEnd) }
    let sent = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 128) }
    #expect(SystemCalls.write(sent, to: writeEnd) == 0)
    SystemCalls.close(writeEnd)
    for kept in [[], [1, 2, 3], [UInt8](repeating: 9, count: 100)] as [[UInt8]] {
      var bytes = kept
      bytes.reserveCapacity(kept.count * 2)
      let expected = min(limit, 16_384)
      #expect(SystemCalls.read(readEnd, atMost: limit, appendingTo: &bytes) == expected)
      #expect(bytes.count == kept.count + expected && bytes.starts(with: kept))
    }
  }

  @Test("Reads give the bytes in their order, and leave the array alone at the end and on an error")
  func reads() throws {
    let (readEnd, writeEnd) = try #require(SystemCalls.pipe())
    let sent = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 128) }
    #expect(SystemCalls.write(sent, to: writeEnd) == 0)
    SystemCalls.close(writeEnd)
    var bytes: [UInt8] = []
    for limit in [1, 0, 7, 16_000, 20_000, 1, 20_000] {
      _ = SystemCalls.read(readEnd, atMost: limit, appendingTo: &bytes)
    }
    #expect(Brief(bytes) == Brief(sent))
    #expect(SystemCalls.read(readEnd, atMost: 10, appendingTo: &bytes) == 0)
    SystemCalls.close(readEnd)
    #expect(SystemCalls.read(-1, atMost: 10, appendingTo: &bytes) == -1)
    #expect(Brief(bytes) == Brief(sent))
  }

  @Test("A call on a closed descriptor fails with its errno")
  func closed() throws {
    #expect(SystemCalls.write([1], to: -1) == EBADF)
    #expect(SystemCalls.read(-1, upTo: 1) == nil)
    #expect(SystemCalls.text(ofError: EBADF) == "Bad file descriptor")
  }

  @Test(
    "A child gets its arguments and environment only, and its exit code is read once",
    arguments: [
      ("exit 7", SystemCalls.Ending.exited(7)), ("kill -9 $$", .exited(-1)), ("exit 0", .exited(0)),
    ])
  func child(_ script: String, _ ending: SystemCalls.Ending) throws {
    let (readEnd, writeEnd) = try #require(SystemCalls.pipe())
    let spawned = SystemCalls.spawn(
      arguments: ["/bin/sh", "-c", "echo \"$A $0 ${HOME:-none}\"; \(script)", "name"], environment: ["A=b c"],
      input: -1, output: writeEnd)
    SystemCalls.close(writeEnd)
    #expect(spawned.errorNumber == 0)
    #expect(SystemCalls.read(readEnd, upTo: 100) == Array("b c name none\n".utf8))
    SystemCalls.close(readEnd)
    #expect(SystemCalls.reap(spawned.process, waits: true) == ending)
    #expect(SystemCalls.reap(spawned.process, waits: true) == .lost)
  }

  @Test(
    "A program that cannot start has an errno",
    arguments: [("/nowhere/program", ENOENT, true), ("/", EACCES, true), ("/bin/sh\u{0}x", EINVAL, false)])
  func missing(_ path: String, _ number: Int32, _ isMissing: Bool) {
    let spawned = SystemCalls.spawn(arguments: [path], environment: [], input: -1, output: 1)
    #expect(spawned.errorNumber == number)
    #expect(SystemCalls.isMissingFile(spawned.errorNumber) == isMissing)
  }

  @Test("A killed group ends with its children")
  func group() throws {
    let (readEnd, writeEnd) = try #require(SystemCalls.pipe())
    let spawned = SystemCalls.spawn(
      arguments: ["/bin/sh", "-c", "sleep 1000 & sleep 1000"], environment: ["PATH=/usr/bin:/bin"], input: -1,
      output: writeEnd)
    SystemCalls.close(writeEnd)
    try #require(spawned.errorNumber == 0)
    SystemCalls.killGroup(spawned.process)
    #expect(SystemCalls.reap(spawned.process, waits: true) == .exited(-1))
    // The pipe ends only when no process holds its other end.
    #expect(SystemCalls.read(readEnd, upTo: 1) == [])
    SystemCalls.close(readEnd)
  }

  @Test("Sockets that never block report that they are empty, full or ended")
  func streams() throws {
    let (ours, theirs) = try #require(SystemCalls.streamPair())
    var received: [UInt8] = []
    #expect(SystemCalls.receive(ours, limit: 10, appendingTo: &received) == .wouldBlock)
    #expect(SystemCalls.send([1, 2, 3], from: 1, to: theirs) == .moved(2))
    #expect(SystemCalls.receive(ours, limit: 1, appendingTo: &received) == .moved(1))
    #expect(SystemCalls.receive(ours, limit: 10, appendingTo: &received) == .moved(1))
    #expect(received == [2, 3])
    let much = [UInt8](repeating: 0, count: 1 << 20)
    var transmission = SystemCalls.Transmission.moved(0)
    while case .moved = transmission { transmission = SystemCalls.send(much, from: 0, to: theirs) }
    #expect(transmission == .wouldBlock)
    SystemCalls.close(ours)
    #expect(SystemCalls.send([1], from: 0, to: theirs) == .ended)
    SystemCalls.close(theirs)
  }

  @Test(
    "Only an IPv6 address is parsed as one",
    arguments: [
      ("::1", [UInt8](repeating: 0, count: 15) + [1]), ("1.2.3.4", nil), ("::1%lo", nil), ("[::1]", nil),
      ("", nil),
    ] as [(String, [UInt8]?)])
  func ipv6(_ text: String, _ address: [UInt8]?) {
    #expect(SystemCalls.ipv6Address(text) == address)
  }
}
