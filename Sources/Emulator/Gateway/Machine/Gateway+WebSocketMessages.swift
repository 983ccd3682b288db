internal import JSON

extension Gateway {
  /// Returns the answer to a message of an open WebSocket, or `nil` for none.
  ///
  /// A member of the message selects the route, else the route is `$default`. If no route matches, the client
  /// receives an error. Route responses are not supported, so the only other answer is the echo, which shows the
  /// selected route.
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
  /// Returns the route key in a message, or `nil` if it has none.
  func key(in message: [UInt8]) -> String? {
    var value = try? JSONTree(parsing: message)
    for name in path { value = value?[name] }
    guard case .string(let text)? = value, !text.isEmpty, !text.hasPrefix("$") else { return nil }
    return text
  }
}
