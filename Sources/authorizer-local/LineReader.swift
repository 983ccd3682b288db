internal import Foundation

/// The lines of a stream, in bounded memory however long a line is.
struct LineReader {
  /// One line, without its end.
  enum Line: Equatable {
    case text([UInt8])
    /// A line of more bytes than the limit; none of it is kept.
    case tooLong
  }

  private let handle: FileHandle
  /// A file is read in blocks; of a pipe or a terminal we take what is there, so that each line is answered at once.
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
  ///   - limit: the most bytes of a line.
  init(_ handle: FileHandle, limit: Int) {
    self.handle = handle
    isFile = (try? handle.offset()) != nil
    self.limit = limit
  }

  /// The next line; the last one needs no end.
  ///
  /// - Parameter wait: called each time before more input is awaited.
  /// - Throws: `CommandFailure` where the stream cannot be read.
  mutating func next(beforeWaiting wait: () -> Void) throws(CommandFailure) -> Line? {
    while true {
      if place == block.count {
        wait()
        guard try fill() else { return hasBytes ? take() : nil }
      }
      hasBytes = true
      let end = block[place...].firstIndex(of: 0x0A)
      append(block[place..<(end ?? block.count)])
      place = end.map { $0 + 1 } ?? block.count
      if end != nil { return take() }
    }
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) {
    // One more for the carriage return of a line that is just long enough.
    isTooLong = isTooLong || line.count + bytes.count > limit + 1
    if isTooLong { line.removeAll() } else { line += bytes }
  }

  private mutating func take() -> Line {
    defer { (line, isTooLong, hasBytes) = ([], false, false) }
    if line.last == 0x0D { line.removeLast() }
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

/// Lines on their way to standard output, gathered until somebody waits for them.
struct LineOutput {
  /// Whether anybody still reads them.
  private(set) var isRead = true
  private var bytes: [UInt8] = []

  private static let maximumBytes = 64 << 10

  mutating func add(_ line: String) {
    bytes += Array(line.utf8) + [0x0A]
    if bytes.count >= Self.maximumBytes { flush() }
  }

  mutating func flush() {
    guard isRead, !bytes.isEmpty else { return }
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(bytes))
    } catch {
      isRead = false
    }
    bytes.removeAll(keepingCapacity: true)
  }
}
