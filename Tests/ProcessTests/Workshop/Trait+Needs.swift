import Testing

/// What a suite or a test needs on this machine; it is skipped without it.
extension Trait where Self == ConditionTrait {
  static var needsBootstrap: Self {
    .enabled(if: Workshop.hasBootstrap, "dist/bootstrap is not built: make bootstrap")
  }

  static var needsIdentity: Self {
    .enabled(if: Workshop.hasIdentity, "dist/identity is not built: make bootstrap")
  }

  static var needsFetchingFunction: Self {
    .enabled(
      if: FetchingFunction.isReady,
      "dist/bootstrap or dist/fetch-keys is not built (make bootstrap), or no libcurl")
  }

  static var needsPython: Self { .enabled(if: Workshop.python != nil, "python3 is not installed") }

  static var needsNode: Self { .enabled(if: Workshop.hasNode, "Node.js is not installed") }

  static var needsCurl: Self { .enabled(if: Workshop.hasCurl, "there is no /usr/bin/curl") }
}
