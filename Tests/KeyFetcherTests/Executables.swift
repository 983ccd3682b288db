import Foundation
import KeyFetcher
import TestSupport

/// The executables under test.
enum Executables {
  /// The executable of this build.
  static var built: String { Checkout.built("fetch-keys").path }

  /// The executable of this build, and the shipped one if it has been built.
  static var all: [String] { Checkout.builtAndShipped("fetch-keys") }
}

/// Monotonic time in milliseconds.
func monotonicMilliseconds() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

extension KeyFetchRequest {
  /// A request with time limits for slow machines.
  static func withinHangLimit(
    _ address: KeyAddress, totalMilliseconds: Int = HangLimit.milliseconds
  ) -> KeyFetchRequest {
    KeyFetchRequest(
      address: address, connectMilliseconds: HangLimit.milliseconds, totalMilliseconds: totalMilliseconds)
  }
}

extension KeyFetcher {
  /// Fetches one key set from this machine.
  ///
  /// - Parameter milliseconds: the real time until the deadline; nil if only the fetch itself ends the call.
  func fetch(
    _ address: String, totalMilliseconds: Int = HangLimit.milliseconds,
    deadlineIn milliseconds: Int64? = nil
  ) throws -> KeyFetchResult {
    let request = KeyFetchRequest.withinHangLimit(
      try KeyAddress(parsing: address, development: true), totalMilliseconds: totalMilliseconds)
    guard let milliseconds else { return fetchWithinHangLimit([request])[0] }
    let results = fetch(
      [request], deadlineMilliseconds: monotonicMilliseconds() + milliseconds, now: monotonicMilliseconds)
    return results[0]
  }

  /// Fetches with a clock that does not advance until `HangLimit`, because a machine may start processes slowly.
  func fetchWithinHangLimit(_ requests: [KeyFetchRequest]) -> [KeyFetchResult] {
    let end = HangLimit.date
    return fetch(requests, deadlineMilliseconds: 10_000) { Date() < end ? 0 : 10_000 }
  }
}

extension KeyFetchResult {
  var keySet: KeySetResponse? { try? get() }

  var error: KeyFetchError? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension KeyFetchError {
  /// libcurl's code, if the error is from libcurl.
  var curlCode: Int? {
    switch self {
    case .nameResolution(let diagnosis), .connect(let diagnosis), .timeout(let diagnosis),
      .tls(let diagnosis),
      .transfer(let diagnosis), .libraryMissing(let diagnosis), .usage(let diagnosis):
      diagnosis.curlCode
    default: nil
    }
  }
}
