internal import Text
internal import ArgumentParser
internal import Foundation

struct ProofCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "proof",
    abstract: "Prints a DPoP proof for one request (RFC 9449), signed with the development key.",
    discussion: """
      A token of token --bind dpop is accepted only with such a proof in the header DPoP: for this method, this URL \
      and this token, for about a minute: give the clock of serve, if you moved it. The key is stored beside the development keys.

      Examples:
        authorizer-local token --preset oidc:https://issuer.example.com --audience api --bind dpop > token.txt
        authorizer-local proof --url https://api.example.com/prod/pets --token - < token.txt
        authorizer-local proof -X PUT --url https://api.example.com/prod/pets --token - --clock -10m < token.txt
      """)

  @Option(name: [.customShort("X"), .long], help: "The HTTP method.")
  var method = "GET"

  @Option(help: "The URL as the client writes it. Query and fragment are left out.")
  var url: String

  @Option(help: "The access token itself, or - for standard input: other users see a command line.")
  var token: String

  @OptionGroup var clock: ClockArguments

  /// Limit of standard input in bytes: more than the function accepts.
  static let largestToken = 1 << 20

  func run(on machine: Machine) throws {
    guard method.wholeMatch(of: /[A-Za-z]{1,32}/) != nil else {
      throw CommandFailure(options: "--method must be a method such as GET, found \(method)")
    }
    guard url.wholeMatch(of: /https?:\/\/[^\/?#\s@]+(?:[\/?#]\S*)?/) != nil else {
      throw CommandFailure(options: "--url must be a URL such as https://api.example.com/pets, found \(url)")
    }
    guard token == "-" || Self.isToken(token) else {
      throw CommandFailure(options: "--token must be the token itself; authorizer-local token prints one")
    }
    let offset = try clock.offset(at: machine.now())
    var token = token
    if token == "-" {
      token = String(decoding: try machine.files.bytes(at: "-", limit: Self.largestToken), as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
      guard Self.isToken(token) else {
        throw CommandFailure(
          .usage, "standard input is not a token", hint: "authorizer-local token prints one")
      }
    }
    machine.terminal.answer(
      exact: try TokenFile.proof(
        method: method, address: url, token: token, clockOffsetSeconds: offset, on: machine))
  }

  /// Whether the text has three parts and no blank.
  private static func isToken(_ text: String) -> Bool {
    text.splitBytes(at: ".", omittingEmptySubsequences: false).count == 3
      && !text.contains { $0.isWhitespace }
  }
}
