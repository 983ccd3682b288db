internal import GatewayModel
internal import JSON
internal import Text

/// A path whose rules name tools, resources or prompts of an MCP server, and the messages that they name.
struct ToolRoute {
  let method: String
  let path: String
  private(set) var messages = [MCPMessage(method: "tools/list")]

  /// One message as a request.
  struct Call {
    let method: String
    let path: String
    let message: MCPMessage

    /// What the page shows, and sends as it is.
    var tree: JSONTree {
      .members([
        "title": .string([message.method, message.name].compactMap { $0 }.joined(separator: " ")),
        "headers": .object(message.headers.map { .init(name: $0.name, value: .string($0.value)) }),
        "body": .string(String(decoding: message.body.bytes(), as: UTF8.self)),
      ])
    }
  }

  var calls: [Call] { messages.map { Call(method: method, path: path, message: $0) } }

  /// Returns the tool routes of rules as they are written.
  static func all(in rules: [JSONTree]) -> [ToolRoute] {
    var routes: [ToolRoute] = []
    for rule in rules {
      let named = kinds.flatMap { member, method in
        // One name for each pattern: any run of characters is also this one.
        texts(rule[member]).map { MCPMessage(method: method, name: $0.replacingBytes(of: "*", with: "1")) }
      }
      guard !named.isEmpty else { continue }
      for words in texts(rule["routes"]).map({ $0.splitBytes(at: " ").map(String.init) })
      where words.count == 2 {
        let place =
          routes.firstIndex { $0.path.hasSameBytes(as: words[1]) } ?? routes.endIndex
        if place == routes.endIndex {
          let verb = ["*", "ANY"].contains(words[0]) ? "POST" : words[0]
          routes.append(ToolRoute(method: verb, path: words[1]))
        }
        for message in named where !routes[place].messages.contains(message) {
          routes[place].messages.append(message)
        }
      }
    }
    return routes
  }

  private static let kinds = [
    ("tools", "tools/call"), ("resources", "resources/read"), ("prompts", "prompts/get"),
  ]

  private static func texts(_ list: JSONTree?) -> [String] {
    guard case .array(let elements)? = list else { return [] }
    return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }
}
