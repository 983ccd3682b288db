internal import Bench
internal import Foundation
internal import GatewayModel
internal import JSON
internal import TestTokens
internal import Text

/// The events of one measurement, all of one kind, and the configuration that they need.
struct BenchLoad {
  let name: String
  let summary: String
  let events: [BenchEvent]
  let configuration: FunctionConfiguration

  /// The loads that need no event file.
  enum BuiltIn: String, CaseIterable {
    case rs256, es256, request
    /// One token in every event, with the verdict cache on.
    case again
    /// `request` with a bound token and a proof in each event.
    case dpop
    /// `rs256` with ten rules, each of which has an `any`.
    case rules

    /// Whether the event is a REQUEST event.
    var isRequest: Bool { self == .request || self == .dpop }

    var isES256: Bool { self == .es256 }
  }

  /// Bytes of the event of `request`: a browser's request with its cookies.
  static let requestBytes = 4096
  /// The time that the function is given, in milliseconds: longer than any run.
  private static let deadlineMilliseconds: Int64 = 3_600_000

  /// Returns the load with this name.
  ///
  /// - Parameters:
  ///   - tokens: number of different tokens.
  ///   - configFile: the function's configuration; overrides the load's own.
  static func builtIn(
    _ load: BuiltIn, tokens: Int, configFile: String?, on machine: Machine
  ) throws -> BenchLoad {
    let template =
      switch load {
      case .rs256, .es256, .again, .rules: BenchTemplates.token
      case .request: BenchTemplates.request()
      case .dpop: BenchTemplates.request(hasProof: true)
      }
    var events: [BenchEvent] = []
    let tokens = load == .again ? 1 : tokens
    for number in 0..<tokens {
      let subject = "001482.5f2b7c90d1e84a36b0c7f4d2a9e8" + String(100_000 + number)
      let token = try TokenFile.token(try BenchTemplates.recipe(load, subject: subject), on: machine)
      let proof =
        load == .dpop
        ? try TokenFile.proof(method: "GET", address: BenchTemplates.address, token: token, on: machine) : ""
      let body = BenchTemplates.fill(
        template, token: token, proof: proof, bytes: load.isRequest ? requestBytes : nil)
      events.append(event(body, principal: subject, number: number))
    }
    let kind = load.isRequest ? "REQUEST" : "TOKEN"
    let algorithm = load.isES256 ? "ES256" : "RS256"
    return BenchLoad(
      name: load.rawValue,
      summary:
        "\(load.rawValue): \(kind) event of \(events[0].body.count) bytes, \(algorithm), "
        + (load == .again ? "one token, verdict cache on" : "\(tokens) tokens")
        + (load == .dpop ? ", each with a proof" : load == .rules ? ", ten rules" : ""),
      events: events,
      configuration: try configFile.map {
        try configuration($0, in: machine.files.directory(of: $0), machine)
      } ?? BenchTemplates.configuration(load, machine.development))
  }

  /// Returns the load of an event file. Its `{{token NAME}}` is minted `tokens` times.
  static func file(
    _ path: String, tokens: Int, configFile: String?, isOurs: Bool = true, on machine: Machine
  ) throws -> BenchLoad {
    let bytes = try machine.files.bytes(at: path)
    let directory = machine.files.directory(of: path)
    var events: [BenchEvent] = []
    for number in 0..<tokens {
      let body = try EventTokens(given: TokenSource(signsUnsentClaims: true), machine: machine).rendered(
        bytes, name: path, directory: directory)
      events.append(event(body.bytes, principal: nil, number: number))
    }
    return BenchLoad(
      name: URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent,
      summary: "\(path): \(events[0].body.count) bytes, \(tokens) renderings", events: events,
      configuration: try configuration(configFile, in: directory, isOurs: isOurs, machine))
  }

  private static func configuration(
    _ path: String?, in directory: String, isOurs: Bool = true, _ machine: Machine
  ) throws -> FunctionConfiguration {
    try FunctionConfiguration.forEvent(
      in: directory, options: ConfigurationOptions(config: path), realKeys: false, isOurs: isOurs, on: machine
    )
  }

  private static func event(_ body: [UInt8], principal: String?, number: Int) -> BenchEvent {
    BenchEvent(
      body: body, principal: principal, number: number,
      deadlineMilliseconds: Int64(Date().timeIntervalSince1970 * 1000) + deadlineMilliseconds)
  }
}

/// The events, tokens and settings of the loads that need no file.
enum BenchTemplates {
  private static let arn =
    "arn:aws:execute-api:eu-central-1:123456789012:k3v9x2m7qa/prod/GET/entries/2026-11-21"
  static let audience = "com.example.cyclejournal"
  private static let partner = "https://id.example.com"
  private static let tokenMark = "{{token}}"
  private static let paddingMark = "{{padding}}"
  private static let proofMark = "{{proof}}"
  private static let host = "k3v9x2m7qa.execute-api.eu-central-1.amazonaws.com"
  static let address = "https://\(host)/prod/entries/2026-11-21"

