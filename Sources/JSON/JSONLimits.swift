/// Limits for parsing untrusted texts.
package struct JSONLimits: Equatable, Sendable {
  /// The maximum size of the text in bytes.
  package let bytes: Int
  /// The maximum nesting of arrays and objects; a single object is one level.
  package let depth: Int
  /// The maximum number of members of one object.
  package let membersPerObject: Int
  /// The maximum number of values in the text, including member names. Each uses 16 bytes of memory.
  package let values: Int

  /// Creates limits.
  package init(bytes: Int, depth: Int, membersPerObject: Int, values: Int = .max) {
    self.bytes = bytes
    self.depth = depth
    self.membersPerObject = membersPerObject
    self.values = values
  }

  /// Header and payload of a token. 16 KiB is more than API Gateway accepts for all headers together (10,240 bytes, API
  /// Gateway quotas). Real tokens have 3 or 4 levels.
  package static let token = JSONLimits(bytes: 16 << 10, depth: 16, membersPerObject: 256)

  /// A JSON Web Key Set: 256 KiB. The limit of AWS's own JWT authorizers is 150,000 bytes.
  package static let keySet = JSONLimits(bytes: 256 << 10, depth: 16, membersPerObject: 256)

  /// A Lambda event: 6 MiB, Lambda's limit for a synchronous invocation. Callers may send 10,240 bytes of headers and
  /// query parameters (API Gateway quotas), about 3,000 of the shortest. They must not get a 500 for that.
  package static let event = JSONLimits(bytes: 6 << 20, depth: 64, membersPerObject: 4096, values: 100_000)

  /// A configuration file. It is trusted, so the limits only detect a wrong file.
  package static let configuration = JSONLimits(bytes: 1 << 20, depth: 16, membersPerObject: 256)
}
