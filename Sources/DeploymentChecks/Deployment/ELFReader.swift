/// Reads numbers and texts of an ELF file with bounds checks.
struct ELFReader {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count }

  func starts(with prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) }

  /// Reads a little-endian number.
  ///
  /// - Throws: `truncated` past the end, `damaged` for a number that does not fit in `Int`.
  func number(_ offset: Int, _ length: Int, _ what: String = "header") throws(ELFError) -> Int {
    guard offset >= 0, offset <= bytes.count, length <= bytes.count - offset else { throw .truncated(what) }
    var value: UInt64 = 0
    for byte in bytes[offset..<offset + length].reversed() { value = value << 8 | UInt64(byte) }
    guard let number = Int(exactly: value) else { throw .damaged(what) }
    return number
  }

  /// Reads any 64 bits, such as an address that may not fit in `Int`.
  func bits(_ offset: Int) throws(ELFError) -> UInt64 {
    guard offset >= 0, offset <= bytes.count, 8 <= bytes.count - offset else {
      throw .truncated("dynamic table")
    }
    return bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads a zero-terminated text of at most `PATH_MAX` bytes.
  func text(at offset: Int) throws(ELFError) -> String {
    guard offset >= 0, offset < bytes.count else { throw .truncated("names") }
    guard let end = bytes[offset...].prefix(4096).firstIndex(of: 0),
      let text = String(validating: bytes[offset..<end], as: UTF8.self)
    else { throw .damaged("names") }
    return text
  }
}

/// A program header: a part of the file that is loaded, or that describes how.
struct ELFSegment {
  let kind: Int
  let offset: Int
  let address: Int
  let fileBytes: Int

  static let loadKind = 1
  static let dynamicKind = 2
  static let interpreterKind = 3
}

struct ELFHeader {
  let machine: ELFFile.Machine
  let isPositionIndependent: Bool

  private static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]
  /// The size of the header in bytes.
  static let bytes = 64
  private static let segmentBytes = 56
  private static let sectionBytes = 64
  /// `SHT_SYMTAB`.
  private static let symbolTable = 2
  /// `ET_EXEC` and `ET_DYN`; position-independent programs have the latter.
  private static let programTypes = 2...3

  init(_ reader: ELFReader) throws(ELFError) {
    guard reader.starts(with: Self.magic) else { throw .notELF }
    guard reader.count >= Self.bytes else { throw .truncated("header") }
    guard try reader.number(4, 1) == 2 else { throw .otherMachine("32-bit processors") }
    guard try reader.number(5, 1) == 1 else { throw .otherMachine("big-endian processors") }
    switch try reader.number(18, 2) {
    case 62: machine = .x86
    case 183: machine = .arm
    case let other: throw .otherMachine("machine \(other)")
    }
    let type = try reader.number(16, 2)
    guard Self.programTypes.contains(type) else { throw .notAProgram }
    isPositionIndependent = type == Self.programTypes.upperBound
  }

  /// Returns the segments that matter to the loader, each checked to lie within the file.
  func segments(_ reader: ELFReader) throws(ELFError) -> [ELFSegment] {
    let start = try reader.number(32, 8)
    let count = try reader.number(56, 2)
    guard try reader.number(54, 2) == Self.segmentBytes else { throw .damaged("program headers") }
    var segments: [ELFSegment] = []
    for index in 0..<count {
      guard start <= reader.count else { throw .truncated("program headers") }
      let offset = start + index * Self.segmentBytes
      let segment = ELFSegment(
        kind: try reader.number(offset, 4, "program headers"),
        offset: try reader.number(offset + 8, 8, "program headers"),
        address: Int(truncatingIfNeeded: try reader.bits(offset + 16)),
        fileBytes: try reader.number(offset + 32, 8, "program headers"))
      if [ELFSegment.loadKind, ELFSegment.dynamicKind, ELFSegment.interpreterKind].contains(segment.kind) {
        guard segment.offset <= reader.count, segment.fileBytes <= reader.count - segment.offset else {
          throw .truncated("segments")
        }
        segments.append(segment)
      }
    }
    guard segments.contains(where: { $0.kind == ELFSegment.loadKind }) else { throw .notAProgram }
    // A library has no entry point; a program has one.
    guard try reader.number(24, 8) != 0 else { throw .notAProgram }
    return segments
  }

  /// Whether the file has a symbol table. The loader does not read sections, so a file may have none.
  func hasSymbolTable(_ reader: ELFReader) throws(ELFError) -> Bool {
    let start = try reader.number(40, 8)
    let count = try reader.number(60, 2)
    guard start != 0, count > 0 else { return false }
    guard try reader.number(58, 2) == Self.sectionBytes else { throw .damaged("section headers") }
    guard start <= reader.count, count * Self.sectionBytes <= reader.count - start else {
      throw .truncated("section headers")
    }
    for index in 0..<count
    where try reader.number(start + index * Self.sectionBytes + 4, 4) == Self.symbolTable {
      return true
    }
    return false
  }
}

