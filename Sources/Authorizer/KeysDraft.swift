package import JOSE
import JSON
import KeyFetcher

/// The `keys` of one entry of `issuers` as they were written.
package struct KeysDraft {
  let path: String
  private let isShortForm: Bool
  var url: String?
  var seed: String?
  var seedMaximumAgeDays: Int64?
  var isPinned = false
  var graceSeconds: Int64?
  var staleOnErrorSeconds: Int64?
  var minimumRSAExponent: Int64?
  var secret: SecretDraft?

  /// A secret of HMAC issuers: its text's bytes, or what the text encodes.
  package struct SecretDraft {
    let path: String
    let environment: String?
    let file: String?
    let encoding: Encoding

    enum Encoding: String, CaseIterable { case text, base64 }

    /// The members of `secret`; each that is unknown or of the wrong kind is noted as a problem.
    package init(_ reader: ObjectReader) {
      var reader = reader
      path = reader.path
      environment = reader.text("environment")
      file = reader.text("file")
      encoding = reader.word("encoding", Encoding.self) ?? .text
      reader.finish()
    }
  }

  /// Nothing written: a preset knows where its keys are.
  package init(path: String) {
    self.path = path
    isShortForm = false
  }

  /// A key set file or address of the short form.
  init(path: String, shortForm text: String) {
    self.path = path
    isShortForm = true
    if text.looksLikeAddress {
      url = text
    } else {
      seed = text
      isPinned = true
    }
  }

  /// The members of `keys`; each that is unknown or of the wrong kind is noted as a problem.
  package init(_ reader: ObjectReader) {
    var reader = reader
    path = reader.path
    isShortForm = false
    url = reader.text("url")
    seed = reader.text("seed")
    seedMaximumAgeDays = reader.integer("seedMaximumAgeDays", in: 1...3650)
    isPinned = reader.boolean("pinned") ?? false
    graceSeconds = reader.integer("graceSeconds", in: 0...86_400)
    staleOnErrorSeconds = reader.integer("staleOnErrorSeconds", in: 0...2_592_000)
    minimumRSAExponent = reader.integer("minimumRSAExponent", in: 3...65537)
    secret = reader.reader("secret").map { SecretDraft($0) }
    reader.finish()
  }

  /// What the entry around them says about its keys.
  package struct Entry {
    /// What the issuer signs with; `nil` where that could not be read.
    let algorithms: [Algorithm]?
    /// Whether a preset fixes what is written about issuer, algorithms and keys; a mistyped one may be meant to.
    let isFixedByPreset: Bool
    /// Where the preset's issuer publishes its keys.
    let presetAddress: String?

    package init(algorithms: [Algorithm]?, isFixedByPreset: Bool, presetAddress: String?) {
      self.algorithms = algorithms
      self.isFixedByPreset = isFixedByPreset
      self.presetAddress = presetAddress
    }
  }

  /// The keys, once they are known to make sense; `nil` with problems noted otherwise.
  package func material(
    _ source: some ConfigurationSource, _ entry: Entry, _ problems: ProblemList, development: Bool
  ) -> IssuerKeyMaterial? {
    if isWritten("secret", secret != nil, problems) {
      if isWritten("url", url != nil, problems) || isWritten("seed", seed != nil, problems) || isPinned {
        problems.add(path, "a secret goes with neither \"url\" nor \"seed\" nor \"pinned\"")
      }
      if entry.isFixedByPreset {
        problems.add(
          place("secret"),
          "presets are for issuers with public keys; write out \"issuer\" and \"algorithms\" instead")
        return nil
      }
      return secret?.material(source, entry.algorithms, problems)
    }
    if let algorithms = entry.algorithms, algorithms.contains(where: { $0.isSymmetric }) {
      problems.add(path, "HMAC algorithms need a \"secret\"; a key set never gives one")
      return nil
    }
    return published(source, entry, problems, development: development)
  }

  /// Where a member was written: the short form has one variable for all.
  private func place(_ member: String) -> String { isShortForm ? path : path + "." + member }

  /// Whether a member stands there, rightly or wrongly: what was found wrong is not missing too.
  private func isWritten(_ member: String, _ isRead: Bool, _ problems: ProblemList) -> Bool {
    isRead || problems.concerns(place(member))
  }

  private func published(
    _ source: some ConfigurationSource, _ entry: Entry, _ problems: ProblemList, development: Bool
  ) -> IssuerKeyMaterial? {
    let before = problems.problems.count
    checkMembers(entry, problems)
    var address: KeyAddress?
    if !isPinned, let text = url ?? entry.presetAddress {
      do throws(KeyAddressError) {
        address = try KeyAddress(parsing: text, development: development)
      } catch {
        problems.add(place("url"), error.line)
      }
    }
    let policy = KeyPolicy(minimumRSAExponent: UInt64(minimumRSAExponent ?? 65537))
    let algorithms = entry.algorithms ?? []
    let loaded = seed.flatMap { keySet($0, source, policy, algorithms, problems, development: development) }
    guard problems.problems.count == before else { return nil }
    let days = seedMaximumAgeDays ?? KeyLifetimes.defaultSeedMaximumAgeDays
    return .published(
      KeySource(
        address: address,
        seed: loaded.map { KeySource.Seed(keys: $0, fetchedAt: isPinned ? nil : $0.fetchedAt) },
        policy: policy, algorithms: algorithms,
        lifetimes: KeyLifetimes(
          grace: graceSeconds ?? KeyLifetimes.defaultGrace,
          staleOnError: staleOnErrorSeconds ?? KeyLifetimes.defaultStaleOnError, seedMaximumAge: days * 86_400
        ),
        acceptsDevelopmentKeys: development))
  }

  /// Whether what is there goes together.
  private func checkMembers(_ entry: Entry, _ problems: ProblemList) {
    let hasURL = isWritten("url", url != nil, problems)
    let hasSeed = isWritten("seed", seed != nil, problems)
    if isPinned {
      if !hasSeed { problems.add(place("pinned"), "pinned keys need a \"seed\"") }
      if hasURL { problems.add(place("url"), "pinned keys are never fetched; leave \"url\" out") }
    } else if !hasURL, !entry.isFixedByPreset {
      if !hasSeed {
        problems.add(path, "a \"url\" or a pinned \"seed\" is expected")
      } else if seed?.looksLikeAddress != true, !problems.concerns(place("pinned")) {
        problems.add(
          path, "a \"seed\" without \"url\" is never refreshed: add \"url\", or \"pinned\": true")
      }
    }
  }

  private func keySet(
    _ file: String, _ source: some ConfigurationSource, _ policy: KeyPolicy, _ algorithms: [Algorithm],
    _ problems: ProblemList, development: Bool
  ) -> KeySet? {
    if file.looksLikeAddress {
      problems.add(place("seed"), "the path of a key set file is expected; an address is a \"url\"")
      return nil
    }
    let document: [UInt8]
    do throws(FileError) {
      document = try source.file(file, limit: JSONLimits.keySet.bytes)
    } catch {
      problems.add(place("seed"), "\(file): \(error.description)")
      return nil
    }
    do throws(KeySetError) {
      let keys = try KeySet(parsing: document, policy: policy)
      guard development || !keys.holdsDevelopmentKeys else { throw .developmentKeys }
      guard algorithms.isEmpty || keys.fit(algorithms) else { throw .noFittingKey }
      if !isPinned, keys.fetchedAt == nil, !problems.concerns(place("pinned")) {
        problems.add(
          place("seed"),
          "\(file): no \"fetchedAt\"; make it with authorizer-local keys fetch, or add \"pinned\": true")
      }
      return keys
    } catch {
      problems.add(place("seed"), "\(file): \(error.description)")
      return nil
    }
  }
}

