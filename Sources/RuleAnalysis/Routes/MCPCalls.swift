internal import Authorizer

/// What the headers of MCP say that a request calls.
enum MCPCall: Hashable {
  /// The request has no such headers.
  case none
  /// A method that no rule can name.
  case other
  case named(MCPKind, [UInt8])

  /// What rules decide on; `nil` without the headers.
  var request: MCPRequest? {
    switch self {
    case .none: nil
    case .other: MCPRequest(kind: nil, name: [])
    case .named(let kind, let name): MCPRequest(kind: kind, name: name)
    }
  }

  var method: String? {
    switch self {
    case .none: nil
    case .other: "tools/list"
    case .named(let kind, _): kind.method
    }
  }

  var name: String? {
    guard case .named(_, let name) = self else { return nil }
    return String(decoding: name, as: UTF8.self)
  }
}

/// The calls that decide on the paths on which rules name tools, resources or prompts: each method, with one name for each
/// pattern and one that no pattern with text has.
struct MCPCalls {
  private let paths: Set<[UInt8]>
  private let calls: [(MCPCall, String?)]

  init(_ settings: [Settings]) throws(AnalysisLimit) {
    paths = Set(settings.flatMap { $0.rules?.toolRoutes?.paths ?? [] })
    let rules = settings.flatMap { $0.rules?.rules ?? [] }
    var calls: [(MCPCall, String?)] = [(.other, "other methods"), (.none, "no MCP headers")]
    for kind in MCPKind.allCases {
      let patterns = Set(rules.flatMap { $0.names(of: kind) }).union([[RoutePattern.wildcard]])
      let taken = Set(patterns.joined())
      guard let filler = (Array("xzqk".utf8) + (0x21...0x7E)).first(where: { !taken.contains($0) }) else {
        throw .noFreeByte
      }
      for pattern in patterns.sorted(by: precedes) {
        let name = Glob(bytes: pattern).path(filledWith: filler)
        calls.append((.named(kind, name), kind.method + " " + String(decoding: pattern, as: UTF8.self)))
      }
    }
    self.calls = calls
  }

  /// Returns the calls on a path, with words for each.
  func of(_ path: [UInt8]) -> [(MCPCall, String?)] { paths.contains(path) ? calls : [(.none, nil)] }
}

extension Settings {
  /// Whether any rules could allow the request. Without the headers of MCP, and as a preflight, none on a path on which
  /// they decide.
  func canAllow(_ request: RequestPoint) -> Bool {
    guard rules?.toolRoutes?.paths.contains(request.path) == true else { return true }
    return request.call != .none && request.verb != "OPTIONS"
  }
}
