internal import JSON
internal import TestTokens

/// Keys that this process generates and never signs with, so that no input can contain a valid token.
enum ProcessKeys {
  /// A key set with one key for each kind of algorithm, so that every issuer has a matching key; empty if libcrypto
  /// cannot generate keys.
  static let keySet: [UInt8] = {
    let algorithms: [SigningAlgorithm] = [.rs256, .es256, .edDSA]
    let keys = algorithms.compactMap { try? SigningKey.generate($0, id: "process-" + $0.rawValue).publicJWK }
    guard keys.count == algorithms.count else { return [] }
    return JSONTree.object([.init(name: "keys", value: .array(keys))]).bytes()
  }()
}
