internal import Text

/// The methods of lists and maps.
extension MappingRun {
  package mutating func call(
    _ name: String, _ arguments: [MappingValue], onList list: Int
  ) throws(MappingFailure) -> MappingValue? {
    try charge(heap[list].count / 16 + 1)
    switch (name, arguments.count) {
    case ("size", 0), ("count", 0): return .integer(Int64(heap[list].count))
    case ("isEmpty", 0): return .boolean(heap[list].count == 0)
    case ("get", 1): return try element(arguments[0], of: .object(list))
    case ("contains", 1): return .boolean(try index(of: arguments[0], in: list) != nil)
    case ("indexOf", 1): return .integer(Int64(try index(of: arguments[0], in: list) ?? -1))
    case ("equals", 1): return .boolean(try isEqual(.object(list), arguments[0]))
    case ("add", 1):
      change(list) { $0.append(arguments[0]) }
      return .boolean(true)
    case ("add", 2):
      guard case .integer(let index) = arguments[0] else { return nil }
      let place = try place(index, in: list, orBehind: true)
      change(list) { $0.insert(arguments[1], at: place) }
      return nil
    case ("addAll", 1):
      guard case .object(let other) = arguments[0], !heap[other].isMap else { return nil }
      let added = heap[other].elements
      try charge(added.count)
      change(list) { $0 += added }
      return .boolean(!added.isEmpty)
    case ("set", 2), ("remove", 1):
      guard case .integer(let index) = arguments[0] else { return nil }
      let place = try place(index, in: list)
      let old = heap[list].elements[place]
      change(list) { if arguments.count == 2 { $0[place] = arguments[1] } else { $0.remove(at: place) } }
      return old
    case ("subList", 2):
      guard case .integer(let first) = arguments[0], case .integer(let last) = arguments[1] else {
        return nil
      }
      let start = try place(first, in: list, orBehind: true)
      let end = try place(last, in: list, orBehind: true)
      guard start <= end else { throw MappingFailure(problem: "a part of a list ends before it begins") }
      return try newList(Array(heap[list].elements[start..<end]), heap[list].kind)
    case ("clear", 0):
      change(list) { $0 = [] }
      return nil
    default: return nil
    }
  }

  private mutating func index(of value: MappingValue, in list: Int) throws(MappingFailure) -> Int? {
    for (index, element) in heap[list].elements.enumerated() {
      try charge(1)
      switch (element, value) {
      case (.integer(let one), .integer(let other)): if one == other { return index }
      case (.text(let one), .text(let other)):
        try charge(reading: min(one.utf8.count, other.utf8.count))
        if one.hasSameBytes(as: other) { return index }
      case (.boolean(let one), .boolean(let other)): if one == other { return index }
      case (.decimal(let one), .decimal(let other)): if one == other { return index }
      case (.object, .object): if try isEqual(element, value) { return index }
      default: continue
      }
    }
    return nil
  }

  package mutating func call(
    _ name: String, _ arguments: [MappingValue], onMap map: Int
  ) throws(MappingFailure) -> MappingValue? {
    var first = ""
    if let key = arguments.first { first = try text(of: key) }
    switch (name, arguments.count) {
    case ("size", 0): return .integer(Int64(heap[map].count))
    case ("isEmpty", 0): return .boolean(heap[map].count == 0)
    case ("get", 1): return heap[map][first]
    case ("getOrDefault", 2): return heap[map][first] ?? arguments[1]
    case ("containsKey", 1): return .boolean(heap[map][first] != nil)
    case ("containsValue", 1):
      guard case .object(let values) = try values(of: map) else { return nil }
      return .boolean(try index(of: arguments[0], in: values) != nil)
    case ("equals", 1): return .boolean(try isEqual(.object(map), arguments[0]))
    case ("keySet", 0): return try newList(heap[map].keys.map { .text($0) })
    case ("values", 0): return try values(of: map)
    case ("entrySet", 0): return try newList(heap[map].keys.map { .entry(map, key: $0) })
    case ("put", 2), ("remove", 1):
      let old = heap[map][first]
      try set(first, of: map, to: arguments.count == 2 ? arguments[1] : nil)
      return old
    case ("putAll", 1):
      guard case .object(let other) = arguments[0], heap[other].isMap else { return nil }
      for key in heap[other].keys { try set(key, of: map, to: heap[other][key] ?? .null) }
      return nil
    case ("clear", 0):
      for key in heap[map].keys { try set(key, of: map, to: nil) }
      return nil
    default: return nil
    }
  }

  private mutating func values(of map: Int) throws(MappingFailure) -> MappingValue {
    let object = heap[map]
    return try newList(object.keys.map { object[$0] ?? .null })
  }
}
