public import KeyFetcher

/// Fetches key sets. The authorizer has no sockets: the function passes in a fetcher, tests pass in a script.
public protocol KeyTransport {
  /// Fetches key sets at the same time, for at most `milliseconds`, and returns the results in the same order.
  mutating func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches
}

/// The results of several fetches.
public struct KeyFetches: Sendable {
  /// In the order of the addresses.
  public let results: [KeyFetch]
  /// The total time of all fetches.
  public let elapsedMilliseconds: Int64

  /// Creates the result of a transport.
  public init(results: [KeyFetch], elapsedMilliseconds: Int64) {
    self.results = results
    self.elapsedMilliseconds = elapsedMilliseconds
  }
}

/// The result of one fetch.
public enum KeyFetch: Equatable, Sendable {
  /// The body of a response with status 200, and its `max-age` in seconds if present.
  case document([UInt8], maxAge: Int64?)
  /// The error code.
  case failed(String)
}

/// Fetches with `fetch-keys`, the executable in the function's folder.
public struct FetchProcessTransport: KeyTransport {
  private let fetcher: KeyFetcher
  private let settings: FetchSettings
  private let environment: FunctionEnvironment

  /// A transport for this process.
  public init(_ settings: FetchSettings, _ environment: FunctionEnvironment) {
    self.settings = settings
    self.environment = environment
    fetcher = KeyFetcher(
      executable: KeyFetcher.executable(beside: environment.executablePath),
      certificateFile: settings.certificateAuthorities.map { environment.path($0) }, proxy: settings.proxy,
      variable: { environment.variable($0) })
  }

  /// Starts one process for each address and waits for all of them.
  public mutating func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches {
    let environment = environment
    let now = { environment.monotonicMicroseconds / 1000 }
    let requests = addresses.map {
      KeyFetchRequest(
        address: $0, connectMilliseconds: settings.connectMilliseconds,
        totalMilliseconds: settings.totalMilliseconds)
    }
    let started = now()
    let results = fetcher.fetch(requests, deadlineMilliseconds: started + milliseconds, now: now)
    let fetches: [KeyFetch] = results.map { result in
      switch result {
      case .success(let set): .document(set.body, maxAge: set.maximumAgeSeconds)
      case .failure(let error): .failed(error.code)
      }
    }
    return KeyFetches(results: fetches, elapsedMilliseconds: now() - started)
  }
}

/// How long the fetches of one invocation may take.
public struct FetchBudget: Sendable {
  /// Milliseconds that one fetch may take.
  public let milliseconds: Int64
  /// When all fetches must end, in Unix milliseconds of the machine's clock, if known.
  let endMilliseconds: Int64?

  /// API Gateway gives an authorizer of an HTTP API 10 s, so one fetch and the answer must take less.
  public static let maximumMilliseconds: Int64 = 8000
  /// The time that must remain after a fetch to decide and to answer.
  public static let reserveMilliseconds: Int64 = 500

  /// The time left until the invocation's deadline. Emulators pass no deadline or one long past, which is ignored.
  public init(deadlineMilliseconds: Int64?, nowMilliseconds: Int64) {
    guard let deadline = deadlineMilliseconds, deadline > nowMilliseconds - Self.longPast else {
      milliseconds = Self.maximumMilliseconds
      endMilliseconds = nil
      return
    }
    milliseconds = min(
      Self.maximumMilliseconds, max(0, deadline - nowMilliseconds - Self.reserveMilliseconds))
    endMilliseconds = deadline - Self.reserveMilliseconds
  }

  /// A deadline more than a minute ago is a constant of an emulator.
  private static let longPast: Int64 = 60_000

  /// A shorter time is not worth a connection.
  var allowsFetch: Bool { milliseconds >= 100 }
}
