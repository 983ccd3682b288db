import Foundation
import UserStore

/// One run of a rule on a store: its calls and its findings.
struct Examination {
  let store: StoreUnderTest
  private(set) var findings: [String] = []

  init(_ store: StoreUnderTest) { self.store = store }

  /// A time in Unix milliseconds that is not a whole number of seconds.
  static let time: Int64 = 1_795_000_000_123

  mutating func expect<Value: Equatable>(_ found: Value, _ wanted: Value, _ what: String) {
    if found != wanted { findings.append("\(what): \(found) instead of \(wanted)") }
  }

  /// Stores a sign-in with a new client.
  func keep(_ signIn: SignIn) throws -> SignInOutcome {
    var client = try store.open()
    return try client.keep(signIn, deadlineMilliseconds: deadline)
  }

  /// Reads a user with a new client.
  func user(_ subject: [UInt8]) throws -> User? {
    var client = try store.open()
    return try client.user(subject: subject, deadlineMilliseconds: deadline)
  }

  /// Records an event with a new client.
  func record(_ event: AccountEvent) throws -> Recording {
    var client = try store.open()
    return try client.record(event, deadlineMilliseconds: deadline)
  }

  var deadline: Int64 { Int64(Date().timeIntervalSince1970 * 1000) + store.callMilliseconds }

  /// Runs concurrent calls, distributed among the clients; returns their results in any order.
  func race<Value: Sendable>(
    _ calls: Int, _ call: @escaping @Sendable (_ client: inout any UserStore, _ index: Int) throws -> Value
  ) -> [Result<Value, any Error>] {
    let clients = min(calls, store.clients)
    let open = store.open
    let line = StartingLine<Value>(runners: clients)
    for runner in 0..<clients {
      Thread {
        // Opened before the start, so that only the calls race.
        var client = Result { try open() }
        line.wait()
        for index in stride(from: runner, to: calls, by: clients) {
          line.add(
            Result {
              var opened = try client.get()
              defer { client = .success(opened) }
              return try call(&opened, index)
            })
        }
        line.leave()
      }.start()
    }
    return line.results()
  }
}

/// A barrier that also collects the results of the threads.
private final class StartingLine<Value: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var awaited: Int
  private var running: Int
  private var collected: [Result<Value, any Error>] = []

  init(runners: Int) {
    awaited = runners
    running = runners
  }

  func wait() {
    condition.withLock {
      awaited -= 1
      if awaited == 0 { condition.broadcast() }
      while awaited > 0 { condition.wait() }
    }
  }

  func add(_ result: Result<Value, any Error>) { condition.withLock { collected.append(result) } }

  func leave() {
    condition.withLock {
      running -= 1
      if running == 0 { condition.broadcast() }
    }
  }

  func results() -> [Result<Value, any Error>] {
    condition.withLock {
      while running > 0 { condition.wait() }
      return collected
    }
  }
}

/// Unique names and nonces.
enum Fresh {
  static func subject(_ text: String = "") -> [UInt8] { Array("001234.\(UUID().uuidString).\(text)".utf8) }

  static func identifier() -> [UInt8] { Array(UUID().uuidString.lowercased().utf8) }

  /// A use of an unused nonce.
  static func nonce(expiresAt: Int64 = Examination.time / 1000 + 600) -> NonceUse {
    NonceUse(digest: (0..<32).map { _ in UInt8.random(in: 0...255) }, expiresAt: expiresAt)
  }
}

extension SignIn {
  init(
    _ subject: [UInt8], _ profile: UserProfile = UserProfile(), nonce: NonceUse? = nil, after: Int64 = 0,
    issuedAt: Int64? = nil, isEmailClaimed: Bool = false
  ) {
    self.init(
      subject: subject, profile: profile, isEmailClaimed: isEmailClaimed, newIdentifier: Fresh.identifier(),
      nonce: nonce,
      milliseconds: Examination.time + after, issuedMilliseconds: issuedAt)
  }

  /// The user that this sign-in creates.
  var newUser: User {
    User(identifier: newIdentifier, subject: subject, createdMilliseconds: milliseconds, profile: profile)
  }
}

extension AccountEvent {
  init(
    _ kind: Kind, of subject: [UInt8], at milliseconds: Int64,
    identifier: [UInt8] = Array(UUID().uuidString.utf8)
  ) {
    self.init(
      identifier: identifier, subject: subject, kind: kind, eventMilliseconds: milliseconds,
      receivedMilliseconds: Examination.time)
  }
}

extension UserProfile {
  init(_ fill: (inout UserProfile) -> Void) {
    self.init()
    fill(&self)
  }
}

extension SignInOutcome {
  var user: User? {
    switch self {
    case .created(let user), .found(let user): user
    case .nonceUsedBefore, .revoked: nil
    }
  }

  var isCreation: Bool { if case .created = self { true } else { false } }
}
