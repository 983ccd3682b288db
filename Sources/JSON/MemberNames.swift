/// The member names of the objects that are open, and whether one stands twice in its object.
///
/// A caller chooses names, so no choice of them costs more than a sort: few names are compared pair by pair by their hashes,
/// many are sorted once, by hash and then by bytes, where their object ends. Names that share a hash cost no more steps.
struct MemberNames {
  private var names: [Name] = []
  /// Pairs of names that were compared so far.
  private(set) var comparisons = 0

  /// Names of one object that are compared pair by pair (our own limit): events, headers and claims rarely have more, and
  /// up to here that costs less than a sort.
  static let maximumPairwise = 32

  private struct Name {
    let hash: UInt32
    let node: JSONNode
  }

  /// Names of all open objects; where those of the next object will begin.
  var count: Int { names.count }

  /// Takes in the next name of the innermost object.
  ///
  /// - Parameter first: where the names of the object begin.
  /// - Throws: `duplicateName` where it is one of the first `maximumPairwise` names and stands there twice.
  mutating func append(_ node: JSONNode, first: Int, _ text: Span<UInt8>) throws(JSONError) {
    let name = Name(hash: JSONString.hash(text, node), node: node)
    if names.count - first < Self.maximumPairwise {
      comparisons += names.count - first
      for earlier in names[first...] where Self.areEqual(earlier, name, text) {
        throw .duplicateName(offset: Self.offset(name))
      }
    }
    names.append(name)
  }

  /// Forgets the names of the innermost object, which has ended.
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

  /// Heapsort: n log n steps whatever the order, in place. A closure for the library's sort could not hold the span.
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

  /// Lets the name at `root` sink until no child of it comes after it.
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

  /// By hash, then by bytes, then by their order in the text, so that the second of two equal names is the repetition.
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
