internal import KeyFetcher

/// The key sets of the issuers whose tokens API Gateway itself verifies, for `--real-keys`.
///
/// They are found as API Gateway finds them, by `jwks_uri` of the issuer's discovery document, and fetched once, with the
/// program that the deployed function uses. An issuer without keys closes the routes of its authorizers.
struct NativeKeySets {
  /// The key sets by issuer.
  private(set) var sets: [String: [UInt8]] = [:]
  /// Why key sets are missing, one line each.
  private(set) var problems: [String] = []

  /// The time limit of one fetch in milliseconds.
  private static let milliseconds = 5000

  /// Fetches the key sets with `fetch-keys`.
  init(of issuers: [String], on machine: Machine) {
    guard !issuers.isEmpty else { return }
    do throws(CommandFailure) {
      let download = try KeyDownload(
        executable: nil, certificateFile: nil, proxy: nil, milliseconds: Self.milliseconds, on: machine)
      add(issuers) { address throws(CommandFailure) in
        try download.body(at: KeyDownload.address(of: address, development: false))
      }
    } catch {
      problems = [Self.line("the issuers", error)]
    }
  }

  /// Fetches the key sets with a function that returns the document at an address.
  init(of issuers: [String], fetch: (String) throws(CommandFailure) -> [UInt8]) { add(issuers, fetch) }

  private mutating func add(
    _ issuers: [String], _ fetch: (String) throws(CommandFailure) -> [UInt8]
  ) {
    for issuer in issuers {
      do throws(CommandFailure) {
        let discovery = try IssuerDiscovery(issuer: issuer, development: false)
        let address = try discovery.keySetAddress(in: try fetch(discovery.address.text))
        sets[issuer] = try fetch(address.text)
      } catch {
        problems.append(Self.line(issuer, error))
      }
    }
  }

  private static func line(_ what: String, _ failure: CommandFailure) -> String {
    "serve has no keys of \(Printable.text(what)): \(Printable.text(failure.message)); the routes of its native "
      + "authorizers are closed (501)"
  }
}
