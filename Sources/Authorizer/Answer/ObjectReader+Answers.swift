import Bytes
import FunctionHost
import JOSE
import JSON

/// Reads the format of answers: `unauthorized`, `httpApiAnswer`, `expiryCondition`.
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
    // The cache of an API is per route, and a route is a template: an answer cached for `GET /users/{id}` or `ANY
    // /{proxy+}` answers every path and method that it matches.
    if styles.isSimpleOnHTTP2, hasRules, cache != .off {
      add(
        "httpApiAnswer",
        "a simple answer for one path would be cached for others; write \"policy\", or set \"gatewayCache\" to"
          + " \"off\" if the API caches nothing")
    }
    styles.hasExpiryCondition = boolean("expiryCondition") ?? false
    return styles
  }

  private mutating func isSimpleOnHTTP2() -> Bool {
    guard let value = value("httpApiAnswer") else { return false }
    guard value.kind == .object else { return word("httpApiAnswer", HTTPAPIAnswer.self) == .simple }
    guard var map = reader("httpApiAnswer") else { return false }
    if map.word("http1", HTTPAPIAnswer.self) == .simple {
      map.add("http1", "payload format 1.0 accepts only policies")
    }
    let isSimple = map.word("http2", HTTPAPIAnswer.self) == .simple
    map.finish()
    return isSimple
  }
}

/// The answer format that an HTTP API is configured for.
enum HTTPAPIAnswer: String, CaseIterable { case policy, simple }

/// Reads `context` of an issuer's entry.
extension ObjectReader {
  /// Returns the configured members by name; the source is `nil` for a standard member that is switched off.
  mutating func contextMembers() -> [(name: String, source: ContextTemplate.Source?)] {
    guard let value = value("context") else { return [] }
    guard value.kind == .object else {
      add("context", "an object of names and claims is expected")
      return []
    }
    var members: [(name: String, source: ContextTemplate.Source?)] = []
    for (member, wanted) in value.members {
      let name = member.text ?? ""
      let memberPath = "context." + name
      if ContextTemplate.reservedNames.contains(name)
        || ContextTemplate.ownNames.contains(name.lowercased())
        || name.lowercased().utf8.starts(with: ContextTemplate.revocationPrefix.utf8)
      {
        add(memberPath, "reserved by API Gateway or by this authorizer; choose another name")
      } else if name.lowercased().utf8.elementsEqual(ContextMembers.guestName.utf8) {
        // Without case, as some backends read names.
        add(
          memberPath,
          "tells guests (\"anonymous\") from callers with a token and cannot come from a claim; choose another name"
        )
      } else if !Self.isContextName(name) {
        add(memberPath, "a name is 1 to 64 letters, digits, _ and -, the first a letter")
      } else if wanted.boolean == false {
        if !(ContextTemplate.standard + ContextTemplate.apple).contains(where: { $0.name == name }) {
          add(memberPath, "false omits a standard member, but this is not one")
        }
        members.append((name, nil))
      } else if ContextTemplate.identityNames.contains(name) {
        add(
          memberPath,
          (name.utf8.elementsEqual("confirmation".utf8)
            ? "tells what the caller has proven" : "identifies the caller")
            + " and cannot come from another claim; omit it with false, or choose another name"
        )
      } else if let source = source(wanted, memberPath) {
        members.append((name, source))
      }
    }
    if members.count > ContextTemplate.maximumMembers {
      add("context", "\(members.count) members; \(ContextTemplate.maximumMembers) at most")
    }
    return members
  }

  private func source(_ value: JSONValue, _ memberPath: String) -> ContextTemplate.Source? {
    if let text = value.text, let claim = ClaimPath(text) { return .claim(claim) }
    guard value.kind == .object, var form = ObjectReader(value, path: path(of: memberPath), problems) else {
      add(
        memberPath,
        "a claim's name, or names joined by dots, is expected; or {\"claim\": …, \"as\": …}; or false")
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
      && bytes.allSatisfy { isLetter($0) || $0.isDecimalDigit || $0 == .underscore || $0 == .hyphen }
  }
}

/// The format of a claim where a context does not accept lists.
enum ContextShape: String, CaseIterable { case joined, json, boolean }

extension ContextTemplate {
  /// Combines the standard members, those of the preset and the configured ones; a configured member replaces the
  /// member of the same name.
  init(isApple: Bool, _ written: [(name: String, source: Source?)]) {
    var members = Self.standard + (isApple ? Self.apple : [])
    for (name, source) in written {
      let index = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
      switch (index, source) {
      case (let index?, let source?): members[index] = Member(name: name, source: source)
      case (let index?, nil): members.remove(at: index)
      case (nil, let source?): members.append(Member(name: name, source: source))
      case (nil, nil): break
      }
    }
    self.init(members: members)
  }
}