/// The program's dynamic table, which its loader reads (System V ABI, "Dynamic Section").
struct DynamicTable {
  private var needed: [Int] = []
  private var search: Int?
  private var texts: Int?
  private var requirements: Int?
  private var requirementCount = 0
  private let reader: ELFReader

  init(_ segment: ELFSegment, in segments: [ELFSegment], _ reader: ELFReader) throws(ELFError) {
    self.reader = reader
    var offset = segment.offset
    loop: while offset + 16 <= segment.offset + segment.fileBytes {
      let tag = try reader.bits(offset)
      let value = Int(truncatingIfNeeded: try reader.bits(offset + 8))
      offset += 16
      switch tag {
      case 0: break loop  // DT_NULL
      case 1: needed.append(value)  // DT_NEEDED
      case 15, 29: search = value  // DT_RPATH, DT_RUNPATH
      case 5: texts = try Self.offset(of: value, segments)  // DT_STRTAB
      case 0x6FFF_FFFE: requirements = try Self.offset(of: value, segments)  // DT_VERNEED
      case 0x6FFF_FFFF: requirementCount = value  // DT_VERNEEDNUM
      default: break
      }
    }
  }

  private static func offset(of address: Int, _ segments: [ELFSegment]) throws(ELFError) -> Int {
    for segment in segments where segment.kind == ELFSegment.loadKind {
      let (distance, overflow) = address.subtractingReportingOverflow(segment.address)
      if !overflow, distance >= 0, distance < segment.fileBytes { return segment.offset + distance }
    }
    throw .damaged("dynamic table")
  }

  private func name(_ offset: Int) throws(ELFError) -> String {
    guard let texts, offset >= 0, offset < reader.count else { throw .damaged("names") }
    return try reader.text(at: texts + offset)
  }

  func searchPath() throws(ELFError) -> String? {
    guard let search else { return nil }
    return try name(search)
  }

  func libraries() throws(ELFError) -> [String] {
    var names: [String] = []
    for offset in needed { names.append(try name(offset)) }
    return names
  }

  /// Reads the needed symbol versions: a list of libraries, each with a list of versions ("Symbol Versioning" of the
  /// Linux Standard Base).
  func versions() throws(ELFError) -> [SymbolVersion] {
    guard let requirements else { return [] }
    let what = "symbol versions"
    guard 0..<Self.maximumEntries ~= requirementCount else { throw .damaged(what) }
    var versions: [SymbolVersion] = []
    var offset = requirements
    for _ in 0..<requirementCount {
      let library = try name(try reader.number(offset + 4, 4, what))
      var entry = offset + (try reader.number(offset + 8, 4, what))
      for _ in 0..<(try reader.number(offset + 2, 2, what)) {
        versions.append(
          SymbolVersion(library: library, name: try name(try reader.number(entry + 8, 4, what))))
        guard versions.count < Self.maximumEntries else { throw .damaged(what) }
        entry += try reader.number(entry + 12, 4, what)
      }
      offset += try reader.number(offset + 12, 4, what)
    }
    return versions
  }

  /// The maximum number of versions. A program needs tens; more is a file made to waste time.
  private static let maximumEntries = 4096
}
