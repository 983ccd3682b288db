package import DynamoDB

/// A key that was withdrawn, and when.
///
/// A token is refused by `sub` if its `iat` is not later than the event, and by another kind in any case: a refreshed
/// token of a session that ended has a later `iat`.
package struct Withdrawal: Equatable, Sendable {
  /// What it ends.
  package let key: WithdrawalKey
  /// The time of the event in Unix milliseconds. The latest event of a key counts.
  package let eventMilliseconds: Int64

  package init(_ key: WithdrawalKey, eventMilliseconds: Int64) {
    self.key = key
    self.eventMilliseconds = eventMilliseconds
  }

  /// Seconds in which a withdrawal that expires is kept after it was written: 400 days, the longest life of a cookie in
  /// browsers (RFC 6265bis section 5.5), and so of most sessions.
  package static let keptSeconds: Int64 = 400 * 86_400

  /// When the item expires, in Unix seconds; `nil` for never. A user may come back after any time with the same `sub`.
  ///
  /// - Parameter seconds: when it is written, in Unix seconds.
  package func expires(writtenAt seconds: Int64) -> Int64? {
    key.kind == .subject ? nil : seconds &+ Self.keptSeconds
  }

  /// The writes that store this withdrawal, one for each of its items. Put all into one transaction, alone or with other
  /// writes. `nil` if libcrypto fails.
  ///
  /// `conditionFailed` of one of them means that its item has an event that is as late: repeat the transaction without
  /// this write, so that the other item is as late too.
  ///
  /// - Parameters:
  ///   - seconds: the present time in Unix seconds.
  ///   - isApple: whether the issuer has the preset `apple`. Its subjects then have an item of the first form too.
  package func writes(at seconds: Int64, isApple: Bool) -> [ItemWrite]? {
    guard let itemKey = key.itemKey else { return nil }
    var values = Item()
    values.set(":time", .number(eventMilliseconds))
    let first = firstItemKey(isApple: isApple).map {
      ItemWrite.update(
        $0, "SET eventMilliseconds = :time", if: "attribute_not_exists(pk) OR eventMilliseconds < :time",
        values: values)
    }
    values.set(":kind", .string(Array(key.kind.claim.utf8)))
    values.set(":now", .number(seconds))
    values.set(":expires", expires(writtenAt: seconds).map { .number($0) })
    let second = ItemWrite.update(
      itemKey,
      "SET eventMilliseconds = :time, kind = :kind" + (key.kind == .subject ? "" : ", expires = :expires"),
      if: "attribute_not_exists(pk) OR eventMilliseconds < :time OR expires < :now", values: values)
    return [second] + (first.map { [$0] } ?? [])
  }

  /// The writes that undo a withdrawal of this key, whenever its event was; `nil` if libcrypto fails.
  ///
  /// - Parameter isApple: as for ``writes(at:isApple:)``.
  package func deletions(isApple: Bool) -> [ItemWrite]? {
    guard let itemKey = key.itemKey else { return nil }
    return [.delete(itemKey)] + (firstItemKey(isApple: isApple).map { [.delete($0)] } ?? [])
  }

  private func firstItemKey(isApple: Bool) -> [UInt8]? {
    isApple && key.kind == .subject ? WithdrawalKey.firstItemKey(of: key.value) : nil
  }

  /// The time of the event in an item of either form, in Unix milliseconds; `nil` if the item has expired: DynamoDB
  /// deletes it later.
  ///
  /// - Parameter seconds: the present time in Unix seconds.
  package static func eventMilliseconds(in item: Item, at seconds: Int64) throws(MissingEvent) -> Int64? {
    if let expires = item.number("expires"), expires < seconds { return nil }
    guard let milliseconds = item.number("eventMilliseconds") else { throw MissingEvent() }
    return milliseconds
  }

  /// An item has no `eventMilliseconds`, so it is unknown what it withdraws.
  package struct MissingEvent: Error {}
}
