internal import Synchronization

extension Gateway {
  /// The mutable state: the authorizer cache, and the use of the API keys.
  ///
  /// It is locked for one look-up or one entry only. What a request makes the gateway compute, such as a mapping template,
  /// a policy or a signature, runs without the lock, so that other requests do not wait for it.
  package final class State: Sendable {
    private struct Content {
      var cache = AuthorizerCache()
      var usage = UsageMeter()
    }

    private let content: Mutex<Content>

    /// Creates a state with an empty cache and unused keys.
    package init() { content = Mutex(Content()) }

    private init(_ content: Content) { self.content = Mutex(content) }

    /// Returns a copy: what is stored in it does not change this state.
    package func copy() -> State { State(content.withLock { $0 }) }

    func withCache<Result>(_ body: (inout AuthorizerCache) -> Result) -> Result {
      content.withLock { body(&$0.cache) }
    }

    func withUsage<Result>(_ body: (inout UsageMeter) -> Result) -> Result {
      content.withLock { body(&$0.usage) }
    }

    /// Clears the cache as `FlushStageAuthorizersCache` does, and returns the number of removed answers.
    package func flush() -> Int { withCache { $0.flush() } }

    package var keptAnswers: Int { withCache { $0.count } }
  }
}
