/// Detects duplicates among the member names of one open object.
///
/// Callers choose the names, so the worst case must be cheap. A filter of one bit for each hash shows that most names are
/// new. The others of few names are compared with each name before them. Many names are sorted once at the end of their
/// object, by hash and then by bytes. Hash collisions do not add steps.
struct MemberNames {
  /// The number of names.
  private(set) var count = 0
  /// The number of compared pairs of names.
  private(set) var comparisons = 0
  /// The bits of the names so far.
  private var filter: UInt64 = 0

  /// The number of names of one object that are compared in pairs (this project's limit). Events, headers and claims
  /// rarely have more, and up to this number it costs less than a sort.
  static let maximumPairwise = 32

  /// Adds the next name of the object and stores its hash.
  ///
  /// - Parameters:
  ///   - name: the index of the name, up to which the nodes are complete.
  ///   - object: the index of the object.
  /// - Throws: `duplicateName` if the name is a duplicate among the first `maximumPairwise` names.
  @inline(__always)
  mutating func append(
    _ nodes: inout MutableSpan<JSONNode>, _ name: Int, of object: Int, _ text: Span<UInt8>
  ) throws(JSONError) {
    let hash = JSONString.hash(text, nodes[name])
    nodes[name].hash = hash
    let bit: UInt64 = 1 << UInt64(hash & 63)
    if filter & bit != 0, count < Self.maximumPairwise {
      try refuseDuplicate(nodes, name, of: object, text)
    }
    filter |= bit
    count += 1
  }

  /// Checks the names of the object at its end.
  ///
  /// - Throws: `duplicateName` with the offset of the first repetition.
  mutating func finish(
    _ nodes: borrowing MutableSpan<JSONNode>, _ object: Int, until end: Int, _ text: Span<UInt8>
  ) throws(JSONError) {
    guard count > Self.maximumPairwise else { return }
    var names: [JSONNode] = []
    names.reserveCapacity(count)
    var name = object + 1
    while name < end {
      names.append(nodes[name])
      name = Int(nodes[name].next)
    }
    var sorted = SortedNames(names)
    let repetition = sorted.firstRepetition(text)
    comparisons += sorted.comparisons
    if let repetition { throw .duplicateName(offset: repetition) }
  }

  private mutating func refuseDuplicate(
    _ nodes: borrowing MutableSpan<JSONNode>, _ name: Int, of object: Int, _ text: Span<UInt8>
  ) throws(JSONError) {
    let node = nodes[name]
    var other = object + 1
    while other < name {
      let candidate = nodes[other]
      comparisons += 1
      if candidate.hash == node.hash, JSONString.areEqual(text, candidate, node) {
        throw .duplicateName(offset: Int(node.start) - 1)
      }
      other = Int(candidate.next)
    }
  }
}

/// Many names in an order in which equal ones are neighbors.
private struct SortedNames {
  private var names: [JSONNode]
  private(set) var comparisons = 0

  init(_ names: [JSONNode]) { self.names = names }

  /// Returns the offset of the first name that repeats another one; `nil` if all differ.
  mutating func firstRepetition(_ text: Span<UInt8>) -> Int? {
    sort(text)
    var repetition: Int?
    for index in 1..<names.count {
      comparisons += 1
      let (left, right) = (names[index - 1], names[index])
      guard left.hash == right.hash, JSONString.areEqual(text, left, right) else { continue }
      // The offset of the name's first quote.
      let offset = Int(right.start) - 1
      repetition = min(repetition ?? offset, offset)
    }
    return repetition
  }

  /// Sorts in place by heapsort, which takes n log n steps for any order. A closure for the library's sort cannot
  /// capture the span.
  private mutating func sort(_ text: Span<UInt8>) {
    var root = names.count / 2
    while root > 0 {
      root -= 1
      sift(root, names.count, text)
    }
    var end = names.count
    while end > 1 {
      end -= 1
      names.swapAt(0, end)
      sift(0, end, text)
    }
  }

  /// Moves the name at `root` down until no child is greater.
  private mutating func sift(_ root: Int, _ count: Int, _ text: Span<UInt8>) {
    var parent = root
    while true {
      var child = parent * 2 + 1
      guard child < count else { return }
      if child + 1 < count, precedes(child, child + 1, text) { child += 1 }
      guard precedes(parent, child, text) else { return }
      names.swapAt(parent, child)
      parent = child
    }
  }

  /// Compares by hash, then by bytes, then by the order in the text, so that the second of two equal names is reported.
  private mutating func precedes(_ left: Int, _ right: Int, _ text: Span<UInt8>) -> Bool {
    comparisons += 1
    let (left, right) = (names[left], names[right])
    if left.hash != right.hash { return left.hash < right.hash }
    return JSONString.precedes(text, left, right) ?? (left.start < right.start)
  }
}
