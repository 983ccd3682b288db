internal import Text
internal import GatewayEmulator
internal import GatewayModel
internal import ArgumentParser
internal import Foundation
internal import JSON

struct EventMakeCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "make",
    abstract:
      "Prints the event that API Gateway sends to an authorizer for a request. make can be omitted; -X, -H and -b work as in curl.",
    discussion: """
      The stage is the first part of the path unless --stage is given; --stage '$default' means that the path of an \
      HTTP API has no stage. With --stage, a path without the stage is that of a custom domain, which events show as it \
      is. API ID and region come from a host such as a1b2c3.execute-api.eu-west-1.amazonaws.com. \
      --token NAME sends `Bearer {{token NAME}}`, which invoke and test replace with a token of tokens.json.

      Examples:
        authorizer-local event --token good 'https://api.example.com/prod/pets?limit=1' | authorizer-local invoke -
        authorizer-local event --kind restToken -X POST -H 'Authorization: Bearer x' https://api.example.com/prod/pets
        authorizer-local event --kind webSocket --token good wss://api.example.com/live
        authorizer-local event --stage '$default' --resource '/users/{id}' https://api.example.com/users/7
        authorizer-local event --token bound --proof https://api.example.com/prod/pets
        authorizer-local event --token good --mcp tools/call search https://api.example.com/prod/mcp
      """)

  @Argument(help: ArgumentHelp("URL of the request.", valueName: "url"))
  var address: String?

  @Option(
    help: "Kind of the event: \(EventKindName.words). Default: http2.",
    completion: .list(EventKindName.all), transform: EventKindName.parse)
  var kind = EventKind.http2

  @Option(name: [.customShort("X"), .customLong("request")], help: "The HTTP method. Default: GET.")
  var method: String?

  @Option(name: [.customShort("H"), .long], help: "A header. Repeatable.")
  var header: [String] = []

  @Option(
    name: [.customShort("b"), .long], help: "A cookie as name=value. Repeatable.")
  var cookie: [String] = []

  @Option(
    help: ArgumentHelp(
      "Sends Bearer {{token NAME}}; invoke and test replace it with this token of tokens.json.",
      valueName: "name"), completion: TokenFile.names)
  var token: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "A message of MCP 2026-07-28: a POST with the headers for this method and the name of the tool, prompt or resource.",
      valueName: "method [name]"))
  var mcp: [String] = []

  @Flag(
    help:
      "With --token: sends DPoP {{token NAME}}, and {{proof NAME METHOD URL}} in the header DPoP for the event's URL."
  )
  var proof = false

  @Option(help: "The stage. Default: the first part of the path.")
  var stage: String?

  @Option(help: "The API ID. Default: from the host, else a1b2c3d4e5.")
  var apiID: String?

  @Option(help: "The region of the API. Default: from the host, else us-east-1.")
  var region: String?

  @Option(help: "The AWS account of the API: 12 digits.")
  var account = "123456789012"

  @Option(help: "The path of the route, such as /users/{id}. Default: the path of the request.")
  var resource: String?

  @Option(help: ArgumentHelp("The caller's IP address.", valueName: "address"))
  var sourceIP = "203.0.113.24"

  /// The URL: it may follow --mcp, which takes all words up to the next option.
  var url: String { address ?? mcp.last ?? "" }

  /// The message of --mcp.
  private func message() throws(CommandFailure) -> MCPMessage? {
    let words = address == nil ? mcp.dropLast() : mcp[...]
    guard let method = words.first else {
      if url.isEmpty || !mcp.isEmpty {
        throw CommandFailure(options: "the URL of the request is missing, or the method of --mcp")
      }
      return nil
    }
    let needed = MCPMessage.nameMember(of: method) == nil ? 1 : 2
    guard words.count == needed else {
      throw CommandFailure(
        options: "\(method) of --mcp takes \(needed == 1 ? "no name" : "one name")")
    }
    guard kind != .restToken, kind != .webSocket else {
      throw CommandFailure(
        options: "an event of \(kind.rawValue) carries no headers of MCP; use restRequest, http1 or http2")
    }
    return MCPMessage(method: method, name: needed == 2 ? words.last : nil)
  }

  /// The HTTP method: that of -X, else POST for a message of MCP.
  var verb: String { method?.uppercased() ?? (mcp.isEmpty ? "GET" : "POST") }

  /// Returns the headers of the request, after checking the options.
  func headers() throws(CommandFailure) -> [GatewayRequest.Header] {
    let message = try message()
    guard account.wholeMatch(of: /[0-9]{12}/) != nil else {
      throw CommandFailure(options: "--account must be 12 digits, found \(account)")
    }
    var headers = message?.headers ?? []
    for line in header {
      let parts = line.splitBytes(at: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw CommandFailure(options: "-H needs 'Name: value', found \(line)")
      }
      headers.append(
        .init(
          parts[0].trimmingCharacters(in: .whitespaces), parts[1].trimmingCharacters(in: .whitespaces)))
    }
    for pair in cookie where NamedValues.pair(pair) == nil {
      throw CommandFailure(options: "--cookie needs name=value, found \(pair)")
    }
    if let token {
      if header.contains(where: { $0.lowercased().hasBytePrefix("authorization:") }) {
        throw CommandFailure(options: "give --token or an Authorization header, not both")
      }
      headers.append(.init("Authorization", "\(proof ? "DPoP" : "Bearer") {{token \(token)}}"))
    }
    if proof {
      guard token != nil else { throw CommandFailure(options: "--proof needs --token NAME") }
      if header.contains(where: { $0.lowercased().hasBytePrefix("dpop:") }) {
        throw CommandFailure(options: "give --proof or a DPoP header, not both")
      }
      if kind == .restToken || kind == .webSocket {
        throw CommandFailure(
          options: "an event of \(kind.rawValue) carries no proof; use restRequest, http1 or http2")
      }
    }
    return headers
  }

  func run(on machine: Machine) throws {
    let event = EventMaking(command: self, headers: try headers(), machine: machine)
    machine.terminal.answer(json: try JSONTree(parsing: event.request().event).bytes(indentedBy: 2))
  }
}
