import JSON

/// One member of a key set and its verdict, which also depends on the other members.
package struct KeySetMember: Sendable {
  /// The key's identifier, if it has a readable one.
  package let keyID: [UInt8]?
  package private(set) var verdict: Verdict

  /// The verdict on a member.
  package enum Verdict: Sendable {
    /// The key verifies signatures, also for members that were merged into it.
    case usable(VerificationKey)
    /// The member repeats an earlier member and is merged into its key.
    case merged
    /// The key is not used.
    case unusable(KeyFlaw)
  }

  /// Validates the members of a set: first each member alone, then the usable members against each other.
  ///
  /// A set may contain keys of other types and uses with the `kid` of a signing key, the same key for several
  /// algorithms, and keys of different types with one `kid` (RFC 7517 section 4.5). If a token could mean two keys,
  /// neither is used.
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

  /// The private half may be in a member for encryption, or have another `kid`.
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

  /// Removes the algorithms for which another key with the same `kid` has different material.
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

  /// Merges members with the same `kid` and material into one key with the algorithms of all of them.
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
