internal import ArgumentParser
internal import Emulator
internal import Foundation
internal import JSON

struct EventMakeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make",
    abstract:
      "Prints the event that API Gateway sends to an authorizer for a request. -X, -H and -b work as in curl.",
    discussion: """
      The stage is the first part of the path unless --stage is given; --stage '$default' means that the path of an \
      HTTP API has no stage. API ID and region come from a host such as a1b2c3.execute-api.eu-west-1.amazonaws.com. \
      --token NAME sends `Bearer {{token NAME}}`, which invoke and test replace with a token of tokens.json.

      Examples:
        authorizer-local event --token good 'https://api.example.com/prod/pets?limit=1' | authorizer-local invoke -
        authorizer-local event --kind restToken -X POST -H 'Authorization: Bearer x' https://api.example.com/prod/pets
        authorizer-local event --kind webSocket --token good wss://api.example.com/live
        authorizer-local event --stage '$default' --resource '/users/{id}' https://api.example.com/users/7
      """)

  @Argument(help: "URL of the request.")
  var url: String

  @Option(
    help: "Kind of the event: restToken, restRequest, http1, http2 or webSocket. Default: http2.",
    transform: EventKindName.parse)
  var kind = EventKind.http2

  @Option(name: [.customShort("X"), .customLong("request")], help: "The HTTP method. Default: GET.")
  var method: String?

  @Option(name: [.customShort("H"), .long], help: "A header. Repeatable.")
  var header: [String] = []

  @Option(
    name: [.customShort("b"), .long], help: "A cookie as name=value. Repeatable.")
  var cookie: [String] = []

  @Option(help: ArgumentHelp("Sends {{token NAME}} after Bearer.", valueName: "name"))
  var token: String?

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

  func validate() throws {
    guard account.wholeMatch(of: /[0-9]{12}/) != nil else {
      throw ValidationError("--account must be 12 digits, found \(account)")
    }
    for line in header where !line.dropFirst().contains(":") {
      throw ValidationError("-H needs 'Name: value', found \(line)")
    }
    for pair in cookie where !pair.dropFirst().contains("=") {
      throw ValidationError("--cookie needs name=value, found \(pair)")
    }
    if token != nil, header.contains(where: { $0.lowercased().hasPrefix("authorization:") }) {
      throw ValidationError("give --token or an Authorization header, not both")
    }
  }

  func run() throws {
    Terminal.answer(json: EventDocument(request: try request()).tree.bytes(indentedBy: 2))
  }

  private func request() throws(CommandFailure) -> EventRequest {
    let target = try target()
    let method = method?.uppercased() ?? "GET"
    if kind == .webSocket, method != "GET" {
      throw CommandFailure(.usage, "a WebSocket handshake is a GET", hint: "omit -X")
    }
    let path = target.path.isEmpty ? "/" : target.path
    let route = resource ?? path
    guard let parameters = EventRequest.parameters(of: path, in: route) else {
      throw CommandFailure(
        .usage, "\(path) does not match the route \(route)",
        hint:
          "the stage \(target.stage) is not part of --resource; {name} matches one part, {name+} all remaining parts"
      )
    }
    return EventRequest(
      kind: kind, method: method, host: target.host, path: path, query: target.query, headers: headers,
      cookies: cookie, stage: target.stage, api: apiID ?? target.api ?? "a1b2c3d4e5",
      region: region ?? target.region ?? "us-east-1", account: account, resource: route,
      pathParameters: parameters, sourceIP: sourceIP, unixMilliseconds: Moment.now * 1000)
  }

  private var headers: [EventRequest.Field] {
    var fields = header.map { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return EventRequest.Field(
        name: parts[0].trimmingCharacters(in: .whitespaces),
        value: parts[1].trimmingCharacters(in: .whitespaces))
    }
    if let token { fields.append(.init(name: "Authorization", value: "Bearer {{token \(token)}}")) }
    return fields
  }

  /// The parts of the URL.
  private struct Target {
    let host: String
    let path: String
    let query: String
    let stage: String
    /// API ID and region, if the host is one of API Gateway's own.
    let api: String?
    let region: String?
  }

  private func target() throws(CommandFailure) -> Target {
    let schemes = kind == .webSocket ? ["wss", "https"] : ["https", "http"]
    guard let parts = url.wholeMatch(of: /([a-z]+):\/\/([^\/?#\s@]+)((?:\/[^?#\s]*)?)(?:\?([^#\s]*))?/),
      schemes.contains(String(parts.1))
    else {
      throw CommandFailure(
        .usage, "not a valid \(schemes[0]) URL: \(url)", hint: "write \(schemes[0])://HOST/STAGE/PATH")
    }
    let host = String(parts.2)
    let labels = host.prefix { $0 != ":" }.split(separator: ".").map(String.init)
    let isOwn = labels.count > 3 && labels[1] == "execute-api"
    var path = String(parts.3)
    let first = path.split(separator: "/").first.map(String.init)
    guard let stage = stage ?? first else {
      throw CommandFailure(
        .usage, "the URL has no stage", hint: "write HOST/STAGE/PATH, or give --stage")
    }
    // API Gateway's own hosts have the stage in the path; a custom domain may have it in its mapping.
    if self.stage == nil, !isOwn {
      Terminal.note(
        "note: the stage is \(stage), the first part of the path; change it with --stage NAME or --stage '$default'"
      )
    }
    // With --stage the path may contain the stage, as on API Gateway's own hosts, or not, as behind a custom domain.
    if first == stage { path = String(path.drop { $0 == "/" }.dropFirst(stage.count)) }
    return Target(
      host: host, path: path, query: String(parts.4 ?? ""), stage: stage, api: isOwn ? labels[0] : nil,
      region: isOwn ? labels[2] : nil)
  }
}
