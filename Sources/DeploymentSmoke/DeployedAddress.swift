internal import Bytes
internal import KeyFetcher
internal import Text

/// The address of a deployed API as the user writes it: `NAME=https://HOST/PATH`.
///
/// It is parsed strictly, because tokens are sent to it: no user, no query, no percent-encoding. Plain HTTP is for
/// loopback addresses in digits only, where no token leaves the machine and no name is resolved.
package struct DeployedAddress: Equatable, Sendable {
  /// The name of the API in the template.
  package let api: String
  /// Whether it is a server of this machine with plain HTTP.
  package let isPlain: Bool
  /// The host and the port, if there is one, in lower case.
  package let authority: String
  /// The host in lower case.
  package let host: String
  package let port: UInt16?
  /// The path without a slash at its end; empty for none.
  package let path: String

  /// What every URL of a request begins with.
  package var origin: String { (isPlain ? "http://" : "https://") + authority }

  /// - Throws: the first flaw from the left.
  package init(parsing text: String) throws(SmokeRefusal) {
    guard let sign = text.utf8.firstIndex(of: .equalsSign), sign > text.startIndex else { throw .addressForm }
    let url = text[sign...].dropFirst(bytes: 1)
    isPlain = url.hasBytePrefix("http://")
    guard let rest = url.rest(after: "https://") ?? url.rest(after: "http://") else { throw .scheme }
    let bytes = Array(rest.utf8)
    let end = bytes.firstIndex { $0 == .slash || $0 == .questionMark || $0 == .numberSign } ?? bytes.endIndex
    let authority: Authority
    do throws(KeyAddressError) { authority = try Authority(parsing: bytes[..<end]) } catch {
      if case .userinfo = error { throw .userInAddress }
      throw .hostForm
    }
    let isLiteral = if case .name = authority.host { false } else { true }
    guard !isPlain || (isLiteral && authority.host.isLoopback) else {
      throw .plainHTTP(host: authority.hostText.lowercased())
    }
    var path = String(decoding: bytes[end...], as: UTF8.self)
    if path.hasByteSuffix("/") { path = String(path.dropLast(bytes: 1)) }
    guard path.isEmpty || Self.isPlain(path) else { throw .pathForm }
    (api, host, port) = (String(text[..<sign]), authority.hostText.lowercased(), authority.port)
    self.authority = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
    self.path = path
  }

  /// Whether a path begins with a slash, and has segments of unreserved characters only (RFC 3986 section 2.3).
  static func isPlain(_ path: String) -> Bool {
    guard path.hasBytePrefix("/") else { return false }
    return path.dropFirst(bytes: 1).splitBytes(at: "/", omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.allSatisfy(PercentText.isUnreserved)
    }
  }
}

/// Why nothing is sent. No case has a token or the text of an option that may contain one.
package enum SmokeRefusal: Error, Equatable, Sendable {
  case addressForm, scheme, plainHTTP(host: String), userInAddress, hostForm, pathForm
  /// Plain addresses beside others, which have other keys.
  case mixedAddresses
  case unknownAPI(String, known: [String]), webSocket(String)
  /// Neither the template nor the user named the host.
  case unnamedHost(String)
  case stage(api: String, known: [String]), mapping(host: String, api: String)
  case tokenForm, tokenTwice(role: String), tokenMissing(role: String), tokenBytes(role: String)
  case valueForm(name: String), method, nothingToAsk, wait(timeToLiveSeconds: Int)

  /// What is wrong, in lower case, and what to do.
  package var text: (problem: String, hint: String?) {
    switch self {
    case .addressForm:
      ("--url needs NAME=https://HOST/STAGE", "NAME is an API of the template: authorizer-local routes")
    case .scheme: ("the address of --url does not begin with https://", nil)
    case .plainHTTP(let host):
      (
        "plain http to \(host) would show the tokens to the network",
        "write https://, or 127.0.0.1 for this machine"
      )
    case .userInAddress: ("the address of --url has a user name before the host", nil)
    case .hostForm: ("the address of --url has no usable host or port", nil)
    case .pathForm:
      ("the path of --url may have letters, digits, and - . _ ~ only", "omit query and fragment")
    case .mixedAddresses: ("addresses with http and with https have different keys", "ask them one by one")
    case .unknownAPI(let name, let known):
      ("the template has no API \(name)", "its APIs are \(known.joined(separator: ", "))")
    case .webSocket(let name): ("\(name) is a WebSocket API", "--websocket opens connections to it")
    case .unnamedHost(let host):
      (
        "neither the template nor --api-id names the host \(host), so no token is sent there",
        "give --api-id ID (and --region), or repeat the host: --host NAME"
      )
    case .stage(let api, let known):
      ("the path of --url names no stage of \(api)", "its stages are \(known.joined(separator: ", "))")
    case .mapping(let host, let api):
      ("the domain \(host) of the template does not give the path of --url to \(api)", nil)
    case .tokenForm:
      (
        "--token needs ROLE=@FILE or ROLE=env:NAME",
        "an @ begins the name of a file; a token itself would be in the list of processes"
      )
    case .tokenTwice(let role): ("--token: \(role) is given twice", nil)
    case .tokenMissing(let role):
      ("--token: the file or variable of \(role) cannot be read", "check its name and its permissions")
    case .tokenBytes(let role):
      ("--token: what \(role) names is no token", "it must be one line of visible ASCII, at most 8 KiB")
    case .valueForm(let name):
      ("--value: \(name) needs letters, digits, and - . _ ~ only", "slashes are for {name+}")
    case .method: ("--methods needs names such as GET,POST", nil)
    case .wait(let seconds): ("--wait must be longer than each TTL, so more than \(seconds)", nil)
    case .nothingToAsk: ("there is no request to send", "see the skipped routes, and give --value NAME=VALUE")
    }
  }
}
