internal import Authorizer
internal import Foundation
internal import JOSE
internal import KeyFetcher
internal import TestTokens

/// Fetches as the deployed function does: with the same executable, through the same module.
struct KeyDownload {
  private let fetcher: KeyFetcher
  private let milliseconds: Int

  /// How much longer than the fetch itself its process may live, in milliseconds: so that it can say why it gave up.
  private static let graceMilliseconds: Int64 = 1000

  /// A download with limits.
  ///
  /// - Parameters:
  ///   - executable: `fetch-keys`; `nil` for the one beside this program or in `dist`.
  ///   - milliseconds: the time for one fetch, its connection included.
  init(executable: String?, certificateFile: String?, proxy: String?, milliseconds: Int)
    throws(CommandFailure)
  {
    if let certificateFile, !FileSystem.exists(certificateFile) {
      throw CommandFailure(
        .usage, "no certificates at \(certificateFile)", hint: "--ca-file takes a file of certificates in PEM"
      )
    }
    let path: String
    if let executable { path = FileSystem.absolute(executable) } else { path = try Self.executable() }
    let environment = ProcessInfo.processInfo.environment
    fetcher = KeyFetcher(
      executable: path, certificateFile: certificateFile, proxy: proxy, variable: { environment[$0] })
    self.milliseconds = milliseconds
  }

  /// The body that lies at an address.
  func body(at address: KeyAddress) throws(CommandFailure) -> [UInt8] {
    let clock = FunctionEnvironment()
    let now = { clock.monotonicMicroseconds / 1000 }
    let request = KeyFetchRequest(
      address: address, connectMilliseconds: milliseconds, totalMilliseconds: milliseconds)
    let results = fetcher.fetch(
      [request], deadlineMilliseconds: now() + Int64(milliseconds) + Self.graceMilliseconds, now: now)
    do throws(KeyFetchError) {
      guard let result = results.first else { throw .deadlineExceeded }
      return try result.get().body
    } catch {
      throw CommandFailure(error.exit, "\(error.code): \(error.sentence)", hint: error.advice)
    }
  }

  /// The presets that have keys of their own; the two others are forms of tokens, for any issuer.
  static let presets = IssuerPreset.spellings.filter { !["rfc9068", "oidc"].contains($0) }

  /// The address that a command line names: itself, or that of a preset.
  static func address(of source: String, development: Bool) throws(CommandFailure) -> KeyAddress {
    let text = source.contains("://") ? source : try presetAddress(source)
    do throws(KeyAddressError) {
      return try KeyAddress(parsing: text, development: development)
    } catch {
      throw CommandFailure(.usage, error)
    }
  }

  private static func presetAddress(_ name: String) throws(CommandFailure) -> String {
    let preset: IssuerPreset
    do throws(IssuerPreset.Flaw) {
      preset = try IssuerPreset(parsing: name)
    } catch {
      throw CommandFailure(.usage, error.sentence, hint: error.advice)
    }
    guard let address = preset.keysURL else {
      throw CommandFailure(
        .usage, "the preset \(name) leaves its keys to the configuration",
        hint: "give the address itself, or --discover ISSUER")
    }
    return address
  }

  private static func executable() throws(CommandFailure) -> String {
    if let here = Bundle.main.executablePath {
      let beside = KeyFetcher.executable(beside: here)
      if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    }
    if let path = FileSystem.nearest("dist/fetch-keys", from: FileSystem.currentDirectory) { return path }
    throw CommandFailure(
      .unavailable, "fetch-keys is not there",
      hint: "make bootstrap builds it to dist; --fetch-keys PATH names another place")
  }
}

extension CommandExit {
  /// A fetch failed: the same code as for a function that failed.
  static let fetchFailed = CommandExit.functionFailed
}

extension CommandFailure {
  /// What is wrong with an address, its hint on a line of its own.
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
    default: .fetchFailed
    }
  }

  fileprivate var sentence: String { description.sentenceAndHint.sentence }

  /// What to do about it here, where the module itself has nothing to say.
  fileprivate var advice: String? {
    if let hint = description.sentenceAndHint.hint { return hint }
    return switch self {
    case .nameResolution, .connect: "is the address right? a proxy is used only with --proxy http://host:port"
    case .timeout, .deadlineExceeded: "--timeout SECONDS waits longer"
    case .tls: "where a proxy opens TLS, trust its certificate with --ca-file FILE"
    case .status: "--discover ISSUER asks the issuer where its key set lies"
    case .usage: "see authorizer-local help keys fetch"
    default: nil
    }
  }
}

extension IssuerPreset.Flaw {
  fileprivate var sentence: String {
    switch self {
    case .unknown(let name): "no preset is called \(name)"
    case .missingArgument(let preset, let form): "\(preset) needs an argument after a colon: \(form)"
    case .wrongArgument(let preset, let form): "the argument of \(preset) must be \(form)"
    case .unexpectedArgument(let preset): "\(preset) takes no argument"
    }
  }

  fileprivate var advice: String? {
    guard case .unknown(let name) = self else { return nil }
    let words = KeyDownload.presets.map { String($0.prefix { $0 != ":" }) }
    if let nearest = NearestName.of(String(name.prefix { $0 != ":" }), among: words) {
      return "did you mean \(nearest)?"
    }
    return "an address begins with https://; presets are \(KeyDownload.presets.joined(separator: ", "))"
  }
}

extension String {
  /// The first line, and the line behind it without its `hint: `.
  fileprivate var sentenceAndHint: (sentence: String, hint: String?) {
    guard let mark = firstRange(of: "\nhint: ") else { return (self, nil) }
    return (String(self[..<mark.lowerBound]), String(self[mark.upperBound...]))
  }
}
