internal import GatewayEmulator
internal import GatewayModel
internal import Text
internal import JSON

/// A decision's request as a command of curl, with shell variables in place of its credentials.
struct CurlCommand {
  /// The command; `nil` if no word of a shell shows its method or address. Its variable `TOKEN` is a token, such as one of
  /// `POST /dev/token`.
  private(set) var text: String?
  /// What the command lacks, because no word of a shell shows it: names of headers, and `body`.
  private(set) var omitted: [String] = []

  private let decision: DecisionText

  init(_ decision: DecisionText) {
    self.decision = decision
    text = command()
  }

  /// Headers that curl or the connection sets.
  private static let implied: Set<String> = [
    "host", "user-agent", "accept", "accept-encoding", "accept-language", "connection", "content-length",
    "transfer-encoding", "upgrade", "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions",
    "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "sec-fetch-user", "sec-ch-ua", "sec-ch-ua-mobile",
    "sec-ch-ua-platform", "upgrade-insecure-requests", "dnt", "priority", "pragma", "cache-control", "origin",
    "referer",
  ]

  private mutating func command() -> String? {
    let request = decision.served.request
    let host = request.values(ofHeader: "Host").first ?? ""
    let base = LoopbackHost.name(of: host) == nil ? "127.0.0.1:8080" : host
    let path = decision.redactor.text(request.sentPath)
    let query = decision.redactor.query(request.query)
    guard let method = ShellWord.quoted(request.method),
      let address = ShellWord.quoted("http://\(base)\(path)" + (query.isEmpty ? "" : "?" + query))
    else { return nil }
    var words = ["curl"]
    // Without it, curl reads brackets and braces of an address as a pattern for many addresses.
    if (path + query).utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
    let body = body.flatMap { ShellWord.quoted($0) }
    // curl makes a POST out of a request with data.
    if request.method != "GET" || body != nil { words += ["-X", method] }
    words.append(address)
    for header in request.headers where !Self.implied.contains(header.name.lowercased()) {
      if let word = word(of: header) { words += ["-H", word] } else { omitted.append(header.name) }
    }
    if let body { words += ["--data-raw", body] } else if !request.body.isEmpty { omitted.append("body") }
    return words.joined(separator: " ")
  }

  /// The body without credentials; `nil` for bytes.
  private var body: String? {
    let bytes = decision.served.request.body
    guard !bytes.isEmpty, let plain = String(validating: bytes, as: UTF8.self) else { return nil }
    guard let tree = try? JSONTree(parsing: bytes) else { return decision.redactor.query(plain) }
    return String(decoding: decision.redactor.tree(tree).bytes(), as: UTF8.self)
  }

  /// A header as one word of the command; `nil` if there is none.
  private func word(of header: GatewayRequest.Header) -> String? {
    let name = decision.redactor.text(header.name)
    guard decision.credentials.isCredential(header.name) else {
      return ShellWord.quoted("\(name): \(decision.redactor.text(header.value))")
    }
    let scheme = header.value.splitBytes(at: " ").first.map(String.init) ?? ""
    if let token = decision.credentials.token?.text, header.value.hasSameBytes(as: "\(scheme) \(token)") {
      return ShellWord.quoted("\(name): \(decision.redactor.text(scheme)) ").map { $0 + "\"$TOKEN\"" }
    }
    // Only letters and underscores are part of the variable, so the shell reads nothing else of the name.
    let variable = header.name.uppercased().map { $0.isASCII && $0.isLetter ? $0 : "_" }
    return ShellWord.quoted("\(name): ").map { $0 + "\"$\(String(variable))\"" }
  }
}
