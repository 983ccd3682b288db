internal import AuthorizerContract
internal import JSON

/// The figures of several loads, side by side, with their ratios to the floor.
package struct BenchReport: Sendable {
  private let placement: String
  private var loads: [Load] = []

  /// The figures of one function under one load.
  package struct Entry: Sendable {
    let name: String
    let isFloor: Bool
    /// The size of the executable; `nil` for a command line.
    let executableBytes: Int?
    let figures: BenchFigures

    /// Creates an entry.
    ///
    /// - Parameter executableBytes: the size of the executable; `nil` for a command line, which may run anything.
    package init(_ contestant: BenchContestant, executableBytes: Int?, figures: BenchFigures) {
      name = contestant.name
      isFloor = contestant.isFloor
      self.executableBytes = executableBytes
      self.figures = figures
    }
  }

  private struct Load {
    let name: String
    let summary: String
    let entries: [Entry]

    var floor: Entry? { entries.first { $0.isFloor } }
  }

  /// Creates a report without figures.
  ///
  /// - Parameter placement: the cores that were used, as human-readable text.
  package init(placement: String) { self.placement = placement }

  package mutating func add(_ name: String, summary: String, _ entries: [Entry]) {
    loads.append(Load(name: name, summary: summary, entries: entries))
  }

  /// The report as text for a terminal.
  package var lines: [String] {
    var lines: [String] = []
    for load in loads {
      let columns = load.entries.flatMap { $0.isFloor ? [$0.name] : [$0.name, ""] }
      var table = TextTable(columns: ["\(load.name)"] + columns, rightAligned: Set(1...max(columns.count, 1)))
      for figure in Figure.allCases {
        let floor = load.floor.flatMap { figure.value(of: $0) }
        var cells = [figure.title]
        for entry in load.entries {
          let value = figure.value(of: entry)
          cells.append(value.map { Self.decimal($0, figure.decimals) } ?? "-")
          if !entry.isFloor {
            cells.append(Self.ratio(value, floor).map { Self.decimal($0, 2) + " x" } ?? "")
          }
        }
        table.add(cells)
      }
      lines += [load.summary] + table.lines + [""]
    }
    return lines + [placement]
  }

  package var json: [UInt8] {
    var loadTrees: [JSONTree] = []
    for load in loads {
      let entries = load.entries.map { Self.tree($0, floor: load.floor) }
      loadTrees.append(
        .members([
          "name": .string(load.name), "summary": .string(load.summary), "functions": .array(entries),
        ]))
    }
    return JSONTree.members(["placement": .string(placement), "loads": .array(loadTrees)])
      .bytes(indentedBy: 2)
  }

  private static func tree(_ entry: Entry, floor: Entry?) -> JSONTree {
    var members: [JSONTree.Member] = [
      .init(name: "name", value: .string(entry.name)), .init(name: "floor", value: .boolean(entry.isFloor)),
    ]
    var ratios: [JSONTree.Member] = []
    for figure in Figure.allCases {
      guard let value = figure.value(of: entry) else { continue }
      members.append(.init(name: figure.rawValue, value: .number(decimal(value, figure.decimals))))
      if !entry.isFloor, let ratio = ratio(value, floor.flatMap { figure.value(of: $0) }) {
        ratios.append(.init(name: figure.rawValue, value: .number(decimal(ratio, 2))))
      }
    }
    if !ratios.isEmpty { members.append(.init(name: "ratios", value: .object(ratios))) }
    return .object(members)
  }

  /// The rows of a table; the raw value is the JSON member name.
  private enum Figure: String, CaseIterable {
    case initMilliseconds, firstMilliseconds, first90Milliseconds
    case warm50Microseconds, warm90Microseconds, warm99Microseconds
    case processorMicroseconds, peakMebibytes, executableBytes

    /// The heading, the decimal places, and the value of an entry.
    private var row: (title: String, decimals: Int, value: (Entry) -> Double?) {
      switch self {
      case .initMilliseconds: ("init, p50 ms", 2, { Double($0.figures.initialization.median) / 1e6 })
      case .firstMilliseconds: ("first answer, p50 ms", 2, { Double($0.figures.firstAnswer.median) / 1e6 })
      case .first90Milliseconds:
        ("first answer, p90 ms", 2, { Double($0.figures.firstAnswer.percentile(90)) / 1e6 })
      case .warm50Microseconds: ("warm, p50 us", 1, { Double($0.figures.warm.median) / 1e3 })
      case .warm90Microseconds: ("warm, p90 us", 1, { Double($0.figures.warm.percentile(90)) / 1e3 })
      case .warm99Microseconds: ("warm, p99 us", 1, { Double($0.figures.warm.percentile(99)) / 1e3 })
      case .processorMicroseconds:
        ("CPU per invocation, us", 1, { $0.figures.processorNanoseconds.map { Double($0) / 1e3 } })
      case .peakMebibytes: ("peak memory, MiB", 2, { $0.figures.peakMemoryKiB.map { Double($0) / 1024 } })
      case .executableBytes: ("executable, bytes", 0, { $0.executableBytes.map { Double($0) } })
      }
    }

    var title: String { row.title }
    var decimals: Int { row.decimals }
    func value(of entry: Entry) -> Double? { row.value(entry) }
  }

  static func ratio(_ value: Double?, _ floor: Double?) -> Double? {
    guard let value, let floor, floor > 0 else { return nil }
    return value / floor
  }

  /// Returns a non-negative number with this many decimal places.
  static func decimal(_ value: Double, _ places: Int) -> String {
    let scale = [1.0, 10, 100, 1000][min(max(places, 0), 3)]
    let scaled = Int64((value * scale).rounded())
    guard scale > 1 else { return String(scaled) }
    let rest = String(scaled % Int64(scale))
    let zeros = String(repeating: "0", count: max(0, places - rest.count))
    return "\(scaled / Int64(scale)).\(zeros)\(rest)"
  }
}
