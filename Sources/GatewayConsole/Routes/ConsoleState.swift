internal import AuthorizerContract
internal import IssuerEmulator
internal import GatewayEmulator
internal import GatewayModel
internal import LambdaEmulator
internal import Bytes
internal import JSON

/// What the gateway and the program know at the moment: cached answers, keys, revocations, findings, the session.
struct ConsoleState {
  let console: Console
  let connection: ConsoleConnection

  func answer(_ route: ConsoleRoute) -> JSONTree {
    switch route {
    case .cache: cache
    case .keys: keys
    case .revocations: console.facts.revocations
    case .findings: .members(["findings": .array(console.facts.findings)])
    case .file, .decisions, .stream, .decision, .replay, .test, .matrix, .session, .send: session
    }
  }

  private var cache: JSONTree {
    let service = connection.service
    let now = service.unixMilliseconds
    let answers = service.cachedAnswers(limit: ConsoleLimits.listed).map { key, entry -> JSONTree in
      let names = key.names
      let answer = entry.grant.answer
      let outcome =
        switch answer.form {
        case .unauthorized: "unauthorized"
        case .policy: "policy"
        case .simple(let isAuthorized, _): isAuthorized ? "allowed" : "forbidden"
        }
      return .members([
        "api": .string(names.api), "stage": .string(names.stage), "authorizer": .string(names.authorizer),
        "key": .string(console.digest(of: key.bytes)),
        "storedAt": .string(Timestamp.text(entry.storedAt)),
        "scope": entry.grant.variables["scope"].map { .string(Redactor.withoutTokens(in: $0)) } ?? .null,
        "ageSeconds": .integer(max(0, now - entry.storedAt) / 1000),
        "endsInSeconds": .integer(max(0, entry.expiresAt - now) / 1000),
        "principal": answer.principal.map { .string(Redactor.withoutTokens(in: $0)) } ?? .null,
        "outcome": .string(outcome),
      ])
    }
    return .members(["count": .integer(Int64(service.keptAnswers)), "answers": .array(answers)])
  }

  private var keys: JSONTree {
    var own: [JSONTree] = []
    if case .array(let keys)? = connection.issuer.keySet["keys"] { own = keys }
    let development = JSONTree.members([
      "issuer": .string("development"), "source": .string("served at /.well-known/jwks.json"),
      "keys": .array(
        own.prefix(ConsoleLimits.listed).map { key in
          .members(["kid": key["kid"], "kty": key["kty"], "alg": key["alg"], "use": key["use"]])
        }),
    ])
    return .members(["sets": .array([development] + console.facts.keySets)])
  }

  private var session: JSONTree {
    let service = connection.service
    let apis = service.gateway.apis.map { api in
      JSONTree.members([
        "name": .string(api.name), "stage": .string(api.stage.name), "kind": .string(api.kind.word),
        "base": .string("/\(api.name)" + (api.stage.isInPath ? "/\(api.stage.name)" : "")),
        "routes": .array(
          api.routes.map { route in
            .members([
              "route": .string(route.key), "guard": .string(api.guardText(of: route)),
              "authorizer": route.authorizer.map { .string($0.name) } ?? .null,
              "timeToLiveSeconds": route.authorizer.map { .integer(Int64($0.timeToLiveSeconds)) } ?? .null,
            ])
          }),
      ])
    }
    return .members([
      "apis": .array(apis),
      "users": .array((console.usesRealKeys ? [] : ConsoleMatrix.users).map { .string($0) }),
      "scopes": .array(console.facts.scopes.map { .string($0) }),
      "clock": .members([
        "time": .string(Timestamp.text(service.unixMilliseconds)),
        "offsetSeconds": .integer(service.clockOffsetSeconds),
        "unmovedFunctions": .array(service.unmovedFunctions.map { .string($0) }),
      ]),
      "keptAnswers": .integer(Int64(service.keptAnswers)),
      "realKeys": .boolean(console.usesRealKeys), "version": .string(console.facts.version),
    ])
  }
}
