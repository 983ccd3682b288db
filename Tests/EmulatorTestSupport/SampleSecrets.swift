import TestTokens

/// The secret of a development folder, made once.
enum SampleSecrets {
  static let secret = Result { try DevelopmentSecret.generate(for: "/state/secret") }
}
