import JSON

/// One member of a key set, and what becomes of it beside the others.
public struct KeySetMember: Sendable {
  /// Its identifier, where it has a readable one.
  public let keyID: [UInt8]?
  /// What becomes of it.
  public private(set) var verdict: Verdict

  /// What becomes of a member.
  public enum Verdict: Sendable {
    /// It verifies signatures, of the members that it was merged with too.
    case usable(VerificationKey)
    /// It repeats an earlier member, and is part of that one's key.
    case merged
    /// It verifies nothing.
    case unusable(KeyFlaw)
  }

  /// Judges the members of a set: each on its own, and those that could verify against each other.
  ///
  /// A set may hold keys of other kinds and uses under the `kid` of a signing key, the same key for several algorithms, and
  /// keys of different types under one `kid` (RFC 7517 section 4.5). Of two keys that a token could mean, neither is used.
  static func judging(_ members: [JSONValue], policy: KeyPolicy) -> [KeySetMember] {
    var judged = members.map { KeySetMember($0, policy) }
    refuseKeysWithPublishedPrivateHalf(members, &judged)
    refuseAmbiguous(&judged)
    mergeEqual(&judged)
    return judged
  }

  private init(_ member: JSONValue, _ policy: KeyPolicy) {
    keyID = try? JSONWebKey.keyID(member)
    do throws(KeyFlaw) {
      verdict = .usable(try JSONWebKey.key(member, policy: policy))
    } catch {
      verdict = .unusable(error)
    }
  }

  private var key: VerificationKey? {
    if case .usable(let key) = verdict { key } else { nil }
  }

  /// The private half may stand in a member for encryption, or under another `kid`.
  private static func refuseKeysWithPublishedPrivateHalf(
    _ members: [JSONValue], _ judged: inout [KeySetMember]
  ) {
    let published = members.compactMap { JSONWebKey.materialWithPrivateHalf($0) }
    guard !published.isEmpty else { return }
    for index in judged.indices {
      guard let key = judged[index].key,
        published.contains(where: { $0.sharesPrivateHalf(with: key.material) })
      else { continue }
      judged[index].verdict = .unusable(.privateKeyPublished)
    }
  }

  /// Takes from each key the algorithms for which another key of its `kid` has other material.
  private static func refuseAmbiguous(_ judged: inout [KeySetMember]) {
    let keys = judged.compactMap { $0.key }
    for index in judged.indices {
      guard let key = judged[index].key, let keyID = key.keyID else { continue }
      let rivals = keys.filter { $0.keyID == keyID && $0.material != key.material }
      guard !rivals.isEmpty else { continue }
      let clear = key.algorithms.filter { algorithm in
        !rivals.contains { $0.algorithms.contains(algorithm) }
      }
      if clear.isEmpty {
        judged[index].verdict = .unusable(.duplicateKeyID)
      } else if clear.count < key.algorithms.count {
        judged[index].verdict = .usable(key.limited(to: clear))
      }
    }
  }

  /// Makes one key of members with the same `kid` and material: it is good for what each of them is good for, and for no
  /// more.
  private static func mergeEqual(_ judged: inout [KeySetMember]) {
    for index in judged.indices {
      guard let key = judged[index].key else { continue }
      let earlier = judged[..<index].firstIndex {
        $0.key.map { $0.keyID == key.keyID && $0.material == key.material } ?? false
      }
      guard let earlier, let first = judged[earlier].key else { continue }
      judged[earlier].verdict = .usable(first.merged(with: key))
      judged[index].verdict = .merged
    }
  }
}
