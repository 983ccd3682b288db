internal import JSON
internal import TestTokens

/// A key that was made when this process started and signs nothing: no input can hold a token of it.
enum ProcessKeys {
  /// A key set document with it, as an issuer would publish it; empty where libcrypto cannot make keys.
  static let keySet: [UInt8] = {
    guard let key = try? SigningKey.generate(.edDSA, id: "process"), let jwk = key.publicJWK else {
      return []
    }
    return JSONTree.object([.init(name: "keys", value: .array([jwk]))]).bytes()
  }()
}
