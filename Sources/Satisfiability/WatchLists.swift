/// For each literal the clauses to examine when it becomes false.
///
/// All are in one piece of memory, in the order of the literals: a search reads lists of neighbours one after the other.
struct WatchLists {
  typealias Literal = ClauseSolver.Literal
  /// A clause; of one with two literals the other one, which tells all about it, of a longer one -1.
  typealias Watcher = (clause: Int32, other: Literal)

  private struct Extent {
    var start = 0
    var count: Int32 = 0
    var capacity: Int32 = 0
  }

  private var extents: [Extent] = []
  private var watchers: [Watcher] = []
  /// The places of lists that have moved.
  private var unused = 0

  private static let blank: Watcher = (0, 0)

  /// Adds the lists of the next variable and its negation.
  mutating func addVariable() {
    extents.append(Extent())
    extents.append(Extent())
  }

  /// Returns the places of the clauses of a literal.
  func range(of literal: Literal) -> Range<Int> {
    let extent = extents[Int(literal)]
    return extent.start..<extent.start + Int(extent.count)
  }

  subscript(place: Int) -> Watcher {
    get { watchers[place] }
    set { watchers[place] = newValue }
  }

  /// Adds a clause. The places of other literals stay the same.
  mutating func append(_ watcher: Watcher, to literal: Literal) {
    var extent = extents[Int(literal)]
    if extent.count == extent.capacity {
      let old = extent.start..<extent.start + Int(extent.count)
      unused += old.count
      extent.start = watchers.count
      extent.capacity = max(2, extent.capacity * 2)
      for place in old { watchers.append(watchers[place]) }
      for _ in old.count..<Int(extent.capacity) { watchers.append(Self.blank) }
    }
    watchers[extent.start + Int(extent.count)] = watcher
    extent.count += 1
    extents[Int(literal)] = extent
  }

  /// Removes clauses of a literal.
  mutating func remove(_ places: Range<Int>, of literal: Literal) {
    guard !places.isEmpty else { return }
    let end = range(of: literal).upperBound
    for place in places.upperBound..<end { watchers[place - places.count] = watchers[place] }
    extents[Int(literal)].count -= Int32(places.count)
  }

  /// Puts the lists in order again, if many have moved.
  mutating func compact() {
    guard unused > watchers.count / 4 else { return }
    var ordered: [Watcher] = []
    ordered.reserveCapacity(watchers.count - unused)
    for literal in extents.indices {
      let places = extents[literal].start..<extents[literal].start + Int(extents[literal].count)
      extents[literal].start = ordered.count
      extents[literal].capacity = Int32(places.count)
      for place in places { ordered.append(watchers[place]) }
    }
    watchers = ordered
    unused = 0
  }
}
