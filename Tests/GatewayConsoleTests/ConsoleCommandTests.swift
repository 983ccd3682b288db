@testable import GatewayModel
import JSON
import TestSupport
import Testing

/// The commands of the console. Any page can plant a request, so everything in it may be hostile.
@Suite(.hangLimit) struct ConsoleCommandTests {
  private static let names =
    HostileNames.words + HostileNames.unprintable + HostileNames.random(seed: 2, count: 60)

  /// Where a request has the text.
  enum Place: CaseIterable {
    case path, query, header, method, body, json, host
  }

  private static func command(_ text: String, in place: Place) async throws -> String {
    let stage = try ConsoleStage()
    var (method, path, query, body) = ("POST", "/prod/pets/1", "", "")
    var headers: [GatewayRequest.Header] = []
    switch place {
    case .path: path += text
    case .query: query = "q=" + text
    case .header: headers = [.init("X-" + text, text)]
    case .method: method = text
    case .body: body = text
    case .json: body = String(decoding: JSONTree.array([.string(text)]).bytes(), as: UTF8.self)
    case .host: headers = [.init("Host", text)]
    }
    await stage.call(
      method, path, query: query, headers: headers + ConsoleStage.headers, body: Array(body.utf8))
    return try await stage.ask("/dev/decisions/1").text("curl")
  }

  /// The texts, each with the commands of its requests; `nil` where no command shows the request.
  private static let printed = Task {
    var printed: [(text: String, place: Place, command: String?)] = []
    for name in names {
      for place in Place.allCases {
        let command = try await command(name, in: place)
        printed.append((name, place, command == "null" ? nil : command))
      }
    }
    return printed
  }

  @Test("a shell that reads the command of a decision runs curl alone", arguments: PrintedCommands.shells)
  func curl(_ shell: String) async throws {
    let printed = try await Self.printed.value.filter { $0.command != nil }
    #expect(printed.count > Self.names.count * 6)
    let runs = try PrintedCommands.run(printed.map { $0.command ?? "" }, in: shell)
    for ((text, place, _), run) in zip(printed, runs) {
      #expect(run.isAlone("curl"), "\(run.line.debugDescription): \(run.calls), \(run.files)")
      guard HostileNames.words.contains(text) else { continue }
      // curl sends what the request had.
      let words = (run.calls.first ?? []).map { Array($0.utf8) }
      switch place {
      case .path: #expect(words.contains(Array(("http://127.0.0.1:8080/Api/prod/pets/1" + text).utf8)))
      case .body: #expect(words.last == Array(text.utf8))
      case .method: #expect(words.contains(Array(text.utf8)))
      default: break
      }
    }
  }
}
