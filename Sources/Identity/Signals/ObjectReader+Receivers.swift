import Bytes
import FunctionHost
import IssuerKeys
import JOSE
import JSON

extension ObjectReader {
  /// Reads `receivers`; `nil` if it is absent. Problems are reported.
  mutating func receivers(_ source: some ConfigurationSource) -> [Receiver]? {
    guard let list = value("receivers") else { return nil }
    guard list.kind == .array else {
      add("receivers", "a list of objects is expected")
      return []
    }
    var receivers: [Receiver] = []
    for (index, value) in list.elements.enumerated() {
      let path = path(of: "receivers") + "[\(index)]"
      guard index < Receiver.maximumReceivers else {
        problems.add(path, "at most \(Receiver.maximumReceivers) receivers are possible")
        break
      }
      guard var reader = ObjectReader(value, path: path, problems), let receiver = reader.receiver(source)
      else { continue }
      if receivers.contains(where: { $0.name.utf8.elementsEqual(receiver.name.utf8) }) {
        problems.add(path + ".name", "another receiver has the name \(receiver.name)")
      }
      receivers.append(receiver)
    }
    return receivers
  }

  private mutating func receiver(_ source: some ConfigurationSource) -> Receiver? {
    let before = problems.problems.count
    let name = requiredText("name", "the name in the routes /signals/NAME/…")
    if let name, !Self.isReceiverName(name) {
      add("name", "1 to 64 letters, digits and -._~ are expected, which a path has unencoded")
    }
    let issuer = requiredText("issuer", "the exact value of iss in the sender's tokens")
    let users = userIssuers(issuer)
    let algorithms = signatureAlgorithms()
    let audiences = texts("audiences")
    if audiences == nil, !problems.concerns(path(of: "audiences")) {
      add("audiences", "missing: aud of the sender's tokens, such as your client ID")
    }
    let accepted = acceptedSignals()
    let keys = senderKeys(algorithms, source)
    let authorization = authorization(source)
    finish()
    guard problems.problems.count == before, let name, let issuer, let algorithms, let audiences, let keys
    else { return nil }
    let logout = IssuerProfile.signal(
      name, issuer, audiences, algorithms, LogoutToken.types, LogoutToken.claimRules, expires: true)
    let events = IssuerProfile.signal(
      name, issuer, audiences, algorithms, SecurityEventToken.types, SecurityEventToken.claimRules,
      expires: false)
    guard let logout, let events else {
      problems.add(path, "issuer, audiences or algorithms cannot be used")
      return nil
    }
    return Receiver(
      name: name, users: users, keys: keys, issuer: issuer,
      logout: accepted.contains(.logout) ? logout : nil, events: accepted.contains(.event) ? events : nil,
      authorization: authorization)
  }

  private mutating func requiredText(_ name: String, _ what: String) -> String? {
    let text = text(name)
    if text == nil, !problems.concerns(path(of: name)) { add(name, "missing: " + what) }
    return text
  }

  private static func isReceiverName(_ name: String) -> Bool {
    1...64 ~= name.utf8.count
      && name.utf8.allSatisfy { $0.isLetterOrDigit || "-._~".utf8.contains($0) }
  }

  private mutating func userIssuers(_ issuer: String?) -> [String] {
    let users = texts("users")
    for (index, user) in (users ?? []).enumerated() {
      let isKnown = users?.prefix(index).contains { Receiver.isSame(Array($0.utf8), Array(user.utf8)) }
      if isKnown == true { add("users[\(index)]", "duplicate, also with another slash at the end") }
    }
    if let users, users.count > Receiver.maximumUsers {
      add("users", "at most \(Receiver.maximumUsers) issuers are possible")
    }
    return users ?? issuer.map { [$0] } ?? []
  }

  private mutating func signatureAlgorithms() -> [Algorithm]? {
    let algorithms = algorithms("algorithms")
    if algorithms == nil, !problems.concerns(path(of: "algorithms")) {
      add("algorithms", "missing: the algorithms that the sender signs with, such as [\"RS256\"]")
    }
    if algorithms?.contains(where: { $0.isSymmetric }) == true {
      add("algorithms", "HMAC is not possible: everyone who verifies could end users; use public keys")
    }
    return algorithms
  }

  private mutating func acceptedSignals() -> [SignalKind] {
    let words = texts("accept")
    if words == nil, !problems.concerns(path(of: "accept")) {
      add("accept", "missing: what the sender sends, " + SignalKind.list)
    }
    var kinds: [SignalKind] = []
    for (index, word) in (words ?? []).enumerated() {
      if let kind = SignalKind(rawValue: word) {
        kinds.append(kind)
      } else {
        add("accept[\(index)]", SignalKind.list + " is expected")
      }
    }
    return kinds
  }

  private mutating func senderKeys(
    _ algorithms: [Algorithm]?, _ source: some ConfigurationSource
  ) -> KeySource? {
    guard let reader = self.reader("keys") else {
      if !problems.concerns(path(of: "keys")) { add("keys", "missing: the \"url\" of the sender's key set") }
      return nil
    }
    let configuration = KeysConfiguration(reader)
    guard configuration.secret == nil else {
      problems.add(reader.path(of: "secret"), "secrets are not possible here; use \"url\" or \"seed\"")
      return nil
    }
    guard let algorithms, !algorithms.contains(where: { $0.isSymmetric }) else { return nil }
    let entry = KeysConfiguration.Entry(
      algorithms: algorithms, isFixedByPreset: false, presetAddress: nil)
    guard case .published(let keys)? = configuration.material(source, entry, problems) else { return nil }
    return keys
  }

  private mutating func authorization(_ source: some ConfigurationSource) -> KnownText? {
    guard var reader = self.reader("authorization") else { return nil }
    let name = reader.requiredText("environment", "the variable with the whole value of Authorization")
    reader.finish()
    guard let name else { return nil }
    guard let text = source.variable(name), !text.isEmpty else {
      reader.add("environment", "the variable is unset or empty")
      return nil
    }
    let bytes = Array(text.utf8)
    if let flaw = UnresolvedSecret(text: bytes) {
      reader.add("environment", flaw.description)
    } else if !bytes.allSatisfy({ $0.isPrintable }) || bytes.first == .space || bytes.last == .space {
      reader.add("environment", "no value of a header: printable ASCII without space at its ends is expected")
    }
    return KnownText(bytes)
  }
}

extension SignalKind {
  fileprivate static let list = allCases.map { "\"" + $0.rawValue + "\"" }.joined(separator: " or ")
}

extension IssuerProfile {
  /// The profile of a sender's tokens; `nil` if a check would be without effect. Its leeway is that of no issuer
  /// exceeded, so that no signal is lost whose tokens are accepted.
  fileprivate static func signal(
    _ name: String, _ issuer: String, _ audiences: [String], _ algorithms: [Algorithm], _ types: TypeRule,
    _ rules: [ClaimRule], expires: Bool
  ) -> IssuerProfile? {
    try? IssuerProfile(
      name: name, issuers: [issuer], audience: .audience(audiences), algorithms: algorithms, types: types,
      leewaySeconds: IssuerProfile.maximumLeewaySeconds,
      maximumAgeSeconds: Receiver.maximumAgeSeconds, claimRules: rules, principal: ClaimPath(name: "jti"),
      hasSubject: false, requiresExpiry: expires)
  }
}
