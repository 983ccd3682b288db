internal import JOSE
internal import KeyFetcher

/// What `keys fetch` is told on the command line.
struct KeysFetchOptions: Sendable {
  var source: Source
  /// The file for the seed; `nil` for standard output.
  var output: String?
  /// Certificates to trust instead of the system's.
  var certificateFile: String?
  var proxy: String?
  /// The timeout of one fetch.
  var milliseconds: Int?
  /// Accepts loopback addresses and development keys.
  var isDevelopment = false
  var policy = KeyPolicy()
  /// Path of `fetch-keys`; `nil` for the one of the installation.
  var executable: String?

  enum Source: Sendable {
    /// The address of a key set, or a preset.
    case keySet(String)
    /// An issuer with a discovery document.
    case issuer(String)
  }
}

/// One run of `keys fetch`: fetches a key set and writes it as a seed.
struct KeysFetchRun {
  let options: KeysFetchOptions
  let machine: Machine

  /// - Throws: `CommandFailure` if the fetch fails, or if the document is not a usable key set.
  func run() throws(CommandFailure) {
    let terminal = machine.terminal
    let limit: Int
    if let given = options.milliseconds {
      limit = given
    } else {
      limit = try machine.timeouts.milliseconds(10_000)
    }
    let download = try KeyDownload(
      executable: options.executable, certificateFile: options.certificateFile, proxy: options.proxy,
      milliseconds: limit, on: machine)
    let address = try address(download)
    terminal.note("fetching \(address.text)")
    let seed = KeySeed(
      document: try download.body(at: address), source: address.text, fetchedAt: machine.now())
    KeyListing(of: seed.document, policy: options.policy).lines.forEach(terminal.note)
    let bytes = try seed.bytes(policy: options.policy, development: options.isDevelopment)
    guard let output = options.output else {
      return try SeedFile.writeToStandardOutput(bytes, on: terminal)
    }
    try SeedFile.write(bytes, to: output, machine.files)
    terminal.note("wrote \(output)")
  }

  private func address(_ download: KeyDownload) throws(CommandFailure) -> KeyAddress {
    switch options.source {
    case .keySet(let source):
      return try KeyDownload.address(of: source, development: options.isDevelopment)
    case .issuer(let issuer):
      let discovery = try IssuerDiscovery(issuer: issuer, development: options.isDevelopment)
      machine.terminal.note("fetching \(discovery.address.text)")
      return try discovery.keySetAddress(in: try download.body(at: discovery.address))
    }
  }
}
