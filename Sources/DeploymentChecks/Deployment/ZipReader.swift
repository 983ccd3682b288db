internal import ZipCompression

/// Reads the entries of a ZIP file by its central directory, which is authoritative (APPNOTE sections 4.3.6 and
/// 4.3.12).
struct ZipReader {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// One entry of the central directory.
  struct Entry: Equatable {
    let name: [UInt8]
    let method: Int
    let checksum: UInt32
    let packedSize: Int
    let size: Int
    /// `st_mode` as the archiver wrote it; 0 if it wrote no modes.
    let mode: Int
    var isLink: Bool { mode & ZipReader.typeMask == ZipReader.linkType }
    /// Whether the type matches the name: a regular file, or a folder without contents. Archivers may omit the type.
    func isPlain(asFolder isFolder: Bool) -> Bool {
      let type = mode & ZipReader.typeMask
      return isFolder
        ? size == 0 && [0, ZipReader.folderType].contains(type) : [0, ZipReader.fileType].contains(type)
    }
    let headerOffset: Int
  }

  static let endSignature = 0x0605_4B50
  private static let endBytes = 22
  private static let maximumCommentBytes = 0xFFFF
  static let entrySignature = 0x0201_4B50
  private static let entryBytes = 46
  static let localSignature = 0x0403_4B50
  private static let localBytes = 30
  /// `S_IFLNK`, `S_IFDIR`, `S_IFREG` and `S_IFMT` in the upper half of the external attributes, where Unix archivers
  /// write the mode.
  private static let linkType = 0o120000
  private static let folderType = 0o040000
  private static let fileType = 0o100000
  private static let typeMask = 0o170000

  func directory() throws(DeploymentError) -> [Entry] {
    guard let end = endOffset() else { throw .archive("the end of its directory is missing") }
    let count = try number(end + 10, 2)
    let size = try number(end + 12, 4)
    var offset = try number(end + 16, 4)
    guard try number(end + 4, 2) == 0, try number(end + 6, 2) == 0, try number(end + 8, 2) == count else {
      throw .archive("it has several parts")
    }
    guard count != 0xFFFF, size != 0xFFFF_FFFF, offset != 0xFFFF_FFFF else {
      throw .archive("it is a ZIP64 file, which exceeds Lambda's limits")
    }
    guard offset + size == end else { throw .archive("its directory is at the wrong offset") }
    var entries: [Entry] = []
    for _ in 0..<count {
      guard try number(offset, 4) == Self.entrySignature else { throw .archive("an entry is damaged") }
      let nameLength = try number(offset + 28, 2)
      let more = try number(offset + 30, 2) + number(offset + 32, 2)
      let name = try slice(offset + Self.entryBytes, nameLength)
      let mode = try number(offset + 38, 4) >> 16
      if try number(offset + 8, 2) & 1 == 1 {
        throw .entry(String(decoding: name, as: UTF8.self), "it is encrypted")
      }
      entries.append(
        Entry(
          name: Array(name), method: try number(offset + 10, 2),
          checksum: UInt32(try number(offset + 16, 4)), packedSize: try number(offset + 20, 4),
          size: try number(offset + 24, 4), mode: mode, headerOffset: try number(offset + 42, 4)))
      offset += Self.entryBytes + nameLength + more
    }
    guard offset == end else { throw .archive("its directory has the wrong length") }
    return entries
  }

  func contents(of entry: Entry) throws(DeploymentError) -> [UInt8] {
    let name = String(decoding: entry.name, as: UTF8.self)
    guard try number(entry.headerOffset, 4) == Self.localSignature else {
      throw .entry(name, "it is damaged")
    }
    let nameLength = try number(entry.headerOffset + 26, 2)
    guard Array(try slice(entry.headerOffset + Self.localBytes, nameLength)) == entry.name else {
      throw .entry(name, "its two headers have different names")
    }
    let start = entry.headerOffset + Self.localBytes + nameLength + (try number(entry.headerOffset + 28, 2))
    let packed = try slice(start, entry.packedSize)
    let contents: [UInt8]
    switch entry.method {
    case 0:
      guard entry.packedSize == entry.size else { throw .entry(name, "its size is wrong") }
      contents = Array(packed)
    case 8:
      contents = try Result { () throws(DeflateError) in try Deflate.unpack(packed, size: entry.size) }
        .mapError { DeploymentError.entry(name, "it cannot be unpacked: \($0)") }.get()
    default:
      throw .entry(
        name, "its compression method is \(entry.method); Lambda accepts 0 (stored) and 8 (deflated)")
    }
    guard Deflate.crc32(contents) == entry.checksum else { throw .entry(name, "its checksum is wrong") }
    return contents
  }

  /// Returns the offset of the end record, which is followed only by a comment whose length it contains.
  private func endOffset() -> Int? {
    let last = bytes.count - Self.endBytes
    guard last >= 0 else { return nil }
    for offset in stride(from: last, through: max(0, last - Self.maximumCommentBytes), by: -1) {
      guard bytes[offset] == 0x50, (try? number(offset, 4)) == Self.endSignature,
        let comment = try? number(offset + 20, 2), offset + Self.endBytes + comment == bytes.count
      else { continue }
      return offset
    }
    return nil
  }

  /// Reads a little-endian number.
  private func number(_ offset: Int, _ length: Int) throws(DeploymentError) -> Int {
    try slice(offset, length).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private func slice(_ offset: Int, _ length: Int) throws(DeploymentError) -> ArraySlice<UInt8> {
    guard offset >= 0, length >= 0, offset <= bytes.count, length <= bytes.count - offset else {
      throw .archive("it ends too early")
    }
    return bytes[offset..<offset + length]
  }
}
