internal import Text
internal import JSON

/// A value during the evaluation of a template.
///
/// A value that Java would have as null is the empty text where a reference yields it: recordings of API Gateway show
/// that `#if($unset)` is true and `$unset` prints nothing.
enum MappingValue: Sendable {
  case text(String)
  case integer(Int64)
  case decimal(Double)
  case boolean(Bool)
  /// Null within a list or map.
  case null
  /// A list or map of the heap.
  case object(Int)
  /// An entry of a map of the heap.
  case entry(Int, key: String)
  /// The content of a `#define`.
  case block([MappingNode])

  static let empty = MappingValue.text("")

  package var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .decimal(let value): value
    default: nil
    }
  }
}

/// A list or a map. All of one evaluation are in one array, so that no reference between them keeps memory or makes
/// it recursive.
struct MappingObject: Sendable {
  enum Kind: Sendable {
    /// A list of the template, which Java prints as `[a, b]`.
    case list
    /// A list of JSON, which prints as JSON.
    case jsonList
    case map
  }

  let kind: Kind
  var elements: [MappingValue] = []
  /// The names of a map, in order.
  private(set) var keys: [String] = []
  private var members: [ByteString: MappingValue] = [:]

  init(_ kind: Kind) { self.kind = kind }

  var isMap: Bool { kind == .map }
  var count: Int { isMap ? keys.count : elements.count }

  subscript(_ key: String) -> MappingValue? {
    get { members[ByteString(key)] }
    set {
      let exact = ByteString(key)
      if members[exact] == nil, newValue != nil { keys.append(key) }
      if newValue == nil { keys.removeAll { $0.hasSameBytes(as: key) } }
      members[exact] = newValue
    }
  }
}

/// Why a template has no output. API Gateway would answer with a 500.
package struct MappingFailure: Error, Equatable {
  /// The problem, in lower case.
  package let problem: String
}
