import Foundation
import Testing
import TestSupport

@testable import FunctionHost

@Suite("LogSink", .hangLimit)
struct LogSinkTests {
  /// A pipe that is closed after the test.
  final class Pipe {
    private(set) var ends: [Int32] = [0, 0]

    init(blocks: Bool = true) {
      // A missing reader must be a write error, not a signal.
      signal(SIGPIPE, SIG_IGN)
      _ = unsafe pipe(&ends)
      for end in ends {
        _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | (blocks && end == ends[1] ? 0 : O_NONBLOCK))
      }
    }

    deinit {
      closeReader()
      close(ends[1])
    }

    func closeReader() {
      if ends[0] >= 0 { close(ends[0]) }
      ends[0] = -1
    }

    /// Reads what is in the pipe, after waiting for at least this many bytes.
    func read(atLeast least: Int = 0) -> [UInt8] {
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let count = unsafe Foundation.read(ends[0], &chunk, chunk.count)
        guard count > 0 || bytes.count < least else { return bytes }
        if count > 0 {
          bytes += chunk[..<count]
        } else {
          var waiting = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
          _ = unsafe poll(&waiting, 1, -1)
        }
      }
    }
  }

  /// 2026-11-21T10:00:00Z.
  static let milliseconds: Int64 = 1_795_255_200_000

  @Test("lines to standard output end with a line feed")
  func lines() {
    let pipe = Pipe()
    var sink = LogSink(descriptor: pipe.ends[1], isFramed: false)
    sink.append(Array("one".utf8), .info, .json, unixMilliseconds: Self.milliseconds)
    sink.append(Array("two".utf8), .error, .text, unixMilliseconds: Self.milliseconds)
    #expect(pipe.read() == [])
    sink.flush()
    #expect(pipe.read() == Array("one\ntwo\n".utf8))
    sink.flush()
    #expect(pipe.read() == [])
  }

  /// Time 1,795,255,200,000,000 µs in eight bytes.
  static let time: [UInt8] = [0x00, 0x06, 0x60, 0xC6, 0x6C, 0x7A, 0x28, 0x00]

  static let frames: [(level: LogLevel, format: LogFormat, type: [UInt8])] = [
    (.trace, .json, [0xA5, 0x5A, 0x00, 0x06]), (.debug, .json, [0xA5, 0x5A, 0x00, 0x0A]),
    (.info, .json, [0xA5, 0x5A, 0x00, 0x0E]), (.warn, .json, [0xA5, 0x5A, 0x00, 0x12]),
    (.error, .json, [0xA5, 0x5A, 0x00, 0x16]), (.fatal, .json, [0xA5, 0x5A, 0x00, 0x1A]),
    (.trace, .text, [0xA5, 0x5A, 0x00, 0x07]), (.info, .text, [0xA5, 0x5A, 0x00, 0x0F]),
    (.fatal, .text, [0xA5, 0x5A, 0x00, 0x1B]),
  ]

  @Test("a frame has type, level, length and time before the line, and no line feed", arguments: frames)
  func frame(level: LogLevel, format: LogFormat, type: [UInt8]) {
    let pipe = Pipe()
    var sink = LogSink(descriptor: pipe.ends[1], isFramed: true)
    let line = [UInt8](repeating: 0x61, count: 300)
    sink.append(line, level, format, unixMilliseconds: Self.milliseconds)
    sink.append([], level, format, unixMilliseconds: Self.milliseconds)
    sink.flush()
    #expect(pipe.read() == type + [0, 0, 1, 0x2C] + Self.time + line + type + [0, 0, 0, 0] + Self.time)
  }

  /// The number of waits of this thread so far (proc(5)); nil if the system does not provide it.
  private static func waits() -> Int? {
    let status = try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
    return line?.split(separator: "\t").last.flatMap { Int($0) }
  }

  @Test("a full nonblocking descriptor drops lines after a short wait and never splits a line")
  func full() {
    let pipe = Pipe(blocks: false)
    var sink = LogSink(descriptor: pipe.ends[1], isFramed: false)
    let line = [UInt8](repeating: 0x61, count: 999)
    let before = Self.waits()
    for _ in 0..<500 {
      sink.append(line, .info, .json, unixMilliseconds: 0)
      sink.flush()
    }
    // It waits once, not 400 times.
    if let before, let after = Self.waits() { #expect(after - before < 100 * LogSink.waits) }
    var bytes = pipe.read()
    sink.flush()
    bytes += pipe.read()
    sink.append(line, .info, .json, unixMilliseconds: 0)
    sink.flush()
    bytes += pipe.read()
    let lines = bytes.split(separator: 0x0A)
    #expect(lines.allSatisfy { $0.elementsEqual(line) })
    #expect(bytes.last == 0x0A)
    #expect(lines.count > 64)
    #expect(lines.count < 200)
  }

  @Test("a partial write is continued")
  func partial() {
    let pipe = Pipe()
    let descriptor = pipe.ends[1]
    let line = [UInt8](repeating: 0x62, count: 60_000)
    // More than a pipe holds, in two rounds: the second blocks until there is a read.
    let writer = Thread {
      var sink = LogSink(descriptor: descriptor, isFramed: false)
      for _ in 0..<3 {
        sink.append(line, .info, .json, unixMilliseconds: 0)
        sink.flush()
      }
    }
    writer.start()
    let bytes = pipe.read(atLeast: 180_003)
    #expect(bytes.split(separator: 0x0A).map(\.count) == [60_000, 60_000, 60_000])
  }

  @Test("without a reader or an open descriptor only lines are lost")
  func closed() {
    let pipe = Pipe()
    var sink = LogSink(descriptor: pipe.ends[1], isFramed: false)
    pipe.closeReader()
    var none = LogSink(descriptor: 1_000_000, isFramed: true)
    for _ in 0..<1000 {
      sink.append([0x61], .info, .json, unixMilliseconds: 0)
      sink.flush()
      none.append([0x61], .info, .json, unixMilliseconds: 0)
      none.flush()
    }
    var full = LogSink(descriptor: -1, isFramed: false)
    full.append([UInt8](repeating: 0, count: LogSink.bufferedBytes), .info, .json, unixMilliseconds: 0)
    full.flush()
    #expect(FunctionEnvironment.write([1], from: 0, to: -1) == .failed)
  }
}
