/// An ELF program made field by field, with what a test wants wrong in it.
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
  /// Bytes that no segment needs.
  var text = ""
  var segmentEntryBytes = 56
  var segmentOffsetShift = 0
  var versionCountShift = 0
  /// Where the table of texts is said to be, from where it is.
  var textsShift = 0

  static let segmentCount = 3
  private static let headerBytes = 64

  var bytes: [UInt8] {
    let start = Self.headerBytes + Self.segmentCount * 56
    var body: [UInt8] = []
    let interpreterPlace = start
    body += Array((interpreter ?? "").utf8) + [0]
    let texts = texts
    let textsPlace = start + body.count
    body += texts.bytes
    let needs = requirements(texts)
    let needsPlace = start + body.count
    body += needs
    let dynamicPlace = start + body.count
    let dynamic = dynamicTable(texts, textsPlace: textsPlace + textsShift, needsPlace: needsPlace)
    body += dynamic
    body += Array(text.utf8)
    let sectionsPlace = start + body.count
    let sections = hasSymbolTable ? [0, 2].flatMap { section($0) } : []
    let end = sectionsPlace + sections.count
    var file: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, fileClass, byteOrder, 1] + [UInt8](repeating: 0, count: 9)
    file += Self.number(type, 2) + Self.number(machine, 2) + Self.number(1, 4) + Self.number(entry, 8)
    file += Self.number(Self.headerBytes, 8) + Self.number(hasSymbolTable ? sectionsPlace : 0, 8)
    file += Self.number(0, 4) + Self.number(64, 2) + Self.number(segmentEntryBytes, 2)
    file += Self.number(Self.segmentCount, 2) + Self.number(64, 2)
    file += Self.number(hasSymbolTable ? 2 : 0, 2) + Self.number(0, 2)
    file += segment(kind: 1, place: segmentOffsetShift, count: end)
    file += segment(kind: interpreter == nil ? 4 : 3, place: interpreterPlace, count: 1)
    file += segment(kind: isDynamic ? 2 : 4, place: dynamicPlace, count: dynamic.count)
    return file + body + sections
  }

  private struct Texts {
    var bytes: [UInt8] = [0]
    var places: [String: Int] = [:]

    mutating func add(_ text: String) {
      guard places[text] == nil else { return }
      places[text] = bytes.count
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
      bytes += Self.number(texts.places[library] ?? 0, 4) + Self.number(16, 4)
      bytes += Self.number(index + 1 < versions.count ? size : 0, 4)
      for (place, name) in names.enumerated() {
        bytes += Self.number(0, 8) + Self.number(texts.places[name] ?? 0, 4)
        bytes += Self.number(place + 1 < names.count ? 16 : 0, 4)
      }
    }
    return bytes
  }

  private func dynamicTable(_ texts: Texts, textsPlace: Int, needsPlace: Int) -> [UInt8] {
    var entries = libraries.map { (1, texts.places[$0] ?? 0) }
    if let searchPath { entries.append((29, texts.places[searchPath] ?? 0)) }
    entries.append((5, textsPlace))
    if !versions.isEmpty { entries += [(0x6FFF_FFFE, needsPlace), (0x6FFF_FFFF, versions.count)] }
    entries.append((0, 0))
    return entries.flatMap { Self.number($0.0, 8) + Self.number($0.1, 8) }
  }

  private func segment(kind: Int, place: Int, count: Int) -> [UInt8] {
    Self.number(kind, 4) + Self.number(5, 4) + Self.number(place, 8) + Self.number(place, 8)
      + Self.number(place, 8) + Self.number(count, 8) + Self.number(count, 8) + Self.number(4096, 8)
  }

  private func section(_ kind: Int) -> [UInt8] {
    Self.number(0, 4) + Self.number(kind, 4) + [UInt8](repeating: 0, count: 56)
  }

  private static func number(_ value: Int, _ length: Int) -> [UInt8] {
    (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
