/// How much of a hostile text the reader is willing to look at.
public struct JSONLimits: Equatable, Sendable {
  /// Size of the whole text in bytes.
  public let bytes: Int
  /// Levels of arrays and objects; a lone object is one level.
  public let depth: Int
  /// Members of one object.
  public let membersPerObject: Int
  /// Values in the whole text, member names among them; each costs 16 bytes of memory.
  public let values: Int

  /// Limits of one's own.
  public init(bytes: Int, depth: Int, membersPerObject: Int, values: Int = .max) {
    self.bytes = bytes
    self.depth = depth
    self.membersPerObject = membersPerObject
    self.values = values
  }

  /// Header and payload of a token: 16 KiB is more than API Gateway lets through in all headers together
  /// (10,240 bytes, API Gateway quotas); real tokens nest 3 or 4 levels.
  public static let token = JSONLimits(bytes: 16 << 10, depth: 16, membersPerObject: 256)

  /// A JSON Web Key Set: 256 KiB, where AWS's own JWT authorizers stop at 150,000 bytes.
  public static let keySet = JSONLimits(bytes: 256 << 10, depth: 16, membersPerObject: 256)

  /// A Lambda event: 6 MiB, Lambda's limit for a synchronous invocation. A caller may send as many headers and query
  /// parameters as fit 10,240 bytes (API Gateway quotas), some 3,000 of the shortest, and must not get a 500 for it.
  public static let event = JSONLimits(bytes: 6 << 20, depth: 64, membersPerObject: 4096, values: 100_000)

  /// A configuration file: ours to write, so the limits only catch a wrong file.
  public static let configuration = JSONLimits(bytes: 1 << 20, depth: 16, membersPerObject: 256)
}
