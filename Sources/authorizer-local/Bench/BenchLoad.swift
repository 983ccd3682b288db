internal import Bench
internal import Foundation
internal import JSON
internal import TestTokens

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
  private static let tokenMark = "\u{1}"
  private static let paddingMark = "\u{2}"
  private static let proofMark = "\u{3}"
  private static let host = "k3v9x2m7qa.execute-api.eu-central-1.amazonaws.com"
  private static let path = "/prod/entries/2026-11-21"
  static let address = "https://\(host)\(path)"

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
  ])

  /// The members of a REST API's REQUEST event, with the headers that a browser and CloudFront send.
  ///
  /// - Parameter hasProof: whether the token is sent with a DPoP proof.
  static func request(hasProof: Bool = false) -> JSONTree {
    var headers: [(String, String)] = [
      ("Accept", "application/json"), ("Accept-Encoding", "gzip, deflate, br"),
      ("Authorization", (hasProof ? "DPoP " : "Bearer ") + tokenMark), ("CloudFront-Viewer-Country", "JP"),
      ("Cookie", "session=" + paddingMark), ("Host", host),
      ("User-Agent", "CycleJournal/3.4.1 CFNetwork/1568.200.51 Darwin/24.1.0"),
      ("X-Amzn-Trace-Id", "Root=1-6740a1c2-3f5b7d9e1a2c4e6f8091b3d5"),
      ("X-Forwarded-For", "203.0.113.24, 198.51.100.7"),
      ("X-Forwarded-Port", "443"), ("X-Forwarded-Proto", "https"),
    ]
    if hasProof { headers.append(("DPoP", proofMark)) }
    return .members([
      "type": .string("REQUEST"), "methodArn": .string(arn), "resource": .string("/entries/{date}"),
      "path": .string("/entries/2026-11-21"), "httpMethod": .string("GET"),
      "headers": .object(headers.map { .init(name: $0.0, value: .string($0.1)) }),
      "multiValueHeaders": .object(headers.map { .init(name: $0.0, value: .array([.string($0.1)])) }),
      "queryStringParameters": .object([]), "multiValueQueryStringParameters": .object([]),
      "pathParameters": .members(["date": .string("2026-11-21")]), "stageVariables": .object([]),
      "requestContext": .members([
        "resourceId": .string("b8w2zt"), "resourcePath": .string("/entries/{date}"),
        "httpMethod": .string("GET"), "path": .string(path),
        "accountId": .string("123456789012"), "protocol": .string("HTTP/1.1"), "stage": .string("prod"),
        "requestTimeEpoch": .number("1795255200000"),
        "requestId": .string("7c1e9a52-4d0b-4f68-9b3a-2e5d8c7f1a06"),
        "identity": .members([
          "cognitoIdentityPoolId": .null, "accountId": .null, "caller": .null, "accessKey": .null,
          "userArn": .null, "user": .null, "sourceIp": .string("203.0.113.24"),
        ]),
        "domainName": .string(host),
        "apiId": .string("k3v9x2m7qa"),
      ]),
    ])
  }

  /// Returns the event with its token. The cookie grows until the event has `wanted` bytes.
  static func fill(
    _ template: JSONTree, token: String, proof: String = "", bytes wanted: Int?
  ) -> [UInt8] {
    func filled(_ padding: String) -> [UInt8] {
      template.replacing([tokenMark: token, proofMark: proof, paddingMark: padding]).bytes()
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

extension JSONTree {
  /// Returns the same tree with each of these texts replaced in every string value.
  fileprivate func replacing(_ texts: [String: String]) -> JSONTree {
    switch self {
    case .object(let members):
      .object(members.map { .init(name: $0.name, value: $0.value.replacing(texts)) })
    case .array(let elements): .array(elements.map { $0.replacing(texts) })
    case .string(let text):
      .string(texts.reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) })
    case .number, .boolean, .null: self
    }
  }
}
