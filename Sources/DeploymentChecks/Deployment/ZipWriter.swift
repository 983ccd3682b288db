internal import ZipCompression

/// Writes a reproducible ZIP file: it depends only on names, contents, modes and the version of zlib.
struct ZipWriter {
  private var bytes: [UInt8] = []
  private var directory: [UInt8] = []
  private var count = 0

  /// 1980-01-01 00:00:00, the earliest time of the format (APPNOTE 4.4.6).
  private static let time = 0
  private static let date = 1 << 5 | 1
  /// 2.0: folders and DEFLATE (4.4.3).
  private static let versionNeeded = 20
  /// Made on Unix, so that unpackers apply the modes, by version 3.0 (4.4.2).
  private static let madeBy = 3 << 8 | 30
  /// A regular file (`S_IFREG`).
  private static let regularFile = 0o100000
  /// Names are UTF-8 (4.4.4).
  private static let flags = 1 << 11

  static func archive(of files: [DeploymentPackage.File]) -> [UInt8] {
    var writer = ZipWriter()
    for file in files.sorted(by: { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
      writer.add(file)
    }
    return writer.finished()
  }

  private mutating func add(_ file: DeploymentPackage.File) {
    let offset = bytes.count
    let packed = Deflate.pack(file.bytes)
    let contents = packed ?? file.bytes
    let name = Array(file.path.utf8)
    var head: [UInt8] = []
    head.append(Self.versionNeeded, bytes: 2)
    head.append(Self.flags, bytes: 2)
    head.append(packed == nil ? 0 : 8, bytes: 2)
    head.append(Self.time, bytes: 2)
    head.append(Self.date, bytes: 2)
    head.append(Int(Deflate.crc32(file.bytes)), bytes: 4)
    head.append(contents.count, bytes: 4)
    head.append(file.bytes.count, bytes: 4)
    head.append(name.count, bytes: 2)
    head.append(0, bytes: 2)
    bytes.append(ZipReader.localSignature, bytes: 4)
    bytes += head + name + contents
    directory.append(ZipReader.entrySignature, bytes: 4)
    directory.append(Self.madeBy, bytes: 2)
    directory += head
    // No comment, disk 0, no internal attributes.
    directory.append(0, bytes: 6)
    directory.append((Self.regularFile | file.permissions) << 16, bytes: 4)
    directory.append(offset, bytes: 4)
    directory += name
    count += 1
  }

  private mutating func finished() -> [UInt8] {
    let offset = bytes.count
    bytes += directory
    bytes.append(ZipReader.endSignature, bytes: 4)
    bytes.append(0, bytes: 4)
    bytes.append(count, bytes: 2)
    bytes.append(count, bytes: 2)
    bytes.append(directory.count, bytes: 4)
    bytes.append(offset, bytes: 4)
    bytes.append(0, bytes: 2)
    return bytes
  }
}

extension [UInt8] {
  /// Appends a little-endian number.
  fileprivate mutating func append(_ value: Int, bytes count: Int) {
    for byte in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
  }
}
