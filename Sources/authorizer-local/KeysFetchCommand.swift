internal import ArgumentParser
internal import Foundation
internal import JOSE
internal import KeyFetcher

extension KeysCommand {
  struct Fetch: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fetches an issuer's key set and writes it as a seed file.",
      discussion: """
        A seed is the issuer's document with two members added: "source", the address it came from, and "fetchedAt", \
        the time in Unix seconds. Deployed with the function it answers at once, and is refreshed after the first \
        response (docs/keys.md). Every key is listed on standard error, with the reason where it is not used.

        SOURCE is the address of a key set, or a preset: \(KeyDownload.presets.joined(separator: ", ")).

        Examples:
          authorizer-local keys fetch apple -o keys/apple.json
          authorizer-local keys fetch https://id.example.com/jwks > keys/partner.json
          authorizer-local keys fetch --discover https://id.example.com -o keys/partner.json

        Exit codes: 0 fetched, 1 what came is no usable key set, 2 the fetch failed, 64 usage, 69 fetch-keys or \
        libcurl is missing.
        """)

    @Argument(help: "Address of a key set, or a preset.")
    var source: String?

    @Option(
      help: ArgumentHelp(
        "Asks this issuer's discovery document for the address of its key set.", valueName: "issuer"))
    var discover: String?

    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: ArgumentHelp(
        "Writes the seed to this file, whole or not at all. Default: standard output.", valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("Certificates (PEM) to trust in place of the system's.", valueName: "file"))
    var caFile: String?

    @Option(help: ArgumentHelp("Proxy: http://host:port; the environment's is never used.", valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("Seconds that one fetch may take. Default: 10.", valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Accepts loopback addresses, plain http to them, and development keys.")
    var development = false

    @Option(
      name: .customLong("minimum-rsa-exponent"),
      help: "Smallest public exponent of an RSA key, as the configuration has it.")
    var minimumRSAExponent: UInt64 = 65537

    @Option(
      help: ArgumentHelp(
        "The fetch-keys to use. Default: beside this program, or dist/fetch-keys.", valueName: "path"))
    var fetchKeys: String?

    func validate() throws {
      if (source == nil) == (discover == nil) {
        throw ValidationError("name the address of a key set, or a preset, or give --discover ISSUER")
      }
      // libcurl's own unit is the millisecond, and 0 would mean no limit; an hour is the most that fetch-keys takes.
      if let timeout, !(timeout >= 0.001 && timeout <= 3600) {
        throw ValidationError("--timeout must be from 0.001 to 3600 seconds")
      }
      guard 3...65537 ~= minimumRSAExponent else {
        throw ValidationError("--minimum-rsa-exponent must be from 3 to 65537")
      }
    }

    func run() throws {
      let download = try KeyDownload(
        executable: fetchKeys, certificateFile: caFile, proxy: proxy,
        milliseconds: try timeout.map { Int(($0 * 1000).rounded(.up)) } ?? Patience.milliseconds(10_000))
      let address = try address(download)
      Terminal.note("fetching \(address.text)")
      let seed = KeySeed(document: try download.body(at: address), source: address.text, fetchedAt: now)
      let policy = KeyPolicy(minimumRSAExponent: minimumRSAExponent)
      KeyListing(of: seed.document, policy: policy).lines.forEach(Terminal.note)
      let bytes = try seed.bytes(policy: policy, development: development)
      guard let output else { return try SeedFile.writeToStandardOutput(bytes) }
      try SeedFile.write(bytes, to: output)
      Terminal.note("wrote \(output)")
    }

    private var now: Int64 { Int64(Date().timeIntervalSince1970) }

    private func address(_ download: KeyDownload) throws(CommandFailure) -> KeyAddress {
      if let discover {
        let discovery = try IssuerDiscovery(issuer: discover, development: development)
        Terminal.note("fetching \(discovery.address.text)")
        return try discovery.keySetAddress(in: try download.body(at: discovery.address))
      }
      return try KeyDownload.address(of: source ?? "", development: development)
    }
  }
}
