internal import Bytes
internal import GatewayModel
internal import Text

/// A route of a rule or of guests, as the configuration has it.
package struct WrittenRoute: Equatable, Sendable {
  /// The place in the configuration: `rules[0].routes[1]`.
  package let place: String
  /// The route as written, such as `GET /users/{id}`: one that the function accepts.
  package let text: String
  /// The verb; `nil` for all of them.
  private let method: String?
  /// The paths that it matches; empty for `$connect`.
  private let paths: [PathLanguage]

  package init(place: String, text: String) {
    self.place = place
    self.text = text
    let parts = text.utf8.split(separator: .space, maxSplits: 1).map { Substring($0) }
    let verb = String(parts.first ?? "")
    method = verb == "*" || verb == "ANY" ? nil : verb
    guard parts.count == 2 else {
      paths = []
      return
    }
    // `/x/*` covers `/x` too.
    let whole = [PathLanguage(ofRule: parts[1].utf8)]
    let parent = parts[1].utf8.count > 2 && parts[1].hasByteSuffix("/*")
    paths = whole + (parent ? [PathLanguage(ofRule: parts[1].dropLast(bytes: 2).utf8)] : [])
  }

  /// Whether some request matches both routes.
  func meets(_ route: GatewayRoute, isREST: Bool) -> Bool {
    switch route.match {
    case .path(let verb, let pattern):
      let language = PathLanguage(pattern, isREST: isREST)
      return (verb == nil || method == nil || verb == method) && paths.contains { $0.meets(language) }
    case .default: return paths.contains { $0.meets(.everything) }
    case .connect: return paths.isEmpty
    case .message: return false
    }
  }
}
