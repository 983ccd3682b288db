public import JOSE

extension IssuerKeyMaterial {
  /// The material that was deployed with the function, its seed or its secret; `nil` if all keys are fetched.
  ///
  /// For `explain` and for checks of a configuration. The function itself uses its cache.
  public var deployed: VerificationMaterial? {
    switch self {
    case .published(let source): source.seed.map { .keys($0.keys) }
    case .secret(let secret): .secret(secret)
    }
  }
}
