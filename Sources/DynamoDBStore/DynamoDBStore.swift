package import DynamoDB
package import UserStore
import Withdrawals

/// A store for users, used nonces and Apple's notifications in one DynamoDB table, whose key is the string `pk` and
/// whose TTL attribute is `expires` (docs/dynamodb.md).
///
/// Each call writes a fresh mark into the items that may be created only once. If an attempt had no answer and the
/// next one finds a nonce used or an event recorded, the mark shows whether this same call did it.
package struct DynamoDBStore<Transport: DynamoDBTransport, Pace: DynamoDBPace>: UserStore {
  private var client: DynamoDBClient<Transport, Pace>

  /// Creates a store in the client's table.
  package init(_ client: DynamoDBClient<Transport, Pace>) { self.client = client }

  /// Reads the user and writes the changes of the sign-in on condition that no other call changed the user meanwhile;
  /// otherwise starts over. The transaction also checks that no revocation refuses the token.
  package mutating func keep(_ signIn: SignIn, deadlineMilliseconds: Int64) throws(StoreError)
    -> SignInOutcome
  {
    let key = try StoredUser.key(signIn.subject)
    return try keep(signIn, key, deadline: client.deadline(unixMilliseconds: deadlineMilliseconds))
  }

  /// Returns the user by one consistent read.
  package mutating func user(subject: [UInt8], deadlineMilliseconds: Int64) throws(StoreError) -> User? {
    let key = try StoredUser.key(subject)
    let deadline = client.deadline(unixMilliseconds: deadlineMilliseconds)
    return try read(subject, key, deadline: deadline)?.user
  }

  /// Stores the event's identifier and its change in one transaction, or the identifier alone if a later event of its
  /// kind is already stored.
  package mutating func record(_ event: AccountEvent, deadlineMilliseconds: Int64) throws(StoreError)
    -> Recording
  {
    guard case .relay(let forwards) = event.kind else {
      return try withdraw(WithdrawalOrder(revoking: event), deadlineMilliseconds: deadlineMilliseconds)
    }
    let receipt = try Receipt(
      event.identifier, mark: client.freshName(), receivedMilliseconds: event.receivedMilliseconds)
    let change = try StoredUser.relay(forwards, of: event.subject, at: event.eventMilliseconds)
    return try store(receipt, [change], deadline: client.deadline(unixMilliseconds: deadlineMilliseconds))
  }

  /// Stores the message's identifier and all withdrawals in one transaction.
  package mutating func withdraw(_ order: WithdrawalOrder, deadlineMilliseconds: Int64) throws(StoreError)
    -> Recording
  {
    var changes: [ItemWrite] = []
    for withdrawal in order.withdrawals {
      try Layout.checkText(withdrawal.key.value)
      guard
        let writes = withdrawal.writes(
          at: order.receivedMilliseconds / 1000, isApple: withdrawal.key.isOfApple)
      else { throw .refused("libcrypto fails") }
      changes += writes
    }
    var receipt: Receipt?
    if let identifier = order.identifier {
      receipt = try Receipt(
        identifier, mark: client.freshName(), receivedMilliseconds: order.receivedMilliseconds)
    }
    return try store(receipt, changes, deadline: client.deadline(unixMilliseconds: deadlineMilliseconds))
  }

  /// Performs all changes whose items have no event that is as late, in one transaction with the receipt.
  private mutating func store(
    _ receipt: Receipt?, _ changes: [ItemWrite], deadline: Int64
  ) throws(StoreError) -> Recording {
    let first = receipt.map { [$0.write] } ?? []
    var changes = changes
    while !changes.isEmpty {
      do throws(DynamoDBError) {
        try client.transactWrite(first + changes, deadline: deadline)
        return .recorded
      } catch {
        guard case .transactionCancelled(let reasons) = error else { throw error.storeError }
        if let receipt, reasons[0] == .conditionFailed { return try recording(receipt, deadline: deadline) }
        // A retry of these is pointless: the stored event remains the later one.
        let failed = reasons.dropFirst(first.count).map { $0 == .conditionFailed }
        guard failed.contains(true) else { throw error.storeError }
        changes = zip(changes, failed).filter { !$0.1 }.map { $0.0 }
      }
    }
    guard let receipt else { return .recorded }
    do throws(DynamoDBError) {
      try client.write(receipt.write, deadline: deadline)
      return .recorded
    } catch {
      guard error == .conditionFailed else { throw error.storeError }
      return try recording(receipt, deadline: deadline)
    }
  }

  /// The result for a message whose identifier was already stored.
  private mutating func recording(_ receipt: Receipt, deadline: Int64) throws(StoreError) -> Recording {
    try isOurs(receipt, deadline: deadline) ? .recorded : .seenBefore
  }

  private mutating func keep(_ signIn: SignIn, _ key: [UInt8], deadline: Int64) throws(StoreError)
    -> SignInOutcome
  {
    if let time = try revocation(of: signIn.subject, deadline: deadline),
      signIn.isRefused(byRevocationAt: time)
    {
      return .revoked
    }
    let mark = client.freshName()
    let nonce = signIn.nonce.map { Receipt($0, mark: mark, milliseconds: signIn.milliseconds) }
    let check = ItemCheck.unrevoked(try Layout.revocationKey(of: signIn.subject), signIn)
    var retry = Retry()
    var mayHaveCreated = false
    while true {
      let stored = try read(signIn.subject, key, deadline: deadline)
      let outcome: SignInOutcome
      let write: ItemWrite?
      if let stored {
        var user = stored.user
        user.profile = stored.user.profile.updated(by: signIn)
        // An earlier attempt of this call, which had no answer, created the user.
        let isOurs = mayHaveCreated && user.identifier == signIn.newIdentifier
        outcome = isOurs ? .created(user) : .found(user)
        write = user == stored.user ? nil : stored.update(to: user.profile)
      } else {
        let user = User(
          identifier: signIn.newIdentifier, subject: signIn.subject, createdMilliseconds: signIn.milliseconds,
          profile: signIn.profile)
        outcome = .created(user)
        write = StoredUser.creation(of: user, key)
        mayHaveCreated = true
      }
      switch try commit(nonce, write, check, deadline: deadline) {
      case .done: return outcome
      case .revoked: return .revoked
      case .nonceUsed: return .nonceUsedBefore
      case .nonceUsedByUs:
        guard let user = try read(signIn.subject, key, deadline: deadline)?.user else {
          throw .unreadable("a nonce was used but its user does not exist")
        }
        return mayHaveCreated && user.identifier == signIn.newIdentifier ? .created(user) : .found(user)
      case .userChanged: try waitAfterLostRace(&retry, deadline: deadline)
      }
    }
  }

  private enum Commitment { case done, revoked, nonceUsed, nonceUsedByUs, userChanged }

  /// Writes nonce and user, or only one if the other is `nil`. A nonce alone stores no user data, so its write needs
  /// no check: it counts as earlier than a revocation recorded at the same time.
  private mutating func commit(
    _ nonce: Receipt?, _ user: ItemWrite?, _ check: ItemCheck, deadline: Int64
  ) throws(StoreError) -> Commitment {
    do {
      if let user {
        try client.transactWrite((nonce.map { [$0.write] } ?? []) + [user], if: check, deadline: deadline)
      } else if let nonce {
        try client.write(nonce.write, deadline: deadline)
      }
      return .done
    } catch .conditionFailed {
      guard let nonce else { throw DynamoDBError.conditionFailed.storeError }
      return try usage(nonce, deadline: deadline)
    } catch .transactionCancelled(let reasons) {
      let isRevoked = reasons.last == .conditionFailed
      if let nonce, reasons.first == .conditionFailed {
        // An earlier attempt, which had no answer, may have stored the nonce before the revocation.
        let usage = try usage(nonce, deadline: deadline)
        return usage == .nonceUsed && isRevoked ? .revoked : usage
      }
      if reasons.dropLast().last == .conditionFailed { return .userChanged }
      guard isRevoked else { throw DynamoDBError.transactionCancelled(reasons).storeError }
      return .revoked
    } catch {
      throw error.storeError
    }
  }

  private mutating func usage(_ nonce: Receipt, deadline: Int64) throws(StoreError) -> Commitment {
    try isOurs(nonce, deadline: deadline) ? .nonceUsedByUs : .nonceUsed
  }

  /// Whether this call wrote the item, which has its mark then.
  private mutating func isOurs(_ receipt: Receipt, deadline: Int64) throws(StoreError) -> Bool {
    try item(receipt.key, deadline: deadline)?.string(Layout.mark) == receipt.mark
  }

  private mutating func item(_ key: [UInt8], deadline: Int64) throws(StoreError) -> Item? {
    do {
      return try client.getItem(key, isConsistent: true, deadline: deadline)
    } catch {
      throw error.storeError
    }
  }

  private mutating func waitAfterLostRace(_ retry: inout Retry, deadline: Int64) throws(StoreError) {
    do {
      try client.waitAfterLostRace(&retry, deadline: deadline)
    } catch {
      throw error.storeError
    }
  }

  /// The event time of a subject's revocation in Unix milliseconds.
  private mutating func revocation(of subject: [UInt8], deadline: Int64) throws(StoreError) -> Int64? {
    guard let item = try item(try Layout.revocationKey(of: subject), deadline: deadline) else { return nil }
    guard let time = item.number(Layout.eventMilliseconds) else {
      throw .unreadable("a revocation item has no time")
    }
    return time
  }

  private mutating func read(_ subject: [UInt8], _ key: [UInt8], deadline: Int64) throws(StoreError)
    -> StoredUser?
  {
    guard let item = try item(key, deadline: deadline) else { return nil }
    guard let stored = StoredUser(item, subject: subject, key: key) else {
      throw .unreadable("a user item lacks required attributes")
    }
    return stored
  }
}

extension DynamoDBError {
  /// The error as callers of the store see it. Invalid configuration is `refused`, because retries cannot help.
  var storeError: StoreError {
    switch self {
    case .unreachable(let failure):
      switch failure.kind {
      case .libraryMissing, .configuration, .executable: .refused(description)
      default: .unavailable(description)
      }
    case .timedOut, .throttled, .contended, .serverFailed, .malformedAnswer: .unavailable(description)
    case .conditionFailed, .accessDenied, .tableMissing, .refused, .requestTooLarge: .refused(description)
    case .transactionCancelled(let reasons):
      reasons.contains(.other) ? .refused(description) : .unavailable(description)
    }
  }
}
