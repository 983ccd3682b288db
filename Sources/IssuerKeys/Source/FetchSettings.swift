package import FunctionHost

/// How key sets are fetched.
package struct FetchSettings: Equatable, Sendable {
  /// Milliseconds for the connection, TLS included.
  package var connectMilliseconds = FetchSettings.defaultConnectMilliseconds
  /// Milliseconds for the whole fetch; shorter if the invocation's deadline is earlier.
  package var totalMilliseconds = FetchSettings.defaultTotalMilliseconds
  /// A file of certificate authorities to trust instead of the system's.
  package var certificateAuthorities: String?
  /// The proxy to use; proxy variables of the environment are ignored.
  package var proxy: String?

  /// The defaults.
  package init() {}

  /// Within the 10 s that API Gateway waits for the authorizer of an HTTP API.
  package static let defaultTotalMilliseconds = 3000
  /// The share of it for the connection.
  package static let defaultConnectMilliseconds = 2000
}

extension ObjectReader {
  /// Reads `"fetch"`: how key sets are fetched.
  package mutating func fetchSettings(_ source: some ConfigurationSource) -> FetchSettings {
    var settings = FetchSettings()
    guard var fetch = reader("fetch") else { return settings }
    // API Gateway waits 10 s for the authorizer of an HTTP API.
    let total = fetch.integer("timeoutMilliseconds", in: 100...8000)
    let connect = fetch.integer("connectTimeoutMilliseconds", in: 100...8000)
    settings.totalMilliseconds = total.map { Int($0) } ?? settings.totalMilliseconds
    settings.connectMilliseconds = connect.map { Int($0) } ?? settings.connectMilliseconds
    if let path = fetch.text("certificateAuthorities") {
      settings.certificateAuthorities = path
      do throws(FileError) {
        // The whole store of a distribution is about 250 KB.
        _ = try source.file(path, limit: 4 << 20)
      } catch {
        fetch.add("certificateAuthorities", "\(path): \(error.description)")
      }
    }
    if let proxy = fetch.text("proxy") {
      settings.proxy = proxy
      // A password would be visible in the arguments of a process, so proxies with a password are not supported.
      let isAddress = proxy.utf8.starts(with: "http://".utf8) || proxy.utf8.starts(with: "https://".utf8)
      if !isAddress || proxy.utf8.contains(where: { $0 <= 0x20 || $0 == 0x40 || $0 >= 0x7F }) {
        fetch.add("proxy", "http://host:port or https://host:port is expected, without a name and password")
      }
    }
    fetch.finish()
    return settings
  }
}
