internal import JSON

/// A decision's request as a command of curl, with shell variables in place of its credentials.
struct CurlCommand {
  private let text: DecisionText

  init(_ text: DecisionText) { self.text = text }

  /// Headers that curl or the connection sets.
  private static let omitted: Set<String> = [
    "host", "user-agent", "accept", "accept-encoding", "accept-language", "connection", "content-length",
    "transfer-encoding", "upgrade", "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions",
    "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "sec-fetch-user", "sec-ch-ua", "sec-ch-ua-mobile",
    "sec-ch-ua-platform", "upgrade-insecure-requests", "dnt", "priority", "pragma", "cache-control", "origin",
    "referer",
  ]

  /// The command. Its variable `TOKEN` is a token, such as one of `POST /dev/token`.
  var command: String {
    let request = text.served.request
    let host = request.values(ofHeader: "Host").first ?? ""
    let base = LoopbackHost.name(of: host) == nil ? "127.0.0.1:8080" : host
    let path = text.redactor.text(request.sentPath)
    let query = text.redactor.query(request.query)
    var words = ["curl"]
    // Without it, curl reads brackets and braces of an address as a pattern for many addresses.
    if (path + query).utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
    let body = body
    // curl makes a POST out of a request with data.
    if request.method != "GET" || body != nil { words += ["-X", Self.quoted(request.method)] }
    words.append(Self.quoted("http://\(base)\(path)" + (query.isEmpty ? "" : "?" + query)))
    for header in request.headers where !Self.omitted.contains(header.name.lowercased()) {
      if let word = word(of: header) { words += ["-H", word] }
    }
    if let body { words += ["--data-raw", Self.quoted(body)] }
    return words.joined(separator: " ")
  }

  /// The body without credentials; `nil` for none, for bytes, and for text that a terminal would interpret: a paste can
  /// end at its escape sequences, and what follows would be typed.
  private var body: String? {
    let bytes = text.served.request.body
    guard !bytes.isEmpty, let plain = String(validating: bytes, as: UTF8.self),
      !plain.unicodeScalars.contains(where: Self.isControl)
    else { return nil }
    guard let tree = try? JSONTree(parsing: bytes) else { return text.redactor.query(plain) }
    return String(decoding: text.redactor.tree(tree).bytes(), as: UTF8.self)
  }

  /// Whether a terminal could interpret the character (Unicode category Cc), except tab and line feed.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control && scalar != "\t" && scalar != "\n"
  }

  /// A header as one word of the command; `nil` for one that a terminal would interpret.
  private func word(of header: GatewayRequest.Header) -> String? {
    guard header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    let name = text.redactor.text(header.name)
    guard text.credentials.isCredential(header.name) else {
      return Self.quoted("\(name): \(text.redactor.text(header.value))")
    }
    let scheme = header.value.split(separator: " ").first.map(String.init) ?? ""
    if let token = text.credentials.token?.text, header.value.hasSameBytes(as: "\(scheme) \(token)") {
      return Self.quoted("\(name): \(text.redactor.text(scheme)) ") + "\"$TOKEN\""
    }
    // Only letters and underscores are part of the variable, so the shell reads nothing else of the name.
    let variable = header.name.uppercased().map { $0.isASCII && $0.isLetter ? $0 : "_" }
    return Self.quoted("\(name): ") + "\"$\(String(variable))\""
  }

  /// A word in single quotes, in which the shell replaces nothing.
  private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }
}
