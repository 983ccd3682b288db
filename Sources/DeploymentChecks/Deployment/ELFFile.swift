internal import Text

/// The parts of a program that the Linux loader reads (System V ABI, "Object Files"; ELF-64, little endian).
///
/// Parsed here so that binutils is not required.
package struct ELFFile: Equatable, Sendable {
  /// The processor that it is built for.
  package let machine: Machine
  /// Path of the program that loads its libraries; `nil` for a static program.
  package let interpreter: String?
  /// The names of the libraries that it is linked with.
  package let libraries: [String]
  /// The symbol versions that it needs of its libraries.
  package let versions: [SymbolVersion]
  /// The folders that are searched for libraries first (`DT_RUNPATH`, `DT_RPATH`); `nil` if none are set.
  package let searchPath: String?
  /// Whether it can be loaded at any address (`ET_DYN`), so that its addresses differ on every start.
  package let isPositionIndependent: Bool
  /// Whether it contains the symbol table that only a debugger needs.
  package let hasSymbolTable: Bool

  /// The processors that Lambda supports.
  package enum Machine: String, Sendable {
    /// `EM_X86_64`.
    case x86 = "x86_64"
    /// `EM_AARCH64`.
    case arm = "arm64"

    /// The loader of glibc on this processor.
    package var interpreter: String {
      switch self {
      case .x86: "/lib64/ld-linux-x86-64.so.2"
      case .arm: "/lib/ld-linux-aarch64.so.1"
      }
    }
  }

  /// Reads a program.
  ///
  /// - Throws: `ELFError` if it is not a program, is damaged, or is for a processor that Lambda does not support.
  package init(parsing bytes: [UInt8]) throws(ELFError) {
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

/// The reason why Lambda cannot start a file.
package enum ELFError: Error, Equatable, Sendable {
  /// It does not begin with the ELF magic number.
  case notELF
  /// It is a library or a compiler's object file, not a program.
  case notAProgram
  /// 32 bits, big endian, or another processor.
  case otherMachine(String)
  /// It ends before a part that its header announces.
  case truncated(String)
  /// A part of it is invalid.
  case damaged(String)

  /// The error as human-readable text, in lower case.
  package var description: String {
    switch self {
    case .notELF: "it is not an ELF file"
    case .notAProgram: "it is an ELF file but not a program"
    case .otherMachine(let what): "it is built for \(what); Lambda supports x86_64 and arm64"
    case .truncated(let what): "it ends before its \(what)"
    case .damaged(let what): "its \(what) cannot be read"
    }
  }
}

/// A symbol version of a library: `GLIBC_2.34` of `libc.so.6`.
package struct SymbolVersion: Equatable, Sendable {
  package let library: String
  package let name: String

  /// The family and the numbers, such as `GLIBC` and `[2, 34]`; no numbers for a name such as `GLIBC_PRIVATE`.
  package var parts: (family: String, numbers: [Int]) {
    guard let line = name.unicodeScalars.lastIndex(of: "_") else { return (name, []) }
    let numbers = name[line...].dropFirst(bytes: 1).splitBytes(at: ".", omittingEmptySubsequences: false)
      .map { Int($0) }
    guard !numbers.contains(nil) else {
      return (String(name.head(before: "_")), [])
    }
    return (String(name[..<line]), numbers.compactMap { $0 })
  }

  /// Whether this version is newer than the other one. A name without numbers counts as newer.
  package func isNewer(than other: [Int]) -> Bool {
    let numbers = parts.numbers
    return numbers.isEmpty || other.lexicographicallyPrecedes(numbers)
  }
}
