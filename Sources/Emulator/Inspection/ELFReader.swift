/// Numbers and texts of an ELF file, each checked against the file's end.
struct ELFReader {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count }

  func starts(with prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) }

  /// Little endian.
  ///
  /// - Throws: `truncated` past the end, `damaged` for a number that no file has room for.
  func number(_ place: Int, _ length: Int, _ what: String = "header") throws(ELFError) -> Int {
    guard place >= 0, place <= bytes.count, length <= bytes.count - place else { throw .truncated(what) }
    var value: UInt64 = 0
    for byte in bytes[place..<place + length].reversed() { value = value << 8 | UInt64(byte) }
    guard let number = Int(exactly: value) else { throw .damaged(what) }
    return number
  }

  /// As `number`, for what may be any 64 bits, such as an address that is not looked at.
  func bits(_ place: Int) throws(ELFError) -> UInt64 {
    guard place >= 0, place <= bytes.count, 8 <= bytes.count - place else {
      throw .truncated("dynamic table")
    }
    return bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A text that a zero ends (`PATH_MAX` bytes at most).
  func text(at place: Int) throws(ELFError) -> String {
    guard place >= 0, place < bytes.count else { throw .truncated("names") }
    guard let end = bytes[place...].prefix(4096).firstIndex(of: 0),
      let text = String(validating: bytes[place..<end], as: UTF8.self)
    else { throw .damaged("names") }
    return text
  }
}

/// A part of the file that is brought into memory, or tells how.
struct ELFSegment {
  let kind: Int
  let offset: Int
  let address: Int
  let fileBytes: Int

  static let loadKind = 1
  static let dynamicKind = 2
  static let interpreterKind = 3
}

/// The head of the file.
struct ELFHeader {
  let machine: ELFFile.Machine
  let isPositionIndependent: Bool

  private static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]
  private static let bytes = 64
  private static let segmentBytes = 56
  private static let sectionBytes = 64
  /// `SHT_SYMTAB`.
  private static let symbolTable = 2
  /// `ET_EXEC` and `ET_DYN`, which position-independent programs have too.
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

  /// Every segment, each within the file.
  func segments(_ reader: ELFReader) throws(ELFError) -> [ELFSegment] {
    let start = try reader.number(32, 8)
    let count = try reader.number(56, 2)
    guard try reader.number(54, 2) == Self.segmentBytes else { throw .damaged("program headers") }
    var segments: [ELFSegment] = []
    for index in 0..<count {
      guard start <= reader.count else { throw .truncated("program headers") }
      let place = start + index * Self.segmentBytes
      let segment = ELFSegment(
        kind: try reader.number(place, 4, "program headers"),
        offset: try reader.number(place + 8, 8, "program headers"),
        address: Int(truncatingIfNeeded: try reader.bits(place + 16)),
        fileBytes: try reader.number(place + 32, 8, "program headers"))
      if [ELFSegment.loadKind, ELFSegment.dynamicKind, ELFSegment.interpreterKind].contains(segment.kind) {
        guard segment.offset <= reader.count, segment.fileBytes <= reader.count - segment.offset else {
          throw .truncated("segments")
        }
        segments.append(segment)
      }
    }
    guard segments.contains(where: { $0.kind == ELFSegment.loadKind }) else { throw .notAProgram }
    // A library has no loader and a table of what it gives: a static program has an entry.
    guard try reader.number(24, 8) != 0 else { throw .notAProgram }
    return segments
  }

  /// The loader does not read sections, so a file may have none.
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

/// What the program says to its loader (System V ABI, "Dynamic Section").
struct DynamicTable {
  private var needed: [Int] = []
  private var search: Int?
  private var texts: Int?
  private var requirements: Int?
  private var requirementCount = 0
  private let reader: ELFReader

  init(_ segment: ELFSegment, in segments: [ELFSegment], _ reader: ELFReader) throws(ELFError) {
    self.reader = reader
    var place = segment.offset
    loop: while place + 16 <= segment.offset + segment.fileBytes {
      let tag = try reader.bits(place)
      let value = Int(truncatingIfNeeded: try reader.bits(place + 8))
      place += 16
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

  private func name(_ place: Int) throws(ELFError) -> String {
    guard let texts, place >= 0, place < reader.count else { throw .damaged("names") }
    return try reader.text(at: texts + place)
  }

  func searchPath() throws(ELFError) -> String? {
    guard let search else { return nil }
    return try name(search)
  }

  func libraries() throws(ELFError) -> [String] {
    var names: [String] = []
    for place in needed { names.append(try name(place)) }
    return names
  }

  /// "Symbol Versioning" of the Linux Standard Base: a list of libraries, each with a list of versions.
  func versions() throws(ELFError) -> [SymbolVersion] {
    guard let requirements else { return [] }
    let what = "versions of symbols"
    guard 0..<Self.maximumEntries ~= requirementCount else { throw .damaged(what) }
    var versions: [SymbolVersion] = []
    var place = requirements
    for _ in 0..<requirementCount {
      let library = try name(try reader.number(place + 4, 4, what))
      var entry = place + (try reader.number(place + 8, 4, what))
      for _ in 0..<(try reader.number(place + 2, 2, what)) {
        versions.append(
          SymbolVersion(library: library, name: try name(try reader.number(entry + 8, 4, what))))
        guard versions.count < Self.maximumEntries else { throw .damaged(what) }
        entry += try reader.number(entry + 12, 4, what)
      }
      place += try reader.number(place + 12, 4, what)
    }
    return versions
  }

  /// A program needs tens; more is a file made to keep us busy.
  private static let maximumEntries = 4096
}
