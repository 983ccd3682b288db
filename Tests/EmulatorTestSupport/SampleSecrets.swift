import TestTokens

/// The keys and the secret of a development folder, made once.
enum SampleSecrets {
  static let keys = Result { try DevelopmentKeys.generate() }
  static let secret = Result { try DevelopmentSecret.generate(for: "/state/secret") }
}