extension KeysDraft.SecretDraft {
  /// 16 KiB: whoever has a longer secret has named the wrong file.
  private static let maximumBytes = 16 << 10

  /// Messages quote nothing, not even the name of a variable or a file: it might be the secret, written in the wrong place.
  package func material(
    _ source: some ConfigurationSource, _ algorithms: [Algorithm]?, _ problems: ProblemList
  ) -> IssuerKeyMaterial? {
    let isHMAC = algorithms?.allSatisfy { $0.isSymmetric } ?? true
    if !isHMAC { problems.add(path, SharedSecret.Flaw.notHMAC.description) }
    guard let text = text(source, problems), !problems.concerns(path + ".encoding") else { return nil }
    // Before it is decoded: a reference in the place of base64 should be told as what it is.
    if let flaw = UnresolvedSecret(text: text) {
      problems.add(path, flaw.description)
      return nil
    }
    let bytes = encoding == .base64 ? Base64.decode(text) : text
    guard let bytes else {
      problems.add(path, "not base64 (RFC 4648 section 4), as \"encoding\" says")
      return nil
    }
    // HS256 asks for the least; of several algorithms, the one that asks for most is told first.
    let asking = isHMAC ? algorithms ?? [.hs256] : [.hs256]
    let secret: SharedSecret
    do throws(SharedSecret.Flaw) {
      secret = try SharedSecret(bytes, for: asking.sorted { $0.rawValue > $1.rawValue })
    } catch {
      problems.add(path, error.description)
      return nil
    }
    // Repeated base64 may decode to bytes that do not repeat.
    if let flaw = UnresolvedSecret(bytes: bytes) ?? UnresolvedSecret(bytes: text) {
      problems.add(path, flaw.description)
      return nil
    }
    return .secret(secret)
  }

  private func text(_ source: some ConfigurationSource, _ problems: ProblemList) -> [UInt8]? {
    switch (environment, file) {
    case (let name?, nil):
      if let value = source.variable(name), !value.isEmpty { return Array(value.utf8) }
      problems.add(path + ".environment", "the variable is not set, or empty")
    case (nil, let file?):
      do throws(FileError) {
        return Self.withoutFinalNewline(try source.file(file, limit: Self.maximumBytes))
      } catch {
        problems.add(path + ".file", error.description)
      }
    default:
      // A member that was found wrong is not missing too.
      if problems.concerns(path + ".environment") || problems.concerns(path + ".file") { return nil }
      problems.add(path, "either \"environment\" or \"file\" is expected")
    }
    return nil
  }

  /// Editors end a file with a newline that nobody means as part of the secret.
  private static func withoutFinalNewline(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.last == 0x0A else { return bytes }
    let line = bytes.dropLast()
    return Array(line.last == 0x0D ? line.dropLast() : line)
  }
}

extension String {
  /// Whether whoever wrote this meant an address, with whatever scheme, and no path of a file.
  var looksLikeAddress: Bool {
    let bytes = Array(utf8)
    let hasAuthority = bytes.indices.dropLast(2).contains { bytes[$0...].starts(with: "://".utf8) }
    return hasAuthority || hasWebScheme
  }

  /// Whether it begins with `http:` or `https:`, in any case.
  var hasWebScheme: Bool {
    let start = utf8.prefix(6).map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    return start.starts(with: "http:".utf8) || start.elementsEqual("https:".utf8)
  }
}

extension KeyAddressError {
  /// What is wrong and what to do about it, in the one line that a problem of a configuration has.
  var line: String {
    description.split(separator: "\n").map { $0.hasPrefix("hint: ") ? $0.dropFirst(6) : $0 }
      .joined(separator: "; ")
  }
}
