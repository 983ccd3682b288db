internal import ArgumentParser
internal import Foundation

struct ProofCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "proof",
    abstract: "Prints a DPoP proof for one request (RFC 9449), signed with the development key.",
    discussion: """
      A token of token --bind dpop is accepted only with such a proof in the header DPoP: for this method, this URL \
      and this token, for about a minute. The key is stored beside the development keys.

      Examples:
        authorizer-local token --preset oidc:https://issuer.example.com --audience api --bind dpop > token.txt
        authorizer-local proof --url https://api.example.com/prod/pets --token "$(cat token.txt)"
      """)

  @Option(name: [.customShort("X"), .long], help: "The HTTP method.")
  var method = "GET"

  @Option(help: "The URL of the request as the authorizer sees it. Query and fragment are left out.")
  var url: String

  @Option(help: "The access token that is sent with the proof.")
  var token: String

  func options() throws(CommandFailure) -> ProofOptions {
    guard method.wholeMatch(of: /[A-Za-z]{1,32}/) != nil else {
      throw CommandFailure(options: "--method must be a method such as GET, found \(method)")
    }
    guard url.wholeMatch(of: /https?:\/\/[^\/?#\s@]+(?:[\/?#]\S*)?/) != nil else {
      throw CommandFailure(options: "--url must be a URL such as https://api.example.com/pets, found \(url)")
    }
    guard token.split(separator: ".", omittingEmptySubsequences: false).count == 3 else {
      throw CommandFailure(options: "--token must be the token itself; authorizer-local token prints one")
    }
    return ProofOptions(method: method, address: url, token: token)
  }

  func run(on machine: Machine) throws {
    machine.terminal.answer(exact: try TokenFile.proof(try options(), on: machine))
  }
}

/// What `proof` is told on the command line.
struct ProofOptions: Equatable, Sendable {
  var method: String
  var address: String
  var token: String
}
