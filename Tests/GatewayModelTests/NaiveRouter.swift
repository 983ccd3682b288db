/// A second implementation of AWS's routing rules for the tests, written from their text. It knows no pattern type: it
/// walks a tree of path parts (REST), or filters and sorts whole routes (HTTP).
struct NaiveRouter {
  private struct Route {
    let key: String
    let verb: String
    /// The parts that are not walked yet.
    var parts: ArraySlice<String>
  }

  private let routes: [Route]
  private let hasDefault: Bool

  /// - Parameter keys: the routes as `METHOD /path`, or `$default`.
  init(keys: [String]) {
    hasDefault = keys.contains("$default")
    routes = keys.filter { $0 != "$default" }.map { key in
      let space = key.firstIndex(of: " ") ?? key.endIndex
      return Route(
        key: key, verb: String(key[..<space]), parts: Self.parts(String(key[space...].dropFirst()))[...])
    }
  }

  /// REST: "a method request against a specific resource takes precedence over a method request against a generic
  /// resource at the same level of the resource hierarchy" ("Set up a method request in API Gateway").
  ///
  /// Slashes at the end make no difference (aws/chalice issue 65).
  func restKey(method: String, path: String) -> String? {
    Self.walk(Self.parts(path).reversed().drop(while: \.isEmpty).reversed()[...], routes, method)
  }

  private static func walk(_ rest: ArraySlice<String>, _ routes: [Route], _ method: String) -> String? {
    guard let part = rest.first else { return key(routes.filter(\.parts.isEmpty), method) }
    func child(_ isMeant: (String) -> Bool) -> [Route] {
      routes.filter { $0.parts.first.map(isMeant) == true }.map {
        Route(key: $0.key, verb: $0.verb, parts: $0.parts.dropFirst())
      }
    }
    if let found = walk(rest.dropFirst(), child { $0 == part }, method) { return found }
    let parameters = child { $0.hasPrefix("{") && !$0.hasSuffix("+}") }
    if !part.isEmpty, let found = walk(rest.dropFirst(), parameters, method) { return found }
    return key(child { $0.hasSuffix("+}") }, method)
  }

  private static func key(_ routes: [Route], _ method: String) -> String? {
    (routes.first { $0.verb == method } ?? routes.first { $0.verb == "ANY" })?.key
  }

  /// HTTP: "Full match for a route and method; match for a route and method with a greedy path variable; the $default
  /// route" ("Create routes for HTTP APIs"). Among several, the one with the most specific part at the first difference;
  /// then the method itself.
  func httpKey(method: String, path: String) -> String? {
    let parts = Self.parts(path)[...]
    let fitting = routes.filter {
      ($0.verb == method || $0.verb == "ANY") && Self.fits($0.parts, parts)
    }
    func weight(_ route: Route) -> String {
      let levels = route.parts.map { $0.hasSuffix("+}") ? "2" : $0.hasPrefix("{") ? "1" : "0" }
      return (route.key.hasSuffix("+}") ? "1" : "0") + levels.joined() + (route.verb == "ANY" ? "1" : "0")
    }
    return fitting.min { weight($0) < weight($1) }?.key ?? (hasDefault ? "$default" : nil)
  }

  private static func fits(_ route: ArraySlice<String>, _ path: ArraySlice<String>) -> Bool {
    guard let first = route.first else { return path.isEmpty }
    if first.hasSuffix("+}") { return path.count > 1 || path.first?.isEmpty == false }
    guard let part = path.first else { return false }
    return (first.hasPrefix("{") ? !part.isEmpty : first == part)
      && fits(route.dropFirst(), path.dropFirst())
  }

  private static func parts(_ path: String) -> [String] {
    path == "/"
      ? [] : path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
  }
}
