import Foundation
import KeyFetcher

/// The executables under test, and what a fetch with them needs.
enum Executables {
  private static let packageRoot = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The one of this build, which lies beside the test bundle.
  static var built: String {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
      return bundle.bundleURL.deletingLastPathComponent().appending(path: "fetch-keys").path
    #else
      return KeyFetcher.executable(beside: CommandLine.arguments[0])
    #endif
  }

  /// The same, and the one that is shipped where it has been built.
  static var all: [String] {
    let shipped = packageRoot.appending(path: "dist/fetch-keys").path
    return FileManager.default.isExecutableFile(atPath: shipped) ? [built, shipped] : [built]
  }
}

/// A folder of its own for one test.
struct Workplace: ~Copyable {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "fetcher-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// A shell script that stands in for `fetch-keys`.
  ///
  /// Another process writes it: a child that a test starts meanwhile would for a moment hold a descriptor of this one's,
  /// and a file that is open for writing cannot be executed (ETXTBSY of execve(2)).
  func script(_ text: String) throws -> String {
    let writer = Process()
    writer.executableURL = URL(filePath: "/bin/sh")
    writer.arguments = [
      "-c", #"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 755 "$0""#, path("fetch-keys"), text,
    ]
    try writer.run()
    writer.waitUntilExit()
    return path("fetch-keys")
  }
}

/// Monotonic time in milliseconds.
func monotonicMilliseconds() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

extension KeyFetcher {
  /// Fetches one key set of this machine.
  func fetch(
    _ address: String, totalMilliseconds: Int = 5000, deadlineIn milliseconds: Int64 = 10000
  ) throws -> KeyFetchResult {
    let request = KeyFetchRequest(
      address: try KeyAddress(parsing: address, development: true), totalMilliseconds: totalMilliseconds)
    let results = fetch(
      [request], deadlineMilliseconds: monotonicMilliseconds() + milliseconds, now: monotonicMilliseconds)
    return results[0]
  }
}

extension KeyFetchResult {
  var keySet: FetchedKeySet? { try? get() }

  var error: KeyFetchError? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension KeyFetchError {
  /// libcurl's code, where it gave the reason.
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
