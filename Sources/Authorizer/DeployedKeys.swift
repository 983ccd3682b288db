public import JOSE

extension IssuerKeyMaterial {
  /// What was deployed with the function, its seed or its secret; `nil` where all keys are fetched.
  ///
  /// For explanations and checks of a configuration: the function itself asks its cache.
  public var deployed: VerificationMaterial? {
    switch self {
    case .published(let source): source.seed.map { .keys($0.keys) }
    case .secret(let secret): .secret(secret)
    }
  }
}
