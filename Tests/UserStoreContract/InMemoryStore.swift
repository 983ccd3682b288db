import Foundation
package import UserStore
package import Withdrawals

/// An in-memory store that follows the contract, or has one flaw: it proves that the rules can fail.
package struct InMemoryStore: UserStore {
  /// A violation of the contract.
  package enum Flaw: CaseIterable, Sendable {
    case createsTwice, forgetsProfiles, reusesNonce, storesBeforeNonce, foldsCase, confusesEmptyAndAbsent
    case repeatsEvents, lastEventWins, losesEventThatLost, relayMakesUser, looksWhenOpened
    case ignoresRevocations, revokesForEver, usesNonceOfRevoked
    case writesOneForm, confusesKinds, keepsExpired, losesKeysAfterOlder
  }

  /// The data that the clients share.
  package final class Contents: @unchecked Sendable {
    fileprivate let lock = NSLock()
    fileprivate var users: [[UInt8]: User] = [:]
    fileprivate var nonces: Set<[UInt8]> = []
    fileprivate var events: Set<[UInt8]> = []
    fileprivate var revocations: [[UInt8]: Int64] = [:]
    fileprivate var withdrawals: [(key: WithdrawalKey, milliseconds: Int64, expires: Int64?)] = []
    fileprivate var relayTimes: [[UInt8]: Int64] = [:]

    /// Creates empty contents.
    package init() {}

    /// The event time of a subject's revocation.
    package func revocationMilliseconds(of subject: [UInt8]) -> Int64? {
      lock.withLock { revocations[subject] }
    }

    /// The event time of a withdrawal of the second form.
    package func withdrawnMilliseconds(of key: WithdrawalKey) -> Int64? {
      lock.withLock { withdrawals.first { $0.key == key }?.milliseconds }
    }
  }

  private let contents: Contents
  private let flaw: Flaw?
  private let noncesWhenOpened: Set<[UInt8]>

  /// Creates a client of these contents.
  package init(_ contents: Contents, flaw: Flaw? = nil) {
    self.contents = contents
    self.flaw = flaw
    noncesWhenOpened = contents.lock.withLock { contents.nonces }
  }

  /// Never throws.
  package mutating func keep(_ signIn: SignIn, deadlineMilliseconds: Int64) throws(StoreError)
    -> SignInOutcome
  {
    contents.lock.withLock {
      if isRevoked(signIn) {
        if flaw == .usesNonceOfRevoked, let nonce = signIn.nonce { contents.nonces.insert(nonce.digest) }
        return .revoked
      }
      let nonces = flaw == .looksWhenOpened ? noncesWhenOpened : contents.nonces
      let wasUsed = signIn.nonce.map { nonces.contains($0.digest) } ?? false
      if wasUsed, flaw == .storesBeforeNonce { _ = store(signIn) }
      if wasUsed, flaw != .reusesNonce { return .nonceUsedBefore }
      if let nonce = signIn.nonce { contents.nonces.insert(nonce.digest) }
      return store(signIn)
    }
  }

  /// Never throws.
  package mutating func user(subject: [UInt8], deadlineMilliseconds: Int64) throws(StoreError) -> User? {
    contents.lock.withLock { contents.users[key(subject)] }
  }

  /// Never throws.
  package mutating func record(_ event: AccountEvent, deadlineMilliseconds: Int64) throws(StoreError)
    -> Recording
  {
    contents.lock.withLock {
      let isLate = !isLatest(event)
      if flaw != .losesEventThatLost || !isLate {
        let isNew = contents.events.insert(event.identifier).inserted
        if !isNew, flaw != .repeatsEvents { return .seenBefore }
      }
      if isLate, flaw != .lastEventWins { return .recorded }
      switch event.kind {
      case .revocation:
        let order = WithdrawalOrder(revoking: event)
        for withdrawal in order.withdrawals { _ = store(withdrawal, at: order.receivedMilliseconds / 1000) }
        contents.revocations[event.subject] = event.eventMilliseconds
      case .relay(let forwards):
        if flaw == .relayMakesUser, contents.users[event.subject] == nil {
          contents.users[event.subject] = User(
            identifier: [], subject: event.subject, createdMilliseconds: 0, profile: UserProfile())
        }
        contents.relayTimes[event.subject] = event.eventMilliseconds
        contents.users[event.subject]?.relayForwards = forwards
      }
      return .recorded
    }
  }

  /// Never throws.
  package mutating func withdraw(_ order: WithdrawalOrder, deadlineMilliseconds: Int64) throws(StoreError)
    -> Recording
  {
    contents.lock.withLock {
      if let identifier = order.identifier {
        let isNew = contents.events.insert(identifier).inserted
        if !isNew, flaw != .repeatsEvents { return .seenBefore }
      }
      for withdrawal in order.withdrawals {
        let isStored = store(withdrawal, at: order.receivedMilliseconds / 1000)
        if flaw == .losesKeysAfterOlder, !isStored { break }
      }
      return .recorded
    }
  }

  /// Stores a withdrawal in its forms; `false` if an event that is as late is stored.
  private func store(_ withdrawal: Withdrawal, at seconds: Int64) -> Bool {
    var key = withdrawal.key
    if flaw == .confusesKinds { key = WithdrawalKey(issuer: key.issuer, kind: .session, value: key.value) }
    if key.hasFirstForm, flaw != .writesOneForm {
      let known = contents.revocations[key.value] ?? .min
      contents.revocations[key.value] = max(known, withdrawal.eventMilliseconds)
    }
    let known = contents.withdrawals.firstIndex { $0.key == key }
    if let known {
      let stored = contents.withdrawals[known]
      let isExpired = flaw != .keepsExpired && stored.expires.map { $0 < seconds } ?? false
      guard isExpired || stored.milliseconds < withdrawal.eventMilliseconds || flaw == .lastEventWins else {
        return false
      }
      contents.withdrawals.remove(at: known)
    }
    contents.withdrawals.append(
      (key, withdrawal.eventMilliseconds, withdrawal.expires(writtenAt: seconds)))
    return true
  }

  private func isRevoked(_ signIn: SignIn) -> Bool {
    let key = WithdrawalKey.apple(signIn.subject)
    let time = contents.revocations[key.value] ?? contents.withdrawals.first { $0.key == key }?.milliseconds
    guard flaw != .ignoresRevocations, let time else { return false }
    return flaw == .revokesForEver || signIn.isRefused(byRevocationAt: time)
  }

  private func isLatest(_ event: AccountEvent) -> Bool {
    let times = event.kind == .revocation ? contents.revocations : contents.relayTimes
    return event.eventMilliseconds > times[event.subject] ?? .min
  }

  private func store(_ signIn: SignIn) -> SignInOutcome {
    let key = key(signIn.subject)
    guard var user = contents.users[key] else {
      var profile = signIn.profile
      if flaw == .confusesEmptyAndAbsent, profile.givenName == [] { profile.givenName = nil }
      let user = User(
        identifier: signIn.newIdentifier, subject: signIn.subject, createdMilliseconds: signIn.milliseconds,
        profile: profile)
      contents.users[key] = user
      return .created(user)
    }
    user.profile = user.profile.updated(by: signIn)
    if flaw != .forgetsProfiles { contents.users[key] = user }
    return flaw == .createsTwice ? .created(user) : .found(user)
  }

  private func key(_ subject: [UInt8]) -> [UInt8] {
    flaw == .foldsCase ? Array(String(decoding: subject, as: UTF8.self).lowercased().utf8) : subject
  }
}
