internal import Text
internal import JSON

struct MappingRun {
  let input: MappingTemplate.Input
  private(set) var heap: [MappingObject] = []
  var variables: [String: MappingValue] = [:]
  var loops: [Loop] = []
  /// `$input.body`. A request without a body reads as an empty object.
  let bodyText: String
  /// The parsed body, after its first use.
  var body: JSONTree?
  var patterns: [ByteString: RegularExpression] = [:]
  private var blockDepth = 0
  var units: Int
  private var textBytes = Self.maximumTextBytes
  private var context = 0
  private var stage = 0
  /// The objects whose members can be set once.
  private var overrides: Set<Int> = []

  struct Loop {
    var index = 0
    let count: Int
    var isStopped = false
  }

  private enum Flow { case proceed, leaveLoop, stop }

  /// The maximum iterations of a `#foreach` ("Amazon API Gateway quotas").
  static let maximumIterations = 1000
  /// The maximum work: our limit, about a second. A part of the template takes 10 units.
  static let maximumUnits = 10_000_000
  /// The maximum bytes of the output: a body.
  static let maximumOutputBytes = GatewayQuota.payloadBytes
  /// The maximum bytes of all texts together: our limit.
  static let maximumTextBytes = 128 << 20
  /// The maximum number of headers, path or query parameters that a template overrides: our limit.
  static let maximumOverrides = 1000
  /// The maximum nesting of blocks: our limit.
  static let maximumDepth = 32
  /// The maximum nesting of lists and maps that are printed: our limit, above the depth of `bodyLimits`.
  static let maximumValueDepth = 96

  init(_ input: MappingTemplate.Input, units: Int) {
    self.input = input
    self.units = units
    bodyText = input.body.isEmpty ? "{}" : String(decoding: input.body, as: UTF8.self)
    context = new(.map)
    for (name, value) in input.context.values.sorted(by: { $0.key < $1.key }) { setContext(name, value) }
    stage = new(.map)
    for (name, value) in input.stageVariables.sorted(by: { $0.key < $1.key }) {
      heap[stage][name] = .text(value)
    }
    addOverrides()
  }

  mutating func output(of nodes: [MappingNode]) throws(MappingFailure) -> MappingTemplate.Output {
    var bytes: [UInt8] = []
    _ = try render(nodes, into: &bytes)
    return MappingTemplate.Output(
      text: String(decoding: bytes, as: UTF8.self), requestOverride: try override("requestOverride"),
      responseOverride: try override("responseOverride"))
  }

  // MARK: Parts

  private mutating func render(
    _ nodes: [MappingNode], into output: inout [UInt8]
  ) throws(MappingFailure) -> Flow {
    for node in nodes {
      try charge(10)
      switch node {
      case .text(let text): try append(text, to: &output)
      case .output(let reference):
        let value = try value(of: reference)
        try append(try text(of: value), to: &output)
      case .escaped(let count, let reference, let source):
        try appendEscaped(count, reference, source, to: &output)
      case .set(let target, let expression): try set(target, to: try value(of: expression))
      case .condition(let branches, let otherwise):
        var chosen = otherwise
        var place = 0
        while place < branches.count, try !isTrue(branches[place].condition) { place += 1 }
        if place < branches.count { chosen = branches[place].nodes }
        let flow = try render(chosen, into: &output)
        guard flow == .proceed else { return flow }
      case .loop(let variable, let values, let nodes):
        if try loop(variable, values, nodes, into: &output) == .stop { return .stop }
      case .define(let name, let nodes): variables[name] = .block(nodes)
      case .leaveLoop: return .leaveLoop
      case .stop: return .stop
      }
    }
    return .proceed
  }

  private mutating func append(_ text: String, to output: inout [UInt8]) throws(MappingFailure) {
    output += text.utf8
    try charge(text: text)
    guard output.count <= Self.maximumOutputBytes else {
      throw MappingFailure(problem: "the output of the template has more than 10 MB")
    }
  }

  private mutating func appendEscaped(
    _ count: Int, _ reference: MappingReference, _ source: String, to output: inout [UInt8]
  ) throws(MappingFailure) {
    let isKnown = Self.roots.contains(reference.root) || variables[reference.root] != nil
    let backslashes = String(repeating: "\\", count: isKnown ? count / 2 : count)
    if !isKnown || count % 2 == 1 { return try append(backslashes + source, to: &output) }
    let value = try value(of: reference)
    try append(backslashes + (try text(of: value)), to: &output)
  }

  private static let roots: Set<String> = ["input", "util", "context", "stageVariables"]

  private mutating func loop(
    _ variable: String, _ values: MappingExpression, _ nodes: [MappingNode], into output: inout [UInt8]
  ) throws(MappingFailure) -> Flow {
    // Two steps: a call on `self` would see the state before its argument is evaluated.
    let list = try value(of: values)
    let elements = try iterated(list)
    let outer = variables[variable]
    defer { variables[variable] = outer }
    loops.append(Loop(count: elements.count))
    defer { loops.removeLast() }
    for (index, element) in elements.prefix(Self.maximumIterations).enumerated() {
      loops[loops.count - 1].index = index
      variables[variable] = element
      switch try render(nodes, into: &output) {
      case .proceed: if loops[loops.count - 1].isStopped { return .proceed }
      case .leaveLoop: return .proceed
      case .stop: return .stop
      }
    }
    return .proceed
  }