  static func recipe(_ load: BenchLoad.BuiltIn, subject: String) throws -> TokenRecipe {
    let binding = load == .dpop ? #","bind":"dpop""# : ""
    let form =
      load.isES256
      ? #"{"preset":"oidc:\#(partner)","algorithm":"ES256","claims":{"aud":"api","sub":"\#(subject)","exp":"+1h"}}"#
      : #"{"preset":"apple","claims":{"aud":"\#(audience)","sub":"\#(subject)","exp":"+1h"}\#(binding)}"#
    return try TokenRecipe(JSONTree(parsing: Array(form.utf8), limits: .configuration), name: "token")
  }

  static let token = JSONTree.members([
    "type": .string("TOKEN"), "methodArn": .string(arn),
    "authorizationToken": .string("Bearer " + tokenMark),
  ]).bytes()

  /// A REST API's REQUEST event, with the headers that a browser and CloudFront send.
  ///
  /// - Parameter hasProof: whether the token is sent with a DPoP proof.
  static func request(hasProof: Bool = false) -> [UInt8] {
    let headers: [GatewayRequest.Header] = [
      .init("Accept", "application/json"), .init("Accept-Encoding", "gzip, deflate, br"),
      .init("Authorization", (hasProof ? "DPoP " : "Bearer ") + tokenMark),
      .init("CloudFront-Viewer-Country", "JP"), .init("Cookie", "session=" + paddingMark),
      .init("User-Agent", "CycleJournal/3.4.1 CFNetwork/1568.200.51 Darwin/24.1.0"),
      .init("X-Forwarded-For", "203.0.113.24"),
    ]
    let request = EventRequest(
      kind: .restRequest, method: "GET", host: host, path: "/entries/2026-11-21", query: "",
      headers: headers + (hasProof ? [.init("DPoP", proofMark)] : []), stage: "prod", isStageInPath: true,
      api: "k3v9x2m7qa", region: "eu-central-1", account: "123456789012", resource: "/entries/{date}",
      sourceIP: "198.51.100.7", unixMilliseconds: 1_795_255_200_000)
    return request.event
  }

  /// Returns the event with its token. The cookie grows until the event has `wanted` bytes.
  static func fill(
    _ template: [UInt8], token: String, proof: String = "", bytes wanted: Int?
  ) -> [UInt8] {
    let text = String(decoding: template, as: UTF8.self)
    // None of them has a character that JSON escapes.
    func filled(_ padding: String) -> [UInt8] {
      let parts = [tokenMark: token, proofMark: proof, paddingMark: padding]
      return Array(parts.reduce(text) { $0.replacingBytes(of: $1.key, with: $1.value) }.utf8)
    }
    let bare = filled("")
    guard let wanted, bare.count < wanted else { return bare }
    // The cookie is in two members: headers and multiValueHeaders.
    return filled(String(repeating: "c", count: (wanted - bare.count) / 2))
  }

  /// Ten rules, of which a token meets the last by the last member of its `any`.
  private static var rules: String {
    let rules = (0..<10).map { number in
      let route = number == 9 ? "GET /entries/*" : "GET /entries\(number)/*"
      let subject = number == 9 ? "0014" : "9\(number)"
      return #"{"routes":["\#(route)"],"allow":true,"require":{"any":[{"scopes":["s\#(number)"]},"#
        + #"{"claims":{"groups":{"contains":"g\#(number)"}}},{"claims":{"sub":{"prefix":"\#(subject)"}}}]}}"#
    }
    return #","default":"deny","rules":[\#(rules.joined(separator: ","))]"#
  }

  /// One issuer whose seed has as many keys as such an issuer publishes: three for Apple, two for others.
  static func configuration(
    _ load: BenchLoad.BuiltIn, _ development: DevelopmentState
  ) throws -> FunctionConfiguration {
    let (key, count): (DevelopmentKeyName, Int) = load.isES256 ? (.es256, 2) : (.rs256, 3)
    let folder = development.path
    var keys = [try development.keys()[key]]
    while keys.count < count {
      keys.append(
        try SigningKey.generate(key.algorithm, id: DevelopmentKeyName.idPrefix + "bench-\(keys.count)"))
    }
    let seed = "bench-\(key.rawValue).json"
    let set = JSONTree.members(["keys": .array(keys.compactMap(\.publicJWK))])
    try development.write(set.bytes(), to: seed)
    let issuer =
      load.isES256
      ? #""name":"partner","issuer":"\#(partner)","audiences":["api"],"algorithms":["ES256"]"#
      : #""preset":"apple","audiences":["\#(audience)"]"#
    let options =
      switch load {
      case .rs256, .es256, .request: ""
      case .again: #","verdictCache":16"#
      case .dpop: #","gatewayCache":"off""#
      case .rules: rules
      }
    // Each proof is made before the first start.
    let possession =
      load == .dpop ? #","proofOfPossession":{"dpop":{"maximumAgeSeconds":300,"leewaySeconds":60}}"# : ""
    return FunctionConfiguration(
      variables: [
        "AUTHORIZER_DEVELOPMENT": "1",
        "AUTHORIZER_CONFIG":
          #"{"issuers":[{\#(issuer),"keys":{"seed":"\#(seed)","pinned":true}\#(possession)}]\#(options)}"#,
      ], taskRoot: folder)
  }
}
