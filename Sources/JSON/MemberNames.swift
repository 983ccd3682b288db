/// The member names of the open objects; detects duplicates within an object.
///
/// Callers choose the names, so the worst case must be cheap. The hashes of few names are compared in pairs. Many
/// names are sorted once at the end of their object, by hash and then by bytes. Hash collisions do not add steps.
struct MemberNames {
  private var names: [Name] = []
  /// The number of compared pairs of names.
  private(set) var comparisons = 0

  /// The number of names of one object that are compared in pairs (this project's limit). Events, headers and claims
  /// rarely have more, and up to this number it costs less than a sort.
  static let maximumPairwise = 32

  /// Reserves memory for the names of most texts.
  init() { names.reserveCapacity(16) }

  private struct Name {
    let hash: UInt32
    let node: JSONNode
  }

  /// The number of names of all open objects, which is also the index of the next object's first name.
  var count: Int { names.count }

  /// Adds the next name of the innermost object.
  ///
  /// - Parameter first: the index of the object's first name.
  /// - Throws: `duplicateName` if the name is a duplicate among the first `maximumPairwise` names.
  mutating func append(_ node: JSONNode, first: Int, _ text: Span<UInt8>) throws(JSONError) {
    let name = Name(hash: JSONString.hash(text, node), node: node)
    if names.count - first < Self.maximumPairwise {
      comparisons += names.count - first
      for index in first..<names.count where Self.areEqual(names[index], name, text) {
        throw .duplicateName(offset: Self.offset(name))
      }
    }
    names.append(name)
  }

  /// Removes the names of the innermost object at its end.
  ///
  /// - Throws: `duplicateName` with the offset of the first repetition.
  mutating func removeAll(from first: Int, _ text: Span<UInt8>) throws(JSONError) {
    if names.count - first > Self.maximumPairwise { try refuseDuplicates(from: first, text) }
    names.removeSubrange(first...)
  }

  private mutating func refuseDuplicates(from first: Int, _ text: Span<UInt8>) throws(JSONError) {
    sort(from: first, text)
    var repetition: Int?
    for index in first + 1..<names.count {
      comparisons += 1
      guard Self.areEqual(names[index - 1], names[index], text) else { continue }
      let offset = Self.offset(names[index])
      repetition = min(repetition ?? offset, offset)
    }
    if let repetition { throw .duplicateName(offset: repetition) }
  }

  /// Sorts in place by heapsort, which takes n log n steps for any order. A closure for the library's sort cannot
  /// capture the span.
  private mutating func sort(from first: Int, _ text: Span<UInt8>) {
    let count = names.count - first
    var root = count / 2
    while root > 0 {
      root -= 1
      sift(root, count, first, text)
    }
    var end = count
    while end > 1 {
      end -= 1
      names.swapAt(first, first + end)
      sift(0, end, first, text)
    }
  }

  /// Moves the name at `root` down until no child is greater.
  private mutating func sift(_ root: Int, _ count: Int, _ first: Int, _ text: Span<UInt8>) {
    var parent = root
    while true {
      var child = parent * 2 + 1
      guard child < count else { return }
      if child + 1 < count, precedes(first + child, first + child + 1, text) { child += 1 }
      guard precedes(first + parent, first + child, text) else { return }
      names.swapAt(first + parent, first + child)
      parent = child
    }
  }

  /// Compares by hash, then by bytes, then by the order in the text, so that the second of two equal names is reported.
  private mutating func precedes(_ left: Int, _ right: Int, _ text: Span<UInt8>) -> Bool {
    comparisons += 1
    let (left, right) = (names[left], names[right])
    if left.hash != right.hash { return left.hash < right.hash }
    return JSONString.precedes(text, left.node, right.node) ?? (left.node.start < right.node.start)
  }

  private static func areEqual(_ left: Name, _ right: Name, _ text: Span<UInt8>) -> Bool {
    left.hash == right.hash && JSONString.areEqual(text, left.node, right.node)
  }

  /// The offset of a name's first quote.
  private static func offset(_ name: Name) -> Int { Int(name.node.start) - 1 }
}
