/// A path whose methods are guarded, and an open route that answers its other methods.
///
/// A REST API chooses by path and method together. So a request with a method that the guarded path lacks reaches a
/// less specific route, such as `ANY /{proxy+}`, and its caller needs nothing. HTTP APIs do the same, as documented.
package struct UnprotectedMethods: Equatable {
  package let guarded: [GatewayRoute]
  /// The methods that the path lacks and that the open route answers.
  package let methods: [String]
  package let open: GatewayRoute
}

extension RouteTable {
  /// The methods that are looked for (RFC 9110 section 9, RFC 5789). A preflight request needs no credentials, so
  /// `OPTIONS` is not one of them.
  static let holeMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

  /// Returns the holes of an API, in the order of its routes.
  ///
  /// It looks up one path of each guarded pattern, with values for parameters that no route has as a literal.
  package func holes(of api: GatewayAPI) -> [UnprotectedMethods] {
    var patterns: [PathPattern] = []
    for case .path(_, let pattern) in api.routes.filter({ !$0.isOpen }).map(\.match)
    where !patterns.contains(where: { $0.hasSameRequests(as: pattern) }) {
      patterns.append(pattern)
    }
    let word = Self.unusedWord(in: api)
    return patterns.flatMap { pattern in
      let own = api.routes.filter { $0.isAt(pattern) }
      var holes: [UnprotectedMethods] = []
      for method in Self.holeMethods where !own.contains(where: { $0.answers(method) }) {
        guard let found = route(method: method, path: pattern.sample(word))?.route, found.isOpen else {
          continue
        }
        if let place = holes.firstIndex(where: { $0.open == found }) {
          let hole = holes[place]
          holes[place] = UnprotectedMethods(
            guarded: hole.guarded, methods: hole.methods + [method], open: found)
        } else {
          holes.append(UnprotectedMethods(guarded: own.filter { !$0.isOpen }, methods: [method], open: found))
        }
      }
      return holes
    }
  }

  private static func unusedWord(in api: GatewayAPI) -> String {
    var literals: Set<String> = []
    for case .path(_, let pattern) in api.routes.map(\.match) {
      for case .literal(let text) in pattern.segments { literals.insert(text) }
    }
    var word = "x"
    while literals.contains(word) { word += "x" }
    return word
  }
}

extension GatewayRoute {
  /// Whether every client may call it, without an API key.
  fileprivate var isOpen: Bool { access.isOpen && !needsAPIKey }

  fileprivate func isAt(_ pattern: PathPattern) -> Bool {
    if case .path(_, let own) = match { own.hasSameRequests(as: pattern) } else { false }
  }

  fileprivate func answers(_ method: String) -> Bool {
    if case .path(let own, _) = match { own == nil || own == method } else { false }
  }
}

extension PathPattern {
  /// Whether two patterns differ in the names of their parameters only.
  package func hasSameRequests(as other: PathPattern) -> Bool {
    segments.count == other.segments.count
      && zip(segments, other.segments).allSatisfy { one, other in
        switch (one, other) {
        case (.literal(let left), .literal(let right)): left.utf8.elementsEqual(right.utf8)
        case (.parameter, .parameter), (.greedy, .greedy): true
        default: false
        }
      }
  }

  /// A path that matches, with this value for every parameter.
  fileprivate func sample(_ word: String) -> String {
    "/" + segments.map { if case .literal(let text) = $0 { text } else { word } }.joined(separator: "/")
  }
}
