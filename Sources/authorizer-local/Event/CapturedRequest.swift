internal import GatewayModel
internal import JSON
internal import Text

/// What `capture.py` and `capture.mjs` write of a request (docs/guides/capture.md).
struct CapturedRequest {
  /// The request, with the placeholder of its token.
  let request: EventRequest
  /// The recipes of its tokens, as in `tokens.json`.
  let recipes: [UInt8]

  /// Reads a line of the log; `nil` if it is not one that the capture writes.
  init?(_ line: JSONValue, unixMilliseconds: Int64) {
    guard let written = line["request"], let tokens = line["tokens"], let type = written["type"]?.text,
      let scheme = written["scheme"]?.text, let route = written["route"]?.text,
      let method = written["method"]?.text, let sent = written["path"]?.text, sent.hasBytePrefix("/")
    else { return nil }
    // arn:aws:execute-api:REGION:ACCOUNT:API/STAGE/METHOD, and for WebSocket APIs API/STAGE/$connect
    let fields = (written["arn"]?.text ?? "").splitBytes(at: ":").map(String.init)
    let place = (fields.last ?? "").splitBytes(at: "/").map(String.init)
    guard fields.count == 6, place.count == 3 else { return nil }
    let (api, stage, isConnect) = (place[0], place[1], place[2] == "$connect")
    let kinds: [String: EventKind] = ["1.0": .http1, "2.0": .http2]
    let ofHTTP = kinds[written["version"]?.text ?? ""]
    // HTTP APIs show the stage in the path of their own hosts. REST APIs never show it to an authorizer.
    let isShown = (sent + "/").hasBytePrefix("/\(stage)/")
    let path = ofHTTP != nil && isShown ? String(sent.dropFirst(bytes: stage.utf8.count + 1)) : sent
    // A route of an HTTP API is `METHOD PATH` or `$default`, that of a REST API a path; a TOKEN event has none.
    let resource = route.isEmpty ? path : String(route.splitBytes(at: " ").last ?? "")
    request = EventRequest(
      kind: type == "TOKEN" ? .restToken : ofHTTP ?? (isConnect ? .webSocket : .restRequest),
      method: isConnect ? "GET" : method, host: "\(api).execute-api.\(fields[3]).amazonaws.com",
      path: isConnect || path.isEmpty ? "/" : path, query: "",
      headers: tokens["captured"] == nil ? [] : [.init("Authorization", "\(scheme){{token captured}}")],
      stage: stage, isStageInPath: ofHTTP == nil ? stage != "$default" : isShown, api: api,
      region: fields[3], account: fields[4], resource: resource,
      isForAnyMethod: route.hasBytePrefix("ANY "), sourceIP: "203.0.113.24",
      unixMilliseconds: unixMilliseconds)
    recipes = tokens.source
  }
}
