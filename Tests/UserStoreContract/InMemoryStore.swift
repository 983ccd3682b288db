import Foundation
package import UserStore

/// An in-memory store that follows the contract, or has one flaw: it proves that the rules can fail.
package struct InMemoryStore: UserStore {
  /// A violation of the contract.
  package enum Flaw: CaseIterable, Sendable {
    case createsTwice, forgetsProfiles, reusesNonce, storesBeforeNonce, foldsCase, confusesEmptyAndAbsent
    case repeatsEvents, lastEventWins, losesEventThatLost, relayMakesUser, looksWhenOpened
    case ignoresRevocations, revokesForEver, usesNonceOfRevoked
  }

  /// The data that the clients share.
  package final class Contents: @unchecked Sendable {
    fileprivate let lock = NSLock()
    fileprivate var users: [[UInt8]: User] = [:]
    fileprivate var nonces: Set<[UInt8]> = []
    fileprivate var events: Set<[UInt8]> = []
    fileprivate var revocations: [[UInt8]: Int64] = [:]
    fileprivate var relayTimes: [[UInt8]: Int64] = [:]

    /// Creates empty contents.
    package init() {}

    /// The event time of a subject's revocation.
    package func revocationMilliseconds(of subject: [UInt8]) -> Int64? {
      lock.withLock { revocations[subject] }
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
      case .revocation: contents.revocations[event.subject] = event.eventMilliseconds
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

  private func isRevoked(_ signIn: SignIn) -> Bool {
    guard flaw != .ignoresRevocations, let time = contents.revocations[signIn.subject] else { return false }
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
