import Bytes

/// One of the routes of the identity function.
enum Route: Equatable {
  case nonce
  /// `POST /auth/verify`, and `POST /auth/apple`, which is the same.
  case verify, apple
  case notification
  case ownUser
  /// The segment after `/users/`, still percent-encoded.
  case user([UInt8])
  /// `POST /auth/logout`
  case logout
  /// `POST /signals/{name}/logout` or `…/events`, with the name as in the path.
  case signal(SignalKind, [UInt8])

  /// The route of a path; `nil` if no route matches.
  ///
  /// HTTP APIs leave the stage name in the path, and custom domains leave their base path. Each is removed if the
  /// path matches no route with it.
  init?(path: [UInt8], stage: [UInt8], basePath: [UInt8]) {
    let stagePath = stage.elementsEqual("$default".utf8) ? [] : [0x2F] + stage
    for (first, second) in [([], []), (stagePath, []), ([], basePath), (stagePath, basePath)] {
      guard let rest = Self.rest(of: path[...], after: first),
        let routed = Self.rest(of: rest, after: second), let route = Self.route(routed)
      else { continue }
      self = route
      return
    }
    return nil
  }

  /// The route's name for the log. Never the path itself, which may contain a subject.
  var name: String {
    switch self {
    case .nonce: "/auth/nonce"
    case .verify: "/auth/verify"
    case .apple: "/auth/apple"
    case .notification: "/auth/apple/notifications"
    case .ownUser: "/users/me"
    case .user: "/users/{sub}"
    case .logout: "/auth/logout"
    case .signal(.logout, _): "/signals/{name}/logout"
    case .signal(.event, _): "/signals/{name}/events"
    }
  }

  /// Whether the route exists for Sign in with Apple only.
  var isOfApple: Bool {
    switch self {
    case .nonce, .verify, .apple, .notification, .ownUser, .user: true
    case .logout, .signal: false
    }
  }

  /// The value of `Allow` (RFC 9110 section 10.2.1). The API itself answers preflight requests, because it knows its
  /// origins.
  var allowedMethods: String {
    switch self {
    case .nonce, .verify, .apple, .notification, .logout, .signal: "POST"
    case .ownUser, .user: "GET, HEAD"
    }
  }

  /// Whether the route allows a method. HEAD is answered as GET, without the body (RFC 9110 section 9.3.2).
  func allows(_ method: [UInt8]) -> Bool {
    switch self {
    case .ownUser, .user: method.elementsEqual("GET".utf8) || method.elementsEqual("HEAD".utf8)
    default: method.elementsEqual("POST".utf8)
    }
  }

  private static func rest(of path: ArraySlice<UInt8>, after prefix: [UInt8]) -> ArraySlice<UInt8>? {
    path.starts(with: prefix) ? path.dropFirst(prefix.count) : nil
  }

  private static func route(_ path: ArraySlice<UInt8>) -> Route? {
    for route in [Route.nonce, .verify, .apple, .notification, .ownUser, .logout]
    where path.elementsEqual(route.name.utf8) {
      return route
    }
    if let signal = rest(of: path, after: Array("/signals/".utf8)) {
      let parts = signal.split(separator: .slash, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      if parts[1].elementsEqual("logout".utf8) { return .signal(.logout, Array(parts[0])) }
      return parts[1].elementsEqual("events".utf8) ? .signal(.event, Array(parts[0])) : nil
    }
    guard let segment = rest(of: path, after: Array("/users/".utf8)), !segment.isEmpty,
      !segment.contains(.slash)
    else { return nil }
    return .user(Array(segment))
  }
}
