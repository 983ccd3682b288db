internal import ArgumentParser
internal import JOSE
internal import KeyFetcher

extension KeysCommand {
  struct Fetch: LocalCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fetches an issuer's key set and writes it as a seed file.",
      discussion: """
        A seed is the issuer's document with two more fields: "source", its address, and "fetchedAt", the time in \
        Unix seconds. With a seed the deployed function decides without waiting for a fetch (docs/keys.md). Standard \
        error lists every key, with the reason if it is not used.

        SOURCE is the address of a key set, or a preset: \(KeyDownload.presets.joined(separator: ", ")).

        Examples:
          authorizer-local keys fetch apple -o keys/apple.json
          authorizer-local keys fetch https://id.example.com/jwks > keys/partner.json
          authorizer-local keys fetch --discover https://id.example.com -o keys/partner.json

        Exit codes: 0 fetched, 1 the document is not a usable key set, 2 the fetch failed, 64 usage error, 69 \
        fetch-keys or libcurl is missing.
        """)

    @Argument(help: "Address of a key set, or a preset such as apple or auth0:<domain>.")
    var source: String?

    @Option(
      help: ArgumentHelp(
        "Reads the address from this issuer's discovery document.", valueName: "issuer"))
    var discover: String?

    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: ArgumentHelp(
        "Writes this file; a failure leaves it unchanged. Default: standard output.",
        valueName: "file"), completion: .file())
    var output: String?

    @Option(
      help: ArgumentHelp("Certificates (PEM) to trust instead of the system's.", valueName: "file"),
      completion: .file())
    var caFile: String?

    @Option(
      help: ArgumentHelp(
        "Proxy: http://host:port. Proxy variables of the environment are ignored.", valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("Timeout of one fetch in seconds. Default: 10.", valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Accepts loopback addresses, plain http to them, and development keys.")
    var development = false

    @Option(
      name: .customLong("minimum-rsa-exponent"),
      help: ArgumentHelp("As minimumRSAExponent of the configuration.", valueName: "number"))
    var minimumRSAExponent: UInt64 = 65537

    @Option(
      help: ArgumentHelp(
        "Path of fetch-keys. Default: the one built or installed with this program.",
        valueName: "path"))
    var fetchKeys: String?

    func run(on machine: Machine) throws {
      if (source == nil) == (discover == nil) {
        throw CommandFailure(options: "give the address of a key set, a preset, or --discover ISSUER")
      }
      // libcurl counts milliseconds, and 0 means no limit. fetch-keys accepts one hour at most.
      if let timeout, !(timeout >= 0.001 && timeout <= 3600) {
        throw CommandFailure(options: "--timeout must be from 0.001 to 3600 seconds")
      }
      guard 3...65537 ~= minimumRSAExponent else {
        throw CommandFailure(options: "--minimum-rsa-exponent must be from 3 to 65537")
      }
      let terminal = machine.terminal
      let limit = try timeout.map { Int(($0 * 1000).rounded(.up)) } ?? machine.timeouts.milliseconds(10_000)
      let policy = KeyPolicy(minimumRSAExponent: minimumRSAExponent)
      let download = try KeyDownload(
        executable: fetchKeys, certificateFile: caFile, proxy: proxy, milliseconds: limit, on: machine)
      let address = try address(download, on: terminal)
      terminal.note("fetching \(address.text)")
      let seed = KeySeed(
        document: try download.body(at: address), source: address.text, fetchedAt: machine.now())
      KeyListing(of: seed.document, policy: policy).lines.forEach(terminal.note)
      let bytes = try seed.bytes(policy: policy, development: development)
      guard let output else { return try SeedFile.writeToStandardOutput(bytes, on: terminal) }
      try SeedFile.write(bytes, to: output, machine.files)
      terminal.note("wrote \(output)")
    }

    private func address(
      _ download: KeyDownload, on terminal: Terminal
    ) throws(CommandFailure) -> KeyAddress {
      guard let discover else {
        return try KeyDownload.address(of: source ?? "", development: development)
      }
      let discovery = try IssuerDiscovery(issuer: discover, development: development)
      terminal.note("fetching \(discovery.address.text)")
      return try discovery.keySetAddress(in: try download.body(at: discovery.address))
    }
  }
}
