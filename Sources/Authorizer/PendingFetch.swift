import JOSE

/// A fetch of an issuer's keys that is under way, and all that is needed to read its answer without the lock.
///
/// Up to 64 keys are made of a document, which takes milliseconds: no worker may wait for that who has keys to answer with.
struct PendingFetch {
  /// Which fetch of the issuer it is.
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

  /// Reads what came. A document that has not changed keeps its keys, and whatever is kept for them.
  func read(_ result: KeyFetch) -> FetchedKeys {
    switch result {
    case .failed(let code): return .failed(code)
    case .document(let document, let maxAge):
      if let keys, document == self.document { return .keys(keys, document: document, maxAge: maxAge) }
      do throws(KeySetError) {
        return .keys(try source.keySet(parsing: document), document: document, maxAge: maxAge)
      } catch {
        return .refused(error)
      }
    }
  }
}

/// What a fetch came to.
enum FetchedKeys {
  /// The code of what went wrong on the way.
  case failed(String)
  /// The document cannot be used.
  case refused(KeySetError)
  case keys(KeySet, document: [UInt8], maxAge: Int64?)
}
