/// A mapping template: the Velocity Template Language with the variables of API Gateway ("API Gateway mapping
/// template and access logging variable reference").
///
/// It is parsed once. A part that is not supported is an error of the parser, so that no output is silently wrong.
package struct MappingTemplate: Equatable, Sendable {
  /// As written.
  package let text: String
  private let nodes: [MappingNode]

  /// Maximum bytes of a template ("Amazon API Gateway quotas": 300 KB).
  package static let maximumBytes = 300 << 10

  /// A part of the template that is not supported.
  package struct Unknown: Error, Equatable {
    package let lineOffset: Int
    package let problem: String
  }

  package init(_ text: String) throws(Unknown) {
    guard text.utf8.count <= Self.maximumBytes else {
      throw Unknown(lineOffset: 0, problem: "the template has more than 300 KB")
    }
    self.text = text
    var parser = MappingParser(Array(text.utf8))
    nodes = try parser.template()
  }

  /// The parsed parts follow from the text.
  package static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  package struct Input: Sendable {
    /// `$input.body`.
    package var body: [UInt8] = []
    /// `$input.params()`: the path parameters, query parameters and headers of the request.
    package var path: [(name: String, value: String)] = []
    package var query: [(name: String, value: String)] = []
    package var headers: [(name: String, value: String)] = []
    package var context = ContextVariables([:])
    package var stageVariables: [String: String] = [:]
    /// What the request template has set, which the response template can read.
    package var requestOverride = MappingOverride()
  }

  /// The output of a template, and what it has set in `$context`.
  package struct Output: Sendable {
    package let text: String
    package let requestOverride: MappingOverride
    package let responseOverride: MappingOverride
  }

  /// Evaluates the template. The work, the output and the memory are limited.
  package func filled(from input: Input, units: Int = MappingRun.maximumUnits) throws(MappingFailure)
    -> Output
  {
    var run = MappingRun(input, units: units)
    return try run.output(of: nodes)
  }

  /// Escapes like Apache Commons Text, including apostrophes.
  static func escapedForJavaScript(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count)
    for unit in text.utf16 {
      switch unit {
      case 0x22, 0x27, 0x2F, 0x5C: result += [0x5C, UInt8(unit)]
      case 0x08: result += #"\b"#.utf8
      case 0x09: result += #"\t"#.utf8
      case 0x0A: result += #"\n"#.utf8
      case 0x0C: result += #"\f"#.utf8
      case 0x0D: result += #"\r"#.utf8
      case 0x20...0x7E: result.append(UInt8(unit))
      default:
        result += #"\u"#.utf8
        for shift in [12, 8, 4, 0] { result.append(digits[Int(unit >> shift) & 0x0F]) }
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// What a template sets in `$context.requestOverride` or `.responseOverride` ("Use a mapping template to override an
/// API's request and response parameters and status codes").
package struct MappingOverride: Equatable, Sendable {
  /// The values by name; several for a list.
  package var headers: [(name: String, values: [String])] = []
  package var path: [(name: String, values: [String])] = []
  package var query: [(name: String, values: [String])] = []
  package var status: String?

  package init() {}

  /// Compares all members; tuples are not `Equatable`.
  package static func == (left: Self, right: Self) -> Bool {
    left.status == right.status && left.headers.elementsEqual(right.headers) { $0 == $1 }
      && left.path.elementsEqual(right.path) { $0 == $1 }
      && left.query.elementsEqual(right.query) { $0 == $1 }
  }
}

extension MappingTemplate.Input {
  package init(_ body: [UInt8]) { self.init(body: body) }
}
