package import FunctionHost
package import KeyFetcher

/// Fetches with `fetch-keys`, the executable in the function's folder.
package struct FetchProcessTransport: KeyTransport {
  private let fetcher: KeyFetcher
  private let settings: FetchSettings
  private let environment: FunctionEnvironment

  /// A transport for this process.
  package init(_ settings: FetchSettings, _ environment: FunctionEnvironment) {
    self.settings = settings
    self.environment = environment
    fetcher = KeyFetcher(
      executable: KeyFetcher.executable(beside: environment.executablePath),
      certificateFile: settings.certificateAuthorities.map { environment.path($0) }, proxy: settings.proxy,
      variable: { environment.variable($0) })
  }

  /// Starts one process for each address and waits for all of them.
  package mutating func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches {
    let environment = environment
    let now = { environment.monotonicMicroseconds / 1000 }
    let requests = addresses.map {
      KeyFetchRequest(
        address: $0, connectMilliseconds: settings.connectMilliseconds,
        totalMilliseconds: settings.totalMilliseconds)
    }
    let started = now()
    let results = fetcher.fetch(requests, deadlineMilliseconds: started + milliseconds, now: now)
    return KeyFetches(results: results, elapsedMilliseconds: now() - started)
  }
}
