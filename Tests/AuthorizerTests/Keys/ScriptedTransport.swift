import Authorizer
import IssuerKeys
import KeyFetcher

/// A key server without a network: answers from a script and records its calls.
final class ScriptedTransport: KeyTransport {
  /// The answer of each address; an address without a script refuses the connection.
  var answers: [String: KeyFetchResult] = [:]
  /// Every call, with the addresses that were fetched at the same time.
  private(set) var calls: [[String]] = []
  private(set) var milliseconds: [Int64] = []
  /// The duration of each call.
  var elapsedMilliseconds: Int64 = 0

  var fetches: Int { calls.joined().count }

  func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches {
    calls.append(addresses.map(\.text))
    self.milliseconds.append(milliseconds)
    return KeyFetches(
      results: addresses.map { answers[$0.text] ?? .failure(.connect(.init(curlCode: 7, text: "refused"))) },
      elapsedMilliseconds: elapsedMilliseconds)
  }
}

extension Authorizer {
  /// Decides with the whole time of an invocation.
  mutating func decide(on event: [UInt8], at now: Int64) -> Decision {
    decide(on: event, at: InvocationTime(unixSeconds: now))
  }
}

extension KeyFetchResult {
  static func document(_ body: [UInt8], maxAge: Int64?) -> KeyFetchResult {
    .success(KeySetResponse(body: body, maximumAgeSeconds: maxAge))
  }
}

extension InvocationTime {
  /// An invocation whose deadline is this far away; `nil` for none.
  init(unixSeconds: Int64, remainingMilliseconds: Int64?) {
    self.init(
      unixSeconds: unixSeconds, deadlineMilliseconds: remainingMilliseconds.map { 100_000 + $0 },
      machineMilliseconds: 100_000)
  }
}
