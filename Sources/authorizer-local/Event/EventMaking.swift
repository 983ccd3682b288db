internal import Text
internal import GatewayModel

/// Makes the request of an event from the options of the command line.
struct EventMaking {
  let command: EventMakeCommand
  let headers: [GatewayRequest.Header]
  let machine: Machine

  /// Returns the request, and prints a note if its stage is a guess.
  func request() throws(CommandFailure) -> EventRequest {
    let (kind, method) = (command.kind, command.verb)
    let target = try target()
    if kind == .webSocket, method != "GET" {
      throw CommandFailure(.usage, "a WebSocket handshake is a GET", hint: "omit -X")
    }
    let path = target.path.isEmpty ? "/" : target.path
    let route = command.resource ?? path
    guard route == "$default" || PathPattern(route)?.parameters(in: path) != nil else {
      throw CommandFailure(
        .usage, "\(path) does not match the route \(route)",
        hint:
          "the stage \(target.stage) is not part of --resource; {name} matches one part, {name+} all remaining parts"
      )
    }
    var request = EventRequest(
      kind: kind, method: method, host: target.host, path: path, query: target.query,
      headers: headers, cookies: command.cookie, stage: target.stage,
      isStageInPath: target.isStageInPath, api: command.apiID ?? target.api ?? "a1b2c3d4e5",
      region: command.region ?? target.region ?? "us-east-1",
      account: command.account, resource: route, sourceIP: command.sourceIP,
      unixMilliseconds: machine.now() * 1000)
    guard command.proof, let name = command.token else { return request }
    // The URL that the authorizer reads in the event: its host, and its path with the stage.
    let address = "https://\(request.host)\(request.fullPath)"
    request.headers.append(.init("DPoP", "{{proof \(name) \(request.method) \(address)}}"))
    return request
  }

  /// The parts of the URL.
  private struct Target {
    let host: String
    let path: String
    let query: String
    let stage: String
    let isStageInPath: Bool
    /// API ID and region, if the host is one of API Gateway's own.
    let api: String?
    let region: String?
  }

  private func target() throws(CommandFailure) -> Target {
    let url = command.url
    let schemes = command.kind == .webSocket ? ["wss", "https"] : ["https", "http"]
    let form = /([a-z]+):\/\/([^\/?#\s@]+)((?:\/[^?#\s]*)?)(?:\?([^#\s]*))?/.matchingSemantics(.unicodeScalar)
    guard let parts = url.wholeMatch(of: form),
      schemes.contains(String(parts.1))
    else {
      throw CommandFailure(
        .usage, "not a valid \(schemes[0]) URL: \(url)", hint: "write \(schemes[0])://HOST/STAGE/PATH")
    }
    let host = String(parts.2)
    let labels = host.head(before: ":").splitBytes(at: ".").map(String.init)
    let isOwn = labels.count > 3 && labels[1] == "execute-api"
    var path = String(parts.3)
    let first = path.splitBytes(at: "/").first.map(String.init)
    guard let stage = command.stage ?? first else {
      throw CommandFailure(
        .usage, "the URL has no stage", hint: "write HOST/STAGE/PATH, or give --stage")
    }
    // API Gateway's own hosts have the stage in the path; a custom domain may have it in its mapping.
    if command.stage == nil, !isOwn {
      machine.terminal.note(
        "note: the stage is \(stage), the first part of the path; change it with --stage NAME or --stage '$default'"
      )
    }
    // With --stage the path may contain the stage, as on API Gateway's own hosts, or not, as behind a custom domain.
    let isStageInPath = first == stage && stage != "$default"
    if isStageInPath { path = String(path.trimmingStart(of: "/").dropFirst(bytes: stage.utf8.count)) }
    return Target(
      host: host, path: path, query: String(parts.4 ?? ""), stage: stage,
      // On a host of API Gateway the path has the stage, also if the URL was given without it.
      isStageInPath: isStageInPath || isOwn && stage != "$default", api: isOwn ? labels[0] : nil,
      region: isOwn ? labels[2] : nil)
  }
}
