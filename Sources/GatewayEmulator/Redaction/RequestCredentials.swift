internal import GatewayModel
internal import Text
internal import Bytes
internal import JSON

/// The credentials of one exchange: what must not be in any text about it.
package struct RequestCredentials {
  /// The values, without short ones.
  package private(set) var values: Set<String> = []
  /// The names of headers and parameters whose values are identity sources, in lower case.
  package private(set) var names: Set<String> = []
  /// The token that the authorizer most likely used: the first in the request that can be decoded.
  package private(set) var token: DecodedToken?
  /// Tokens of answers are not those of the request.
  private var isReadingAnswer = false
  private let longestTextBytes: Int

  /// Whether there are more values than are searched for. Then no text of the exchange is shown.
  package var isExcessive: Bool { values.count > Self.maximumValues }

  /// The most values: our choice. A request of a browser has some ten.
  private static let maximumValues = 200

  /// Shorter values are removed by their place only: a text that consists of a few characters is in many others.
  static let minimumBytes = 8

  /// Where an exchange has credentials.
  package struct Places {
    let request: GatewayRequest
    /// The response without its body where it is not read.
    var response: GatewayResponse?
    var identitySources: [IdentitySource] = []
    var pathParameters: [PathPattern.Parameter] = []
    var stageVariables: [String: String] = [:]
    var answer: [UInt8] = []
    /// Other values, raw or percent-encoded: API keys that were used, and credentials of a path whose answer is
    /// cached.
    var credentials: [String] = []
    /// Whether the body of the request is read.
    var readsBody = true
    /// The number of bytes of the longest text that is searched; it cannot contain a longer value.
    var longestTextBytes = Int.max

    /// The bodies and the answer that are searched: without those over their limits.
    var searched: (request: [UInt8], response: [UInt8], answer: [UInt8]) {
      (
        readsBody ? Self.short(request.body, RequestCredentials.bodyBytes) : [],
        Self.short(response?.body ?? [], RequestCredentials.bodyBytes),
        Self.short(answer, RequestCredentials.answerBytes)
      )
    }

    private static func short(_ bytes: [UInt8], _ limit: Int) -> [UInt8] { bytes.count > limit ? [] : bytes }
  }

  /// The longest body of a request or a response that is searched, in bytes. Our choice: a client waits for the search,
  /// and every page can send a body of 10 MB. Nothing of a longer one is kept or shown.
  package static let bodyBytes = 64 << 10
  /// The longest answer of an authorizer that is searched, in bytes, for the same reason.
  package static let answerBytes = 256 << 10

  package init(in places: Places) {
    longestTextBytes = places.longestTextBytes
    for source in places.identitySources {
      switch source {
      case .header(let name), .query(let name), .stageVariable(let name): names.insert(name.lowercased())
      case .context: continue
      }
    }
    let request = places.request
    // A scheme of authentication says what the value is, whatever its header is called (RFC 9110 section 11.4).
    for header in request.headers where Self.hasScheme(header.value) {
      names.insert(header.name.lowercased())
    }
    // An identity source first: it is what the authorizer reads.
    let headers = request.headers.filter { isCredential($0.name) }
    let (first, others) = (headers.filter { names.contains($0.name.lowercased()) }, headers)
    for header in first + others { add(header) }
    for item in request.queryItems {
      if isParameter(item.name) { add(item.value) } else { add(address: item.value) }
    }
    add(raw: request.query)
    for header in request.headers { add(address: header.value) }
    add(path: request, places.pathParameters)
    isReadingAnswer = true
    for variable in places.stageVariables where isCredential(variable.key) { add(variable.value) }
    let searched = places.searched
    add(body: searched.request)
    for header in places.response?.headers ?? [] {
      if CredentialNames.isCredential(header.name) { add(header) } else { add(address: header.value) }
    }
    for bytes in [searched.response, searched.answer] where !bytes.isEmpty {
      if let tree = try? JSONTree(parsing: bytes) { add(tree, CredentialNames.isCredential) }
    }
    if let token { add(token.claims, CredentialNames.isCredentialClaim) }
    for value in places.credentials {
      add(value)
      add(PercentText.decoded(value))
    }
  }

  package func isCredential(_ name: String) -> Bool {
    names.contains(name.lowercased()) || CredentialNames.isCredentialOfRequest(name)
  }

  private func isParameter(_ name: String) -> Bool {
    names.contains(name.lowercased()) || CredentialNames.isCredentialParameter(name)
  }

  private static func hasScheme(_ value: String) -> Bool {
    let start = value.prefix(7).lowercased()
    return ["basic ", "bearer ", "dpop "].contains { start.hasBytePrefix($0) }
  }

  // MARK: Places

  /// Parameters of the path by their names, in the route (`/invite/{token}`) and in the path itself (`;jsessionid=1`).
  private mutating func add(path request: GatewayRequest, _ parameters: [PathPattern.Parameter]) {
    var wanted: Set<String> = []
    for parameter in parameters where isCredential(parameter.name) {
      add(parameter.value)
      add(PercentText.decoded(parameter.value))
      wanted.insert(PercentText.decoded(parameter.value))
    }
    for path in [request.path, request.sentPath]
    where !wanted.isEmpty || path.utf8.contains(UInt8(ascii: ";")) {
      for segment in path.splitBytes(at: "/") {
        if wanted.contains(PercentText.decoded(segment)) { add(String(segment)) }
        for pair in Self.pairs(String(segment), separator: .semicolon) where isParameter(pair.name) {
          add(pair.value)
          add(PercentText.decoded(pair.value))
        }
      }
    }
  }

  /// Parameters of an address, such as the page that a client comes from.
  private mutating func add(address text: String) {
    guard text.has(.equalsSign) else { return }
    for part in text.utf8.split(whereSeparator: { $0 == .questionMark || $0 == .numberSign }).dropFirst() {
      for pair in Self.pairs(String(Substring(part)), separator: UInt8(ascii: "&"))
      where isParameter(PercentText.decoded(pair.name, plusIsBlank: true)) {
        add(pair.value)
        add(PercentText.decoded(pair.value, plusIsBlank: true))
      }
    }
  }

  private mutating func add(_ header: GatewayRequest.Header) {
    if header.name.lowercased() != "dpop" { add(header.value) }
    switch header.name.lowercased() {
    case "cookie":
      for cookie in Self.pairs(header.value, separator: .semicolon) { add(cookie.value) }
    case "set-cookie":
      if let cookie = Self.pairs(header.value, separator: .semicolon).first { add(cookie.value) }
    case "sec-websocket-protocol":
      for item in header.value.parts(.comma) {
        let text = item.trimmingBlanks
        add(text)
        // Clients put a prefix before the token, because only a subprotocol can be sent.
        for part in text.splitBytes(at: "|") { add(String(part)) }
      }
    // A proof is a JWT too, and not the token.
    case "dpop": insert(header.value)
    default:
      let words = header.value.parts(.space)
      if words.count > 1 { add(words.dropFirst().joined(separator: " ")) }
      for word in words { add(word) }
      // `Credential=…, Signature=…` of Signature Version 4, and RFC 9110 section 11.4.
      for pair in Self.pairs(header.value, separator: .comma) { add(pair.value) }
      if words.count == 2, let decoded = Base64Text.decoded(words[1]),
        let text = String(validating: decoded, as: UTF8.self)
      {
        add(text)
        for part in text.splitBytes(at: ":", maxSplits: 1) { add(String(part)) }
      }
    }
  }

  private mutating func add(raw query: String) {
    for pair in Self.pairs(query, separator: UInt8(ascii: "&"))
    where isParameter(PercentText.decoded(Substring(pair.name), plusIsBlank: true)) {
      add(pair.value)
    }
  }

  private mutating func add(body: [UInt8]) {
    guard !body.isEmpty else { return }
    if let tree = try? JSONTree(parsing: body) {
      if tree["grant_type"] != nil, case .string(let code)? = tree["code"] { add(code) }
      return add(tree, CredentialNames.isCredentialOfRequest)
    }
    guard let text = String(validating: body, as: UTF8.self) else { return }
    if let form = MultipartText(text) {
      for field in form.fields where isParameter(field.name) { add(field.value) }
      return
    }
    let form = GatewayRequest(method: "POST", path: "/", query: text, headers: [])
    for item in form.queryItems where isParameter(item.name) { add(item.value) }
    add(raw: text)
  }

  private mutating func add(
    _ tree: JSONTree, isCredential: Bool = false, _ isName: (String) -> Bool
  ) {
    switch tree {
    case .string(let text): if isCredential { add(text) }
    case .number(let text): if isCredential { add(text) }
    case .array(let elements): for element in elements { add(element, isCredential: isCredential, isName) }
    case .object(let members):
      for member in members {
        add(member.value, isCredential: isCredential || isName(member.name), isName)
      }
    case .boolean, .null: break
    }
  }

  private mutating func add(_ value: String) {
    insert(value)
    if token == nil, !isReadingAnswer { token = DecodedToken(value) }
  }

  private mutating func insert(_ value: String) {
    let bytes = value.utf8.count
    if bytes >= Self.minimumBytes, bytes <= longestTextBytes, !isExcessive { values.insert(value) }
  }

  // MARK: Texts

  /// Splits `a=b; c=d` into names and values without quotes.
  package static func pairs(_ text: String, separator: UInt8) -> [(name: String, value: String)] {
    guard text.has(.equalsSign) else { return [] }
    return text.parts(separator).compactMap { item in
      guard let sign = item.utf8.firstIndex(of: .equalsSign) else { return nil }
      let value = item[item.utf8.index(after: sign)...].trimmingBlanks
      let isQuoted = value.utf8.count > 1 && value.utf8.first == .quote && value.utf8.last == .quote
      let content = isQuoted ? String(Substring(value.utf8.dropFirst().dropLast())) : value
      return (item[..<sign].trimmingBlanks, content)
    }
  }
}

// These search several bytes at a time: each request waits for them, and credentials are long.
extension String {
  fileprivate func has(_ byte: UInt8) -> Bool { Array(utf8).span.contains(byte) }

  /// The parts between these bytes, also empty ones.
  fileprivate func parts(_ separator: UInt8) -> [String] {
    let bytes = Array(utf8)
    var parts: [String] = []
    var start = 0
    while true {
      let end = bytes.span.firstIndex(of: separator, from: start)
      parts.append(String(decoding: bytes[start..<end], as: UTF8.self))
      if end == bytes.count { return parts }
      start = end + 1
    }
  }
}
