internal import Text
internal import FunctionHost
internal import JOSE
internal import KeyFetcher
internal import TestTokens

/// Fetches like the deployed function: with the same executable and the same module.
struct KeyDownload {
  private let fetcher: KeyFetcher
  private let milliseconds: Int

  /// Extra time for the process of a fetch, in milliseconds, so that it can report why it gave up.
  private static let graceMilliseconds: Int64 = 1000

  /// Creates a download with limits.
  ///
  /// - Parameters:
  ///   - executable: path of `fetch-keys`; `nil` for the one of ``Installation``.
  ///   - milliseconds: the time limit of one fetch, including the connection.
  init(executable: String?, certificateFile: String?, proxy: String?, milliseconds: Int, on machine: Machine)
    throws(CommandFailure)
  {
    if let certificateFile, !machine.files.exists(certificateFile) {
      throw CommandFailure(
        .usage, "there is no certificate file \(certificateFile)",
        hint: "--ca-file takes a PEM file of certificates"
      )
    }
    let path: String
    if let executable {
      path = machine.files.absolute(executable)
    } else {
      path = try Self.executable(machine.installation)
    }
    fetcher = KeyFetcher(
      executable: path, certificateFile: certificateFile.map(machine.files.absolute), proxy: proxy,
      variable: { machine.environment[$0] })
    self.milliseconds = milliseconds
  }

  func body(at address: KeyAddress) throws(CommandFailure) -> [UInt8] {
    let clock = FunctionEnvironment()
    let now = { clock.monotonicMicroseconds / 1000 }
    let request = KeyFetchRequest(
      address: address, connectMilliseconds: milliseconds, totalMilliseconds: milliseconds)
    let results = fetcher.fetch(
      [request], deadlineMilliseconds: now() + Int64(milliseconds) + Self.graceMilliseconds, now: now)
    return try (results.first ?? .failure(.deadlineExceeded)).mapError {
      CommandFailure($0.exit, "\($0.code): \($0.sentence)", hint: $0.advice)
    }.get().body
  }

  /// The presets with a key set of their own. The others describe kinds of tokens, for any issuer.
  static let presets = IssuerPreset.rows.filter { !$0.isGeneric }.map(\.spelling)

  /// Returns the address for a command line argument: an address, or a preset.
  static func address(of source: String, development: Bool) throws(CommandFailure) -> KeyAddress {
    let text = source.containsBytes(of: "://") ? source : try presetAddress(source)
    return try Result { () throws(KeyAddressError) in
      try KeyAddress(parsing: text, development: development)
    }.mapError { CommandFailure(.usage, $0) }.get()
  }

  private static func presetAddress(_ name: String) throws(CommandFailure) -> String {
    let preset = try Result { () throws(IssuerPreset.Flaw) in try IssuerPreset(parsing: name) }
      .mapError { CommandFailure(.usage, $0.sentence, hint: $0.advice) }.get()
    guard let address = preset.keysURL else {
      throw CommandFailure(
        .usage, "the preset \(name) has no key set address",
        hint: "give the address, or --discover ISSUER")
    }
    return address
  }

  private static func executable(_ installation: Installation) throws(CommandFailure) -> String {
    if let path = installation.program("fetch-keys") { return path }
    throw installation.missing("fetch-keys", orElse: "give its path with --fetch-keys PATH")
  }
}

extension CommandFailure {
  /// Creates the failure for an invalid address, with its hint separated.
  init(_ code: CommandExit, _ error: KeyAddressError, about subject: String = "") {
    let (sentence, hint) = error.description.sentenceAndHint
    let isLoopback = if case .loopbackOutsideDevelopment = error { true } else { false }
    self.init(code, subject + sentence, hint: isLoopback ? "--development allows it" : hint)
  }
}

extension KeyFetchError {
  fileprivate var exit: CommandExit {
    switch self {
    case .libraryMissing, .executableMissing: .unavailable
    case .usage: .usage
    default: .functionFailed
    }
  }

  fileprivate var sentence: String { description.sentenceAndHint.sentence }

  /// The hint: the module's own, else one for this command.
  fileprivate var advice: String? {
    // The module's own hint is for a deployment.
    if case .executableMissing = self { return "check the path of --fetch-keys" }
    if let hint = description.sentenceAndHint.hint { return hint }
    return switch self {
    case .nameResolution, .connect: "check the address; a proxy is used only with --proxy http://host:port"
    case .timeout, .deadlineExceeded: "set a longer timeout with --timeout SECONDS"
    case .tls: "if a proxy terminates TLS, trust its certificate with --ca-file FILE"
    case .status: "find the address of the key set with --discover ISSUER"
    case .usage: "see authorizer-local help keys fetch"
    default: nil
    }
  }
}

extension IssuerPreset.Flaw {
  /// What is wrong, without a path.
  var sentence: String {
    switch self {
    case .unknown(let name): "unknown preset \(name)"
    case .missingArgument(let preset, let form): "\(preset) needs an argument after a colon: \(form)"
    case .wrongArgument(let preset, let form): "the argument of \(preset) must be \(form)"
    case .unexpectedArgument(let preset): "\(preset) takes no argument"
    }
  }

  /// What to write instead, if that is known.
  var advice: String? {
    guard case .unknown(let name) = self else { return nil }
    let words = KeyDownload.presets.map { String($0.head(before: ":")) }
    if let nearest = NearestName.of(String(name.head(before: ":")), among: words) {
      return "did you mean \(nearest)?"
    }
    return "an address begins with https://; presets are \(KeyDownload.presets.joined(separator: ", "))"
  }
}

extension String {
  /// The first line, and the following line without its `hint: `.
  fileprivate var sentenceAndHint: (sentence: String, hint: String?) {
    guard let mark = firstByteRange(of: "\nhint: ") else { return (self, nil) }
    return (String(self[..<mark.lowerBound]), String(self[mark.upperBound...]))
  }
}
