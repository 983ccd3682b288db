public import DynamoDB
public import UserStore

/// Users, used nonces and Apple's notifications in one table of DynamoDB, whose key is the text `pk` and whose TTL attribute
/// is `expires` (docs/dynamodb.md).
///
/// Each call writes a fresh mark into what it may create once only: where an attempt had no answer and the next one finds a
/// nonce used or an event seen, the mark tells whether that was this very call.
public struct DynamoDBStore<Transport: DynamoDBTransport, Pace: DynamoDBPace>: UserStore {
  private var client: DynamoDBClient<Transport, Pace>

  /// A store in the client's table.
  public init(_ client: DynamoDBClient<Transport, Pace>) { self.client = client }

  /// Reads the user and writes what the sign-in changes under the condition that nobody else has meanwhile; begins anew
  /// where somebody has. No user is written after a revocation that refuses the token: the transaction checks it.
  public mutating func keep(_ signIn: SignIn, deadlineMilliseconds: Int64) throws(StoreError) -> SignInOutcome
  {
    let key = try StoredUser.key(signIn.subject)
    do {
      return try keep(signIn, key, deadline: client.deadline(unixMilliseconds: deadlineMilliseconds))
    } catch {
      throw error.storeError
    }
  }

  /// One consistent read.
  public mutating func user(subject: [UInt8], deadlineMilliseconds: Int64) throws(StoreError) -> User? {
    let key = try StoredUser.key(subject)
    do {
      let deadline = client.deadline(unixMilliseconds: deadlineMilliseconds)
      return try read(subject, key, deadline: deadline)?.user
    } catch {
      throw error.storeError
    }
  }

  /// Keeps the event's identifier and what it changes in one transaction, or its identifier alone where a later event of its
  /// kind holds already.
  public mutating func record(_ event: AccountEvent, deadlineMilliseconds: Int64) throws(StoreError)
    -> Recording
  {
    let writes = try EventWrites(event, mark: client.freshName())
    let deadline = client.deadline(unixMilliseconds: deadlineMilliseconds)
    do {
      do {
        try client.transactWrite([writes.event, writes.change], deadline: deadline)
        return .recorded
      } catch .transactionCancelled(let reasons) where reasons[0] == .conditionFailed {
        return try recording(writes, deadline: deadline)
      } catch .transactionCancelled(let reasons) where reasons[1] == .conditionFailed {
        // Later events stay later: what lost once would always lose.
        try client.write(writes.event, deadline: deadline)
        return .recorded
      }
    } catch .conditionFailed {
      do {
        return try recording(writes, deadline: deadline)
      } catch {
        throw error.storeError
      }
    } catch {
      throw error.storeError
    }
  }

  /// What became of an event whose identifier was there when it came.
  private mutating func recording(_ writes: EventWrites, deadline: Int64) throws(DynamoDBError) -> Recording {
    try isOurs(writes.eventKey, mark: writes.mark, deadline: deadline) ? .recorded : .seenBefore
  }

  private mutating func keep(_ signIn: SignIn, _ key: [UInt8], deadline: Int64) throws(StoreFailure)
    -> SignInOutcome
  {
    if let time = try revocation(of: signIn.subject, deadline: deadline),
      signIn.isRefused(byRevocationAt: time)
    {
      return .revoked
    }
    let mark = client.freshName()
    let nonce = signIn.nonce.map { NonceWrite($0, mark: mark, milliseconds: signIn.milliseconds) }
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
        // An attempt of ours that had no answer.
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
          throw .unreadable("a nonce was used and its user is not there")
        }
        return mayHaveCreated && user.identifier == signIn.newIdentifier ? .created(user) : .found(user)
      case .userChanged: try waitAfterLostRace(&retry, deadline: deadline)
      }
    }
  }

  private enum Commitment { case done, revoked, nonceUsed, nonceUsedByUs, userChanged }

  /// Writes both, or what there is of them. A nonce alone stores nothing of the user: its write needs no check, and is as if
  /// it had come before a revocation that is recorded at the same time.
  private mutating func commit(
    _ nonce: NonceWrite?, _ user: ItemWrite?, _ check: ItemCheck, deadline: Int64
  ) throws(StoreFailure) -> Commitment {
    do {
      if let user {
        try client.transactWrite((nonce.map { [$0.write] } ?? []) + [user], if: check, deadline: deadline)
      } else if let nonce {
        try client.write(nonce.write, deadline: deadline)
      }
      return .done
    } catch .conditionFailed {
      guard let nonce else { throw .table(.conditionFailed) }
      return try usage(nonce, deadline: deadline)
    } catch .transactionCancelled(let reasons) {
      let isRevoked = reasons.last == .conditionFailed
      if let nonce, reasons.first == .conditionFailed {
        // One of ours was stored by an attempt that had no answer, before the revocation.
        let usage = try usage(nonce, deadline: deadline)
        return usage == .nonceUsed && isRevoked ? .revoked : usage
      }
      if reasons.dropLast().last == .conditionFailed { return .userChanged }
      guard isRevoked else { throw .table(.transactionCancelled(reasons)) }
      return .revoked
    } catch {
      throw .table(error)
    }
  }

  private mutating func usage(_ nonce: NonceWrite, deadline: Int64) throws(StoreFailure) -> Commitment {
    do {
      return try isOurs(nonce.key, mark: nonce.mark, deadline: deadline) ? .nonceUsedByUs : .nonceUsed
    } catch {
      throw .table(error)
    }
  }

  /// Whether the item with this key was written by the call with this mark.
  private mutating func isOurs(_ key: [UInt8], mark: [UInt8], deadline: Int64) throws(DynamoDBError) -> Bool {
    try client.getItem(key, isConsistent: true, deadline: deadline)?.string(Layout.mark) == mark
  }

  private mutating func waitAfterLostRace(_ retry: inout Retry, deadline: Int64) throws(StoreFailure) {
    do {
      try client.waitAfterLostRace(&retry, deadline: deadline)
    } catch {
      throw .table(error)
    }
  }

  /// The event time of a subject's revocation in Unix milliseconds.
  private mutating func revocation(of subject: [UInt8], deadline: Int64) throws(StoreFailure) -> Int64? {
    let key = try Layout.revocationKey(of: subject)
    let item: Item?
    do {
      item = try client.getItem(key, isConsistent: true, deadline: deadline)
    } catch {
      throw .table(error)
    }
    guard let item else { return nil }
    guard let time = item.number(Layout.eventMilliseconds) else {
      throw .unreadable("an item of a revocation lacks its time")
    }
    return time
  }

  private mutating func read(_ subject: [UInt8], _ key: [UInt8], deadline: Int64) throws(StoreFailure)
    -> StoredUser?
  {
    let item: Item?
    do {
      item = try client.getItem(key, isConsistent: true, deadline: deadline)
    } catch {
      throw .table(error)
    }
    guard let item else { return nil }
    guard let stored = StoredUser(item, subject: subject, key: key) else {
      throw .unreadable("an item of a user lacks what every version writes")
    }
    return stored
  }
}

/// What can go wrong on the way to an outcome.
enum StoreFailure: Error {
  case table(DynamoDBError)
  case unreadable(String)
  case refused(StoreError)

  var storeError: StoreError {
    switch self {
    case .table(let error): error.storeError
    case .unreadable(let text): .unreadable(text)
    case .refused(let error): error
    }
  }
}

extension DynamoDBError {
  /// What the error means for whoever asked the store. A configuration that cannot work is a refusal: it does not go away.
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
