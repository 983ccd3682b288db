internal import JSON
internal import TestTokens

/// Keys that were made when this process started and sign nothing: no input can hold a token of them.
enum ProcessKeys {
  /// A key set document with one for each kind of algorithm, so that every issuer finds one that fits; empty where
  /// libcrypto cannot make keys.
  static let keySet: [UInt8] = {
    let algorithms: [SigningAlgorithm] = [.rs256, .es256, .edDSA]
    let keys = algorithms.compactMap { try? SigningKey.generate($0, id: "process-" + $0.rawValue).publicJWK }
    guard keys.count == algorithms.count else { return [] }
    return JSONTree.object([.init(name: "keys", value: .array(keys))]).bytes()
  }()
}
