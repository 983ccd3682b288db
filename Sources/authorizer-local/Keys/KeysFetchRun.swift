internal import JOSE
internal import KeyFetcher

/// One run of `keys fetch`: fetches a key set and writes it as a seed.
struct KeysFetchRun {
  let command: KeysCommand.Fetch
  let machine: Machine

  /// - Throws: `CommandFailure` if the fetch fails, or if the document is not a usable key set.
  func run() throws(CommandFailure) {
    let terminal = machine.terminal
    let limit: Int
    if let seconds = command.timeout {
      limit = Int((seconds * 1000).rounded(.up))
    } else {
      limit = try machine.timeouts.milliseconds(10_000)
    }
    let policy = KeyPolicy(minimumRSAExponent: command.minimumRSAExponent)
    let download = try KeyDownload(
      executable: command.fetchKeys, certificateFile: command.caFile, proxy: command.proxy,
      milliseconds: limit, on: machine)
    let address = try address(download)
    terminal.note("fetching \(address.text)")
    let seed = KeySeed(
      document: try download.body(at: address), source: address.text, fetchedAt: machine.now())
    KeyListing(of: seed.document, policy: policy).lines.forEach(terminal.note)
    let bytes = try seed.bytes(policy: policy, development: command.development)
    guard let output = command.output else {
      return try SeedFile.writeToStandardOutput(bytes, on: terminal)
    }
    try SeedFile.write(bytes, to: output, machine.files)
    terminal.note("wrote \(output)")
  }

  private func address(_ download: KeyDownload) throws(CommandFailure) -> KeyAddress {
    guard let issuer = command.discover else {
      return try KeyDownload.address(of: command.source ?? "", development: command.development)
    }
    let discovery = try IssuerDiscovery(issuer: issuer, development: command.development)
    machine.terminal.note("fetching \(discovery.address.text)")
    return try discovery.keySetAddress(in: try download.body(at: discovery.address))
  }
}
