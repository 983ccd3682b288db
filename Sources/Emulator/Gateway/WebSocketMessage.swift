internal import JSON

extension Gateway {
  /// What a client gets for a message of its open WebSocket; `nil` for nothing.
  ///
  /// The message's own member names its route, else it is `$default`. Where no route takes it the client is told so.
  /// Integrations have no route responses here, so an answer comes from the echo alone, which shows which route took it.
  func answer(toMessage message: [UInt8], of api: GatewayAPI, connectionID: String) -> [UInt8]? {
    guard case .webSocket(let selection) = api.kind else { return nil }
    let key = selection.key(in: message)
    guard let route = RouteTable(api).route(key: key ?? "$default"), route.match != .connect else {
      return JSONTree.members([
        "message": .string("Forbidden"), "connectionId": .string(connectionID),
        "requestId": .string(GatewayService.extendedRequestID()),
      ]).bytes()
    }
    guard case .function(let name, _) = route.integration else { return nil }
    return JSONTree.members([
      "backend": .string("function \(name)"),
      "event": .members([
        "requestContext": .members([
          "routeKey": .string(route.key), "eventType": .string("MESSAGE"), "messageDirection": .string("IN"),
          "connectionId": .string(connectionID), "stage": .string(api.stage.name),
          "apiId": .string(api.identifier),
        ]),
        "body": .string(String(decoding: message, as: UTF8.self)), "isBase64Encoded": .boolean(false),
      ]),
    ]).bytes()
  }
}

extension RouteSelection {
  /// The route key in a message; `nil` where it holds none.
  func key(in message: [UInt8]) -> String? {
    var value = try? JSONTree(parsing: message)
    for name in path { value = value?[name] }
    guard case .string(let text)? = value, !text.isEmpty, !text.hasPrefix("$") else { return nil }
    return text
  }
}
