internal import Bytes
internal import Foundation

/// Reads the lines of a stream, in bounded memory for lines of any length.
struct LineReader {
  /// One line, without its line break.
  enum Line: Equatable {
    case text([UInt8])
    /// A line longer than the limit; its bytes are discarded.
    case tooLong
  }

  private let handle: FileHandle
  /// Files are read in blocks. Pipes and terminals are read as far as data is available, so that each line is
  /// answered without delay.
  private let isFile: Bool
  private let limit: Int
  private var block: [UInt8] = []
  private var place = 0
  private var line: [UInt8] = []
  private var isTooLong = false
  private var hasBytes = false

  private static let blockBytes = 64 << 10

  /// - Parameters:
  ///   - handle: an open file, pipe or terminal.
  ///   - limit: maximum number of bytes in a line.
  init(_ handle: FileHandle, limit: Int) {
    self.handle = handle
    isFile = (try? handle.offset()) != nil
    self.limit = limit
  }

  /// Returns the next line; the last one needs no line break.
  ///
  /// - Parameter wait: called before each wait for more input.
  /// - Throws: `CommandFailure` if the stream cannot be read.
  mutating func next(beforeWaiting wait: () -> Void) throws(CommandFailure) -> Line? {
    while true {
      if place == block.count {
        wait()
        guard try fill() else { return hasBytes ? take() : nil }
      }
      hasBytes = true
      let end = block[place...].firstIndex(of: .lineFeed)
      append(block[place..<(end ?? block.count)])
      place = end.map { $0 + 1 } ?? block.count
      if end != nil { return take() }
    }
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) {
    // One byte more than the limit, for the carriage return after a line of maximum length.
    isTooLong = isTooLong || line.count + bytes.count > limit + 1
    if isTooLong { line.removeAll() } else { line += bytes }
  }

  private mutating func take() -> Line {
    defer { (line, isTooLong, hasBytes) = ([], false, false) }
    if line.last == .carriageReturn { line.removeLast() }
    return isTooLong || line.count > limit ? .tooLong : .text(line)
  }

  private mutating func fill() throws(CommandFailure) -> Bool {
    do {
      block = Array(isFile ? try handle.read(upToCount: Self.blockBytes) ?? Data() : handle.availableData)
    } catch {
      throw CommandFailure(.usage, "cannot read the tokens")
    }
    place = 0
    return !block.isEmpty
  }
}

/// Buffers lines for standard output until the buffer is flushed.
struct LineOutput {
  private let terminal: Terminal
  /// Whether standard output is still open.
  private(set) var isRead = true
  private var bytes: [UInt8] = []

  private static let maximumBytes = 64 << 10

  init(_ terminal: Terminal) { self.terminal = terminal }

  mutating func add(_ line: String) {
    bytes += Array(line.utf8) + [0x0A]
    if bytes.count >= Self.maximumBytes { flush() }
  }

  mutating func flush() {
    guard isRead, !bytes.isEmpty else { return }
    do {
      try terminal.output.write(bytes)
    } catch {
      isRead = false
    }
    bytes.removeAll(keepingCapacity: true)
  }
}
