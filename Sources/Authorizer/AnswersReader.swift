import JOSE
import JSON

/// Reads how answers are said: `unauthorized`, `httpApiAnswer`, `expiryCondition`.
extension ObjectReader {
  mutating func answerStyles(hasRules: Bool, _ cache: GatewayCache) -> AnswerStyles {
    var styles = AnswerStyles()
    if let value = value("unauthorized") {
      if value.kind == .object {
        if var map = reader("unauthorized") {
          styles.unauthorized.rest = map.word("rest", UnauthorizedStyle.self) ?? .error
          styles.unauthorized.http1 = map.word("http1", UnauthorizedStyle.self) ?? .error
          styles.unauthorized.http2 = map.word("http2", UnauthorizedStyle.self) ?? .error
          styles.unauthorized.webSocket = map.word("webSocket", UnauthorizedStyle.self) ?? .error
          map.finish()
        }
      } else if let style = word("unauthorized", UnauthorizedStyle.self) {
        styles.unauthorized = .init(all: style)
      }
    }
    styles.isSimpleOnHTTP2 = isSimpleOnHTTP2()
    // A route of an API is a template: what `GET /users/{id}` or `ANY /{proxy+}` keeps answers every path and verb under it.
    if styles.isSimpleOnHTTP2, hasRules, cache != .off {
      add(
        "httpApiAnswer",
        "a simple answer for one path would be cached for others; write \"policy\", or set \"gatewayCache\" to"
          + " \"off\" where the API caches nothing")
    }
    styles.hasExpiryCondition = boolean("expiryCondition") ?? false
    return styles
  }

  private mutating func isSimpleOnHTTP2() -> Bool {
    guard let value = value("httpApiAnswer") else { return false }
    guard value.kind == .object else { return word("httpApiAnswer", HTTPAPIAnswer.self) == .simple }
    guard var map = reader("httpApiAnswer") else { return false }
    if map.word("http1", HTTPAPIAnswer.self) == .simple {
      map.add("http1", "payload format 1.0 takes policies alone")
    }
    let isSimple = map.word("http2", HTTPAPIAnswer.self) == .simple
    map.finish()
    return isSimple
  }
}

/// What an HTTP API is set to take.
enum HTTPAPIAnswer: String, CaseIterable { case policy, simple }

/// Reads `context` of an issuer's entry.
extension ObjectReader {
  /// The members that are written, by name; `nil` for a standard member that is switched off.
  mutating func contextMembers() -> [(name: String, source: ContextTemplate.Source?)] {
    guard let value = value("context") else { return [] }
    guard value.kind == .object else {
      add("context", "an object of names and claims is expected")
      return []
    }
    var members: [(name: String, source: ContextTemplate.Source?)] = []
    for (member, wanted) in value.members {
      let name = member.text ?? ""
      let place = "context." + name
      if ContextTemplate.reservedNames.contains(name) {
        add(place, "API Gateway and this authorizer give this name a meaning of their own; choose another")
      } else if !Self.isContextName(name) {
        add(place, "a name is 1 to 64 letters, digits, _ and -, the first a letter")
      } else if wanted.boolean == false {
        if !(ContextTemplate.standard + ContextTemplate.apple).contains(where: { $0.name == name }) {
          add(place, "false leaves out a standard member, and this is none")
        }
        members.append((name, nil))
      } else if ContextTemplate.identityNames.contains(name) {
        add(
          place,
          "says who the caller is, which another claim cannot; false leaves it out, another name is free")
      } else if let source = source(wanted, place) {
        members.append((name, source))
      }
    }
    if members.count > ContextTemplate.maximumMembers {
      add("context", "\(members.count) members; \(ContextTemplate.maximumMembers) at most")
    }
    return members
  }

  private func source(_ value: JSONValue, _ place: String) -> ContextTemplate.Source? {
    if let text = value.text, let claim = ClaimPath(text) { return .claim(claim) }
    guard value.kind == .object, var form = ObjectReader(value, path: path(of: place), problems) else {
      add(
        place, "a claim's name, or names joined by dots, is expected; or {\"claim\": …, \"as\": …}; or false")
      return nil
    }
    let claim = form.text("claim").flatMap { ClaimPath($0) }
    let shape = form.word("as", ContextShape.self)
    form.finish()
    guard let claim else {
      form.add("claim", "a claim's name, or names joined by dots, is expected")
      return nil
    }
    return switch shape {
    case nil: .claim(claim)
    case .joined: .joinedList(claim)
    case .json: .jsonText(claim)
    case .boolean: .booleanClaim(claim)
    }
  }

  private static func isContextName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard 1...64 ~= bytes.count, let first = bytes.first else { return false }
    let isLetter = { (byte: UInt8) in 0x41...0x5A ~= byte || 0x61...0x7A ~= byte }
    return isLetter(first)
      && bytes.allSatisfy { isLetter($0) || 0x30...0x39 ~= $0 || $0 == 0x5F || $0 == 0x2D }
  }
}

/// How a claim is written where a context takes no lists.
enum ContextShape: String, CaseIterable { case joined, json, boolean }

extension ContextTemplate {
  /// The standard members, those of the preset, then what was written; what was written replaces its namesake.
  init(isApple: Bool, _ written: [(name: String, source: Source?)]) {
    var members = Self.standard + (isApple ? Self.apple : [])
    for (name, source) in written {
      let place = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
      switch (place, source) {
      case (let place?, let source?): members[place] = Member(name: name, source: source)
      case (let place?, nil): members.remove(at: place)
      case (nil, let source?): members.append(Member(name: name, source: source))
      case (nil, nil): break
      }
    }
    self.init(members: members)
  }
}
