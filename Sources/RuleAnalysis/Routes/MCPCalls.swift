internal import Authorizer

/// The calls that decide on the paths on which rules name tools, resources or prompts: each method, with one name for each
/// pattern and one that no pattern with text has, and a URI that no pattern with a wildcard grants.
struct MCPCalls {
  /// `nil` for a request without the headers of MCP.
  typealias Call = (request: MCPRequest?, words: String?)

  private let paths: Set<[UInt8]>
  private var calls: [Call] = [
    (MCPRequest(kind: nil, name: []), "other methods"), (nil, "no MCP headers"),
  ]

  init(_ settings: [Settings]) throws(AnalysisLimit) {
    paths = Set(settings.flatMap { $0.rules?.toolRoutes?.paths ?? [] })
    let rules = settings.flatMap { $0.rules?.rules ?? [] }
    for kind in MCPKind.allCases {
      let patterns = Set(rules.flatMap { $0.names(of: kind) }).union([[RoutePattern.wildcard]])
      let taken = Set(patterns.joined())
      guard let filler = (Array("xzqk".utf8) + (0x21...0x7E)).first(where: { !taken.contains($0) }) else {
        throw .noFreeByte
      }
      let evasive = kind == .resources ? [[RoutePattern.wildcard] + Array("\\".utf8)] : []
      for pattern in patterns.sorted(by: precedes) + evasive {
        calls.append(
          (
            MCPRequest(kind: kind, name: Glob(bytes: pattern).path(filledWith: filler)),
            kind.method + " " + String(decoding: pattern, as: UTF8.self)
          ))
      }
    }
  }

  /// Returns the calls on a path, with words for each.
  func of(_ path: [UInt8]) -> [Call] { paths.contains(path) ? calls : [(nil, nil)] }
}

extension Settings {
  /// Whether a property may say that the request is always allowed. On a path on which the headers of MCP decide, no
  /// request without them is, and none for a URI that may mean another one.
  func canAllow(_ request: RequestPoint) -> Bool {
    guard rules?.toolRoutes?.paths.contains(request.path) == true else { return true }
    return request.call.map { $0.kind != .resources || !$0.mayEscape } ?? false
  }
}
