package import GatewayModel
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

    package func cachedAnswers(limit: Int, at unixMilliseconds: Int64) -> [AuthorizerCache.Listing] {
      content.withLock { $0.cache }.listings(limit: limit, at: unixMilliseconds)
    }

    /// Clears the cache as `FlushStageAuthorizersCache` does, and returns the number of removed answers.
    package func flush() -> Int { content.withLock { $0.cache.flush() } }

    package var keptAnswers: Int { content.withLock { $0.cache.count } }

    package func entry(for key: AuthorizerCache.Key, at unixMilliseconds: Int64) -> AuthorizerGrant? {
      content.withLock { $0.cache.entry(for: key, at: unixMilliseconds) }
    }

    package func store(
      _ grant: AuthorizerGrant, for key: AuthorizerCache.Key, seconds: Int, at unixMilliseconds: Int64
    ) {
      content.withLock { $0.cache.store(grant, for: key, seconds: seconds, at: unixMilliseconds) }
    }

    package func count(
      _ key: APIKey, of plan: UsagePlan, method: (name: String, limit: UsagePlan.Throttle)?,
      missing: Assumptions.MissingLimit, at unixMilliseconds: Int64
    ) -> UsageMeter.Excess? {
      content.withLock {
        $0.usage.count(key, of: plan, method: method, missing: missing, at: unixMilliseconds)
      }
    }

    package func count(
      route: String, limit: UsagePlan.Throttle, missing: Assumptions.MissingLimit,
      at unixMilliseconds: Int64
    ) -> Bool {
      content.withLock {
        $0.usage.count(route: route, limit: limit, missing: missing, at: unixMilliseconds)
      }
    }
  }
}
