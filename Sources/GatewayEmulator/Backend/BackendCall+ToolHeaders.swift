internal import GatewayModel

extension BackendCall {
  /// Returns a warning if the authorizer decided by headers of MCP that the body contradicts, and the backend answered the
  /// message with other than 400: a caller could then name one tool to the authorizer and call another one.
  func toolHeaderWarning(_ status: Int) -> String? {
    guard status != 400, exchange.request.method == "POST",
      exchange.evidence?.grant?.variables["mcpToolRules"] == "true",
      let difference = MCPMessage.difference(in: exchange.request)
    else { return nil }
    return
      "toolHeaderNotChecked: \(difference), and the backend answered \(status); answer such messages with 400 and -32020"
      + " where the context has mcpToolRules"
  }
}
