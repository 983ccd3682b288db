@testable internal import Authorizer
@testable internal import FunctionHost
@testable internal import IssuerKeys
@testable internal import JOSE
internal import Bytes
internal import JSON
internal import KeyFetcher

/// Properties of events and their credentials.
enum EventProperties {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    try checkDecision(on: bytes)
    try checkGuest(bytes)
    let request: AuthorizationRequest
    do throws(EventFlaw) {
      request = try AuthorizationRequest(parsing: bytes)
    } catch {
      return try Finding.unless(!error.description.isEmpty, "a refusal has a description")
    }
    try check(request.arn, of: request, bytes)
    if let id = APIRequestID(in: request.event) {
      try Finding.unless(
        1...APIRequestID.byteLimit ~= id.utf8.count
          && id.utf8.allSatisfy { $0.isVisible && $0 != .quote && $0 != .backslash },
        "an ID for the log is short and needs no escape")
    }
    if let asked = try? MCPRequest(request) {
      try Finding.unless(request.kind.hasClientHeaders, "an event without headers asks for nothing")
      try Finding.unless((asked.kind == nil) == asked.name.isEmpty, "a call has a name")
      try Finding.unless(!ControlCharacters.occur(in: asked.name), "a name has no control characters")
    }
    for source in sources {
      try checkCredential(of: request, source)
    }
  }

  /// A stage's prefix becomes part of a policy, followed by a wildcard, so it must not contain a wildcard itself.
  private static func check(
    _ arn: MethodARN, of request: AuthorizationRequest, _ event: [UInt8]
  ) throws(Finding) {
    guard let tree = try? JSONTree(parsing: event, limits: .event) else {
      throw Finding(property: "an event is JSON")
    }
    let name = request.kind == .http2 ? "routeArn" : "methodArn"
    guard case .string(let text)? = tree[name] else { throw Finding(property: "an event has its \(name)") }
    try Finding.unless(text.utf8.elementsEqual(arn.stagePrefix + arn.route), "an ARN is preserved")
    let prefix = arn.stagePrefix
    try Finding.unless(
      prefix.count + arn.route.count <= MethodARN.maximumBytes, "an ARN is within its limit")
    try Finding.unless(prefix.starts(with: "arn:aws".utf8) && prefix.last == .slash, "a prefix spans a stage")
    let fields = prefix.split(separator: .colon, omittingEmptySubsequences: false)
    try Finding.unless(fields.count == 6 && !fields.contains { $0.isEmpty }, "an ARN has six fields")
    try Finding.unless(prefix.count(where: { $0 == .slash }) == 2, "a prefix ends with the stage")
    let isSample = prefix.suffix(3).elementsEqual("/*/".utf8)
    try Finding.unless(
      prefix.count(where: { $0 == .asterisk }) == (isSample ? 1 : 0),
      "a prefix has no wildcard except the stage *"
    )
    let isDefault = prefix.suffix(10).elementsEqual("/$default/".utf8)
    try Finding.unless(
      prefix.count(where: { $0 == .dollar }) == (isDefault ? 1 : 0),
      "a prefix has no variable except $default")
    try Finding.unless(
      prefix.allSatisfy { $0.isVisible && $0 != .questionMark && $0 != .quote && $0 != .backslash },
      "a prefix has no byte with a special meaning in a policy")
  }

  private static let sources: [[TokenSource]] = [
    [.header("authorization")], [.cookie("session")], [.query("token")],
    [.header("authorization"), .header("x-token"), .cookie("session"), .query("token")],
  ]

  private static func checkCredential(
    of request: AuthorizationRequest, _ sources: [TokenSource]
  ) throws(Finding) {
    let places = CredentialPlaces(sources: sources, allowsQuery: true, acceptsDPoP: false)
    if Guest(request, places) != nil {
      try Finding.unless((try? request.credential(in: places)) == nil, "a guest has no credential")
      try Finding.unless(request.credentials(in: places).isEmpty, "a guest has sent no text as credential")
    }
    guard let token = (try? request.credential(in: places))?.token else { return }
    try Finding.unless(!token.isEmpty, "a credential is not empty")
    try Finding.unless(token.allSatisfy { $0.isVisible }, "a credential is visible ASCII without spaces")
    try Finding.unless(!token.contains(.comma), "a credential has no comma: two were joined")
  }

  private static let apple =
    #"{"preset":"apple","audiences":["com.example.cyclejournal"],"keys":{"seed":"k","pinned":true}}"#
  private static let authorizerSettings = settings(
    #"""
    {"issuers":[\#(apple),
    {"name":"partner","issuer":"https://id.example.com","audiences":["api"],"algorithms":["ES256","EdDSA"],
    "proofOfPossession":"ignore","keys":{"seed":"k","pinned":true}}]}
    """#)
  private static let guestSettings = settings(
    #"{"issuers":[\#(apple)],"gatewayCache":"off","anonymous":{"routes":["* /*","$connect"]}}"#)
  private static let toolSettings = settings(
    #"{"issuers":[\#(apple)],"gatewayCache":"off","default":"deny","rules":[{"routes":["* /mcp"],"tools":["*"],"allow":true},{"routes":["* /mcp","$connect"],"allow":true}]}"#
  )
  private static func settings(_ document: String) -> Settings? {
    try? Settings(reading: InputSource(document: document, issuer: nil, audience: nil, keys: nil))
  }

  /// Never fetches: all keys are pinned.
  private struct NoTransport: KeyTransport {
    func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches {
      KeyFetches(results: addresses.map { _ in .failure(.deadlineExceeded) }, elapsedMilliseconds: 0)
    }
  }

  private static func decision(
    on event: [UInt8], by settings: Settings?
  ) throws(Finding) -> (Decision, keyFetches: Int) {
    guard let settings else { throw Finding(property: "a sound configuration is accepted") }
    let now: Int64 = 1_800_000_000
    var authorizer = Authorizer(settings: settings, transport: NoTransport(), at: now)
    let decision = authorizer.decide(on: event, at: InvocationTime(unixSeconds: now))
    return (decision, authorizer.keyFetches)
  }

  /// A guest gets a policy, and no other event does.
  private static func checkGuest(_ event: [UInt8]) throws(Finding) {
    let (decision, _) = try decision(on: event, by: guestSettings)
    try Finding.unless((decision.outcome == .allowed) == decision.isGuest, "only guests are allowed")
    guard decision.isGuest, case .response(let bytes) = decision.answer else { return }
    guard let tree = try? JSONTree(parsing: bytes) else { throw Finding(property: "a policy is JSON") }
    try Finding.unless(tree["principalId"] == .string("anonymous"), "a guest is anonymous")
  }

  /// Every event gets an answer, and none is allowed because the keys signed nothing.
  private static func checkDecision(on event: [UInt8]) throws(Finding) {
    let (tools, _) = try decision(on: event, by: toolSettings)
    try Finding.unless(tools.outcome != .allowed, "headers replace no token")
    let (decision, keyFetches) = try decision(on: event, by: authorizerSettings)
    try Finding.unless(keyFetches == 0, "pinned keys are not fetched")
    try Finding.unless(decision.outcome != .allowed, "a token without a valid signature is not allowed")
    switch decision.answer {
    case .response: throw Finding(property: "no policy without a token")
    case .unauthorized: try Finding.unless(decision.eventKind != nil, "401 needs an authorizer event")
    case .failure(let failure):
      try Finding.unless(
        failure.errorMessage != Answer.unauthorizedMessage, "a failure never has the message of a 401")
    }
  }
}
