import JOSE
import KeyFetcher

/// A fetch of an issuer's keys in progress, with everything needed to read the result without the lock.
///
/// Parsing a document of up to 64 keys takes milliseconds, and workers with valid keys must not wait for that.
struct PendingFetch {
  let number: Int
  private let source: KeySource
  private let document: [UInt8]
  private let keys: KeySet?

  init(number: Int, source: KeySource, document: [UInt8], keys: KeySet?) {
    self.number = number
    self.source = source
    self.document = document
    self.keys = keys
  }

  /// Reads the result. An unchanged document keeps its key objects and the verdicts cached for them.
  func read(_ result: KeyFetchResult) -> FetchOutcome {
    switch result {
    case .failure(let error): return .failed(error)
    case .success(let response):
      if let keys, response.body == document { return .keys(keys, response) }
      do throws(KeySetError) {
        return .keys(try source.keySet(parsing: response.body), response)
      } catch {
        return .refused(error)
      }
    }
  }
}

/// The result of a fetch, with parsed keys.
enum FetchOutcome {
  case failed(KeyFetchError)
  /// The document cannot be used.
  case refused(KeySetError)
  case keys(KeySet, KeySetResponse)
}
