/// What the loader of Linux reads of a program before it starts it (System V ABI, "Object Files"; ELF-64, little endian).
///
/// Read here and not by a program of binutils, which a builder need not have.
public struct ELFFile: Equatable, Sendable {
  /// For which processor.
  public let machine: Machine
  /// Path of the program that loads its libraries; `nil` for a static program.
  public let interpreter: String?
  /// Names of the libraries that it is linked with.
  public let libraries: [String]
  /// The versions of symbols that it asks of its libraries.
  public let versions: [SymbolVersion]
  /// The folders in which it has its libraries looked for first (`DT_RUNPATH`, `DT_RPATH`); `nil` where it says none.
  public let searchPath: String?
  /// Whether it may lie anywhere in memory (`ET_DYN`), so that its addresses differ from start to start.
  public let isPositionIndependent: Bool
  /// Whether it holds the symbols that only a debugger reads.
  public let hasSymbolTable: Bool

  /// Processors that Lambda has.
  public enum Machine: String, Sendable {
    /// `EM_X86_64`.
    case x86 = "x86_64"
    /// `EM_AARCH64`.
    case arm = "arm64"

    /// The loader of glibc on this processor.
    public var interpreter: String {
      switch self {
      case .x86: "/lib64/ld-linux-x86-64.so.2"
      case .arm: "/lib/ld-linux-aarch64.so.1"
      }
    }
  }

  /// Reads a program.
  ///
  /// - Throws: `ELFError` where it is none, is damaged, or is for a machine that Lambda has not.
  public init(parsing bytes: [UInt8]) throws(ELFError) {
    let reader = ELFReader(bytes)
    let header = try ELFHeader(reader)
    machine = header.machine
    isPositionIndependent = header.isPositionIndependent
    let segments = try header.segments(reader)
    interpreter = try segments.first { $0.kind == ELFSegment.interpreterKind }.map {
      segment throws(ELFError) in
      try reader.text(at: segment.offset)
    }
    hasSymbolTable = try header.hasSymbolTable(reader)
    let table = try segments.first { $0.kind == ELFSegment.dynamicKind }.map { segment throws(ELFError) in
      try DynamicTable(segment, in: segments, reader)
    }
    libraries = try table?.libraries() ?? []
    versions = try table?.versions() ?? []
    searchPath = try table?.searchPath()
  }
}

/// Why a file is no program that Lambda could start.
public enum ELFError: Error, Equatable, Sendable {
  /// It does not begin as an ELF file does.
  case notELF
  /// It is no program, but a library's or a compiler's file.
  case notAProgram
  /// 32 bits, big endian, or another processor.
  case otherMachine(String)
  /// It ends before something that it says it has.
  case truncated(String)
  /// What it says of itself cannot be.
  case damaged(String)

  /// For people, in lower case.
  public var description: String {
    switch self {
    case .notELF: "it is no ELF program"
    case .notAProgram: "it is an ELF file and no program"
    case .otherMachine(let what): "it is for \(what), Lambda has x86_64 and arm64"
    case .truncated(let what): "it ends before its \(what)"
    case .damaged(let what): "its \(what) cannot be read"
    }
  }
}

/// A version of symbols that a library gives: `GLIBC_2.34` of `libc.so.6`.
public struct SymbolVersion: Equatable, Sendable {
  /// The library.
  public let library: String
  /// The whole name.
  public let name: String

  /// `GLIBC` and `[2, 34]`; no numbers for a name such as `GLIBC_PRIVATE`.
  public var parts: (family: String, numbers: [Int]) {
    guard let line = name.lastIndex(of: "_") else { return (name, []) }
    let numbers = name[name.index(after: line)...].split(separator: ".", omittingEmptySubsequences: false).map
    {
      Int($0)
    }
    guard !numbers.contains(nil) else {
      return (String(name.prefix { $0 != "_" }), [])
    }
    return (String(name[..<line]), numbers.compactMap { $0 })
  }

  /// Whether the other version is older; a name without a number is older than none.
  public func isNewer(than other: [Int]) -> Bool {
    let numbers = parts.numbers
    return numbers.isEmpty || other.lexicographicallyPrecedes(numbers)
  }
}
