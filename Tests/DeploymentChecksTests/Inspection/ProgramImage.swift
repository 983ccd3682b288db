/// An ELF program with the defects that a test needs.
struct ProgramImage {
  var fileClass: UInt8 = 2
  var byteOrder: UInt8 = 1
  var type = 3
  var machine = 62
  var entry = 0x1000
  var interpreter: String? = "/lib64/ld-linux-x86-64.so.2"
  var libraries = ["libc.so.6"]
  var versions: [(library: String, names: [String])] = [("libc.so.6", ["GLIBC_2.2.5", "GLIBC_2.34"])]
  /// `DT_RUNPATH`.
  var searchPath: String?
  var hasSymbolTable = false
  var isDynamic = true
  /// Additional bytes at the end of the segments.
  var text = ""
  var segmentEntryBytes = 56
  var segmentOffsetShift = 0
  var versionCountShift = 0
  /// The difference between the recorded and the real offset of the string table.
  var textsShift = 0

  static let segmentCount = 3
  private static let headerBytes = 64

  var bytes: [UInt8] {
    let start = Self.headerBytes + Self.segmentCount * 56
    var body: [UInt8] = []
    let interpreterOffset = start
    body += Array((interpreter ?? "").utf8) + [0]
    let texts = texts
    let textsOffset = start + body.count
    body += texts.bytes
    let needs = requirements(texts)
    let needsOffset = start + body.count
    body += needs
    let dynamicOffset = start + body.count
    let dynamic = dynamicTable(texts, textsOffset: textsOffset + textsShift, needsOffset: needsOffset)
    body += dynamic
    body += Array(text.utf8)
    let sectionsOffset = start + body.count
    let sections = hasSymbolTable ? [0, 2].flatMap { section($0) } : []
    let end = sectionsOffset + sections.count
    var file: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, fileClass, byteOrder, 1] + [UInt8](repeating: 0, count: 9)
    file += Self.number(type, 2) + Self.number(machine, 2) + Self.number(1, 4) + Self.number(entry, 8)
    file += Self.number(Self.headerBytes, 8) + Self.number(hasSymbolTable ? sectionsOffset : 0, 8)
    file += Self.number(0, 4) + Self.number(64, 2) + Self.number(segmentEntryBytes, 2)
    file += Self.number(Self.segmentCount, 2) + Self.number(64, 2)
    file += Self.number(hasSymbolTable ? 2 : 0, 2) + Self.number(0, 2)
    file += segment(kind: 1, offset: segmentOffsetShift, count: end)
    file += segment(kind: interpreter == nil ? 4 : 3, offset: interpreterOffset, count: 1)
    file += segment(kind: isDynamic ? 2 : 4, offset: dynamicOffset, count: dynamic.count)
    return file + body + sections
  }

  private struct Texts {
    var bytes: [UInt8] = [0]
    var offsets: [String: Int] = [:]

    mutating func add(_ text: String) {
      guard offsets[text] == nil else { return }
      offsets[text] = bytes.count
      bytes += Array(text.utf8) + [0]
    }
  }

  private var texts: Texts {
    var texts = Texts()
    libraries.forEach { texts.add($0) }
    if let searchPath { texts.add(searchPath) }
    for (library, names) in versions {
      texts.add(library)
      names.forEach { texts.add($0) }
    }
    return texts
  }

  private func requirements(_ texts: Texts) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, (library, names)) in versions.enumerated() {
      let size = 16 * (names.count + 1)
      bytes += Self.number(1, 2) + Self.number(names.count + versionCountShift, 2)
      bytes += Self.number(texts.offsets[library] ?? 0, 4) + Self.number(16, 4)
      bytes += Self.number(index + 1 < versions.count ? size : 0, 4)
      for (index, name) in names.enumerated() {
        bytes += Self.number(0, 8) + Self.number(texts.offsets[name] ?? 0, 4)
        bytes += Self.number(index + 1 < names.count ? 16 : 0, 4)
      }
    }
    return bytes
  }

  private func dynamicTable(_ texts: Texts, textsOffset: Int, needsOffset: Int) -> [UInt8] {
    var entries = libraries.map { (1, texts.offsets[$0] ?? 0) }
    if let searchPath { entries.append((29, texts.offsets[searchPath] ?? 0)) }
    entries.append((5, textsOffset))
    if !versions.isEmpty { entries += [(0x6FFF_FFFE, needsOffset), (0x6FFF_FFFF, versions.count)] }
    entries.append((0, 0))
    return entries.flatMap { Self.number($0.0, 8) + Self.number($0.1, 8) }
  }

  private func segment(kind: Int, offset: Int, count: Int) -> [UInt8] {
    Self.number(kind, 4) + Self.number(5, 4) + Self.number(offset, 8) + Self.number(offset, 8)
      + Self.number(offset, 8) + Self.number(count, 8) + Self.number(count, 8) + Self.number(4096, 8)
  }

  private func section(_ kind: Int) -> [UInt8] {
    Self.number(0, 4) + Self.number(kind, 4) + [UInt8](repeating: 0, count: 56)
  }

  private static func number(_ value: Int, _ length: Int) -> [UInt8] {
    (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
