public import KeyFetcher

/// What fetches key sets. The authorizer knows no sockets; the function passes in a fetcher, tests pass in a script.
public protocol KeyTransport {
  /// Fetches some key sets at the same time, at most for `milliseconds`, and answers in the same order.
  mutating func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches
}

/// How some fetches went.
public struct KeyFetches: Sendable {
  /// In the order of the addresses.
  public let results: [KeyFetch]
  /// How long all of them took together.
  public let elapsedMilliseconds: Int64

  /// What a transport answers.
  public init(results: [KeyFetch], elapsedMilliseconds: Int64) {
    self.results = results
    self.elapsedMilliseconds = elapsedMilliseconds
  }
}

/// How one fetch ended.
public enum KeyFetch: Equatable, Sendable {
  /// The body of an answer with status 200, and its `max-age` in seconds where it had one.
  case document([UInt8], maxAge: Int64?)
  /// The code of what went wrong.
  case failed(String)
}

/// Fetches with `fetch-keys`, the executable beside the function.
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

  /// Starts a process for each address and waits for all of them.
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
  /// When all of it has to end, in Unix milliseconds of the machine's clock, where that is known.
  let endMilliseconds: Int64?

  /// API Gateway gives an authorizer of an HTTP API 10 s; one fetch and the answer must fit with room to spare.
  public static let maximumMilliseconds: Int64 = 8000
  /// What is left to decide and to answer after a fetch.
  public static let reserveMilliseconds: Int64 = 500

  /// What is left until an invocation's deadline; emulators name none, or one long past, which means nothing.
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

  /// A deadline further back than a minute is an emulator's constant.
  private static let longPast: Int64 = 60_000

  /// Less than this is not worth a connection.
  var allowsFetch: Bool { milliseconds >= 100 }
}