  private mutating func iterated(_ value: MappingValue) throws(MappingFailure) -> [MappingValue] {
    guard case .object(let index) = value else { return [] }
    let object = heap[index]
    guard object.isMap else { return object.elements }
    try charge(object.count)
    return object.keys.map { object[$0] ?? .null }
  }

  /// Evaluates a block, such as a string with references.
  mutating func text(of nodes: [MappingNode]) throws(MappingFailure) -> String {
    blockDepth += 1
    defer { blockDepth -= 1 }
    guard blockDepth <= Self.maximumDepth else {
      throw MappingFailure(problem: "blocks contain each other too deep")
    }
    var bytes: [UInt8] = []
    _ = try render(nodes, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Objects

  /// Adds a list or a map, and returns its place.
  mutating func new(_ kind: MappingObject.Kind) -> Int {
    heap.append(MappingObject(kind))
    return heap.count - 1
  }

  mutating func newList(_ elements: [MappingValue], _ kind: MappingObject.Kind = .list) throws(MappingFailure)
    -> MappingValue
  {
    try charge(elements.count + 20)
    let index = new(kind)
    heap[index].elements = elements
    return .object(index)
  }

  mutating func change(_ index: Int, _ change: (inout [MappingValue]) -> Void) {
    change(&heap[index].elements)
  }

  /// Sets or removes a member of a map.
  mutating func set(_ key: String, of index: Int, to value: MappingValue?) throws(MappingFailure) {
    try charge(value == nil ? heap[index].count : 1)
    if overrides.contains(index), heap[index][key] != nil, value != nil {
      throw MappingFailure(problem: "a parameter is overridden twice")
    }
    heap[index][key] = value
  }

  var contextValue: MappingValue { .object(context) }
  var stageValue: MappingValue { .object(stage) }

  /// Sets a variable of `$context`; each period of its name begins a map. Names are also those of an authorizer's answer,
  /// so the number of maps is limited, and the rest of a name stays as it is.
  private mutating func setContext(_ name: String, _ value: String) {
    var names = name.splitBytes(at: ".", maxSplits: Self.maximumDepth).map(String.init)
    guard let last = names.popLast() else { return }
    var index = context
    for name in names {
      if case .object(let found)? = heap[index][name] {
        index = found
      } else {
        let next = new(.map)
        heap[index][name] = .object(next)
        index = next
      }
    }
    if heap[index][last] == nil { heap[index][last] = .text(value) }
  }

  // MARK: Limits

  mutating func charge(_ cost: Int) throws(MappingFailure) {
    units -= cost
    guard units > 0 else { throw MappingFailure(problem: "the template takes too long") }
  }

  /// Charges a method that reads or makes a text of this many units.
  mutating func charge(reading count: Int) throws(MappingFailure) { try charge(count / 8 + 1) }

  mutating func charge(text: String) throws(MappingFailure) {
    textBytes -= text.utf8.count
    guard textBytes > 0 else { throw MappingFailure(problem: "the template makes too much text") }
    try charge(text.utf8.count / 64)
  }

  // MARK: Overrides

  private mutating func addOverrides() {
    let sides: [(name: String, parts: [(String, [(name: String, values: [String])])])] = [
      (
        "requestOverride",
        [
          ("header", input.requestOverride.headers), ("path", input.requestOverride.path),
          ("querystring", input.requestOverride.query),
        ]
      ),
      ("responseOverride", [("header", [])]),
    ]
    for side in sides {
      let root = new(.map)
      overrides.insert(root)
      heap[context][side.name] = .object(root)
      for (name, values) in side.parts {
        let part = new(.map)
        overrides.insert(part)
        heap[root][name] = .object(part)
        for value in values { heap[part][value.name] = .text(value.values.joined(separator: ",")) }
      }
    }
  }

  private mutating func override(_ side: String) throws(MappingFailure) -> MappingOverride {
    var result = MappingOverride()
    guard case .object(let root)? = heap[context][side] else { return result }
    result.headers = try override("header", of: root)
    result.path = try override("path", of: root)
    result.query = try override("querystring", of: root)
    if let status = heap[root]["status"] { result.status = try text(of: status) }
    return result
  }

  private mutating func override(
    _ part: String, of root: Int
  ) throws(MappingFailure) -> [(name: String, values: [String])] {
    guard case .object(let index)? = heap[root][part] else { return [] }
    guard heap[index].count <= Self.maximumOverrides else {
      throw MappingFailure(problem: "more than \(Self.maximumOverrides) parameters are overridden")
    }
    var result: [(name: String, values: [String])] = []
    for key in heap[index].keys {
      guard let value = heap[index][key] else { continue }
      if case .object(let list) = value, !heap[list].isMap {
        var values: [String] = []
        for element in heap[list].elements { values.append(try text(of: element)) }
        result.append((key, values))
      } else {
        result.append((key, [try text(of: value)]))
      }
    }
    return result
  }
}
