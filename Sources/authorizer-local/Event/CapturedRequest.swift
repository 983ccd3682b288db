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
      let scheme = written["scheme"]?.text
    else { return nil }
    // arn:aws:execute-api:REGION:ACCOUNT:API/STAGE/METHOD/PATH, and for WebSocket APIs API/STAGE/$connect
    let fields = (written["arn"]?.text ?? "").splitBytes(
      at: ":", maxSplits: 5, omittingEmptySubsequences: false
    ).map(String.init)
    let place = (fields.last ?? "").splitBytes(at: "/", maxSplits: 3, omittingEmptySubsequences: false)
      .map(String.init)
    guard fields.count == 6, place.count > 2 else { return nil }
    let (api, stage, method, path) = (place[0], place[1], place[2], "/" + (place.count > 3 ? place[3] : ""))
    let isConnect = method == "$connect"
    let kinds: [String: EventKind] = ["1.0": .http1, "2.0": .http2]
    // A route of an HTTP API is `METHOD PATH` or `$default`, that of a REST API a path.
    let key = written["route"]?.text ?? path
    let resource = String(key.splitBytes(at: " ").last ?? "")
    request = EventRequest(
      kind: type == "TOKEN"
        ? .restToken
        : kinds[written["version"]?.text ?? ""] ?? (isConnect ? .webSocket : .restRequest),
      method: isConnect ? "GET" : method, host: "\(api).execute-api.\(fields[3]).amazonaws.com", path: path,
      query: "",
      headers: tokens["captured"] == nil ? [] : [.init("Authorization", "\(scheme){{token captured}}")],
      stage: stage, isStageInPath: stage != "$default", api: api, region: fields[3],
      account: fields[4], resource: resource,
      isForAnyMethod: key.hasBytePrefix("ANY "), sourceIP: "203.0.113.24",
      unixMilliseconds: unixMilliseconds)
    recipes = tokens.source
  }
}
