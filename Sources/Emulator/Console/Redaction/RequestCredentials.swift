internal import JSON

/// The credentials of one exchange: what must not be in any text about it.
struct RequestCredentials {
  /// The values, without short ones.
  private(set) var values: Set<String> = []
  /// The names of headers and parameters whose values are identity sources, in lower case.
  private(set) var names: Set<String> = []
  /// The token that the authorizer most likely used: the first in the request that can be decoded.
  private(set) var token: DecodedToken?
  /// Tokens of answers are not those of the request.
  private var isReadingAnswer = false

  /// Whether there are more values than are searched for. Then no text of the exchange is shown.
  var isExcessive: Bool { values.count > Self.maximumValues }

  /// The most values: our choice. A request of a browser has some ten.
  private static let maximumValues = 200

  /// Shorter values are removed by their place only: a text that consists of a few characters is in many others.
  static let minimumBytes = 8

  init(of decision: RecordedDecision) {
    let served = decision.served
    for source in served.exchange?.route.identitySources ?? [] {
      switch source {
      case .header(let name), .query(let name): names.insert(name.lowercased())
      case .stageVariable, .context: continue
      }
    }
    let request = served.request
    // An identity source first: it is what the authorizer reads.
    let headers = request.headers.filter { isCredential($0.name) }
    let (first, others) = (headers.filter { names.contains($0.name.lowercased()) }, headers)
    for header in first + others { add(header) }
    for item in request.queryItems where isCredential(item.name) {
      add(item.value)
    }
    add(raw: request.query)
    isReadingAnswer = true
    add(body: request.body)
    add(response: served.response)
    if let key = served.exchange?.apiKey?.value { add(key) }
    if let key = served.exchange?.evidence?.grant?.usageIdentifierKey { add(key) }
  }

  /// Whether a value of this name is a credential of the request.
  func isCredential(_ name: String) -> Bool {
    names.contains(name.lowercased()) || CredentialNames.isCredential(name)
  }

  // MARK: Places

  private mutating func add(_ header: GatewayRequest.Header) {
    if header.name.lowercased() != "dpop" { add(header.value) }
    switch header.name.lowercased() {
    case "cookie":
      for cookie in Self.pairs(header.value, separator: ";") { add(cookie.value) }
    case "set-cookie":
      if let cookie = Self.pairs(header.value, separator: ";").first { add(cookie.value) }
    case "sec-websocket-protocol":
      for item in header.value.split(separator: ",") {
        let text = Self.trimmed(item)
        add(text)
        // Clients put a prefix before the token, because only a subprotocol can be sent.
        for part in text.split(separator: "|") { add(String(part)) }
      }
    // A proof is a JWT too, and not the token.
    case "dpop": values.insert(header.value)
    default:
      let words = header.value.split(separator: " ", omittingEmptySubsequences: false)
      if words.count > 1 { add(words.dropFirst().joined(separator: " ")) }
      for word in words { add(String(word)) }
      // `Credential=…, Signature=…` of Signature Version 4, and RFC 9110 section 11.4.
      for pair in Self.pairs(header.value, separator: ",") { add(pair.value) }
      if words.count == 2, let decoded = Base64Text.decoded(String(words[1])),
        let text = String(validating: decoded, as: UTF8.self)
      {
        add(text)
        for part in text.split(separator: ":", maxSplits: 1) { add(String(part)) }
      }
    }
  }

  private mutating func add(raw query: String) {
    for pair in Self.pairs(query, separator: "&")
    where isCredential(PercentText.decoded(Substring(pair.name), plusIsBlank: true)) {
      add(pair.value)
    }
  }

  private mutating func add(body: [UInt8]) {
    guard !body.isEmpty else { return }
    if let tree = try? JSONTree(parsing: body) { return add(tree, isCredential: false) }
    guard let text = String(validating: body, as: UTF8.self) else { return }
    let form = GatewayRequest(method: "POST", path: "/", query: text, headers: [])
    for item in form.queryItems where isCredential(item.name) { add(item.value) }
    add(raw: text)
  }

  private mutating func add(response: GatewayResponse) {
    for header in response.headers where CredentialNames.isCredential(header.name) { add(header) }
    if let tree = try? JSONTree(parsing: response.body) { add(tree, isCredential: false) }
  }

  private mutating func add(_ tree: JSONTree, isCredential: Bool) {
    switch tree {
    case .string(let text): if isCredential { add(text) }
    case .number(let text): if isCredential { add(text) }
    case .array(let elements): for element in elements { add(element, isCredential: isCredential) }
    case .object(let members):
      for member in members {
        add(member.value, isCredential: isCredential || CredentialNames.isCredential(member.name))
      }
    case .boolean, .null: break
    }
  }

  private mutating func add(_ value: String) {
    if value.utf8.count >= Self.minimumBytes, !isExcessive { values.insert(value) }
    if token == nil, !isReadingAnswer { token = DecodedToken(value) }
  }

  // MARK: Texts

  /// Splits `a=b; c=d` into names and values without quotes.
  static func pairs(_ text: String, separator: Character) -> [(name: String, value: String)] {
    text.split(separator: separator).compactMap { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      let value = trimmed(parts[1])
      let isQuoted = value.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"")
      return (trimmed(parts[0]), isQuoted ? String(value.dropFirst().dropLast()) : value)
    }
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let rest = text.drop { $0 == " " || $0 == "\t" }
    return String(rest.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
