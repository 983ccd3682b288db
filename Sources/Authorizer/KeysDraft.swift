import JOSE
import JSON
import KeyFetcher

/// The `keys` of one entry of `issuers` as they were written.
struct KeysDraft {
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
  struct SecretDraft {
    let path: String
    let environment: String?
    let file: String?
    let encoding: Encoding

    enum Encoding: String, CaseIterable { case text, base64 }
  }

  /// Nothing written: a preset knows where its keys are.
  init(path: String) {
    self.path = path
    isShortForm = false
  }

  /// A key set file or address of the short form.
  init(path: String, shortForm text: String) {
    self.path = path
    isShortForm = true
    if text.utf8.starts(with: "https:".utf8) || text.utf8.starts(with: "http:".utf8) {
      url = text
    } else {
      seed = text
      isPinned = true
    }
  }

  /// The members of `keys`; each that is unknown or of the wrong kind is noted as a problem.
  init(_ reader: ObjectReader) {
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
    if var secret = reader.reader("secret") {
      self.secret = SecretDraft(
        path: secret.path, environment: secret.text("environment"), file: secret.text("file"),
        encoding: secret.word("encoding", SecretDraft.Encoding.self) ?? .text)
      secret.finish()
    }
    reader.finish()
  }

  /// The keys, once they are known to make sense; `nil` with problems noted otherwise.
  func material(
    _ source: some ConfigurationSource, algorithms: [Algorithm], presetAddress: String?,
    _ problems: ProblemList,
    development: Bool
  ) -> IssuerKeyMaterial? {
    if let secret {
      if url != nil || seed != nil || isPinned {
        problems.add(path, "a secret goes with neither \"url\" nor \"seed\" nor \"pinned\"")
        return nil
      }
      return secret.material(source, algorithms, problems)
    }
    if algorithms.contains(where: { $0.isSymmetric }) {
      problems.add(path, "HMAC algorithms need a \"secret\"; a key set never gives one")
      return nil
    }
    return published(source, presetAddress: presetAddress, problems, development: development)
  }

  /// Where a member was written: the short form has one variable for all.
  private func place(_ member: String) -> String { isShortForm ? path : path + "." + member }

  private func published(
    _ source: some ConfigurationSource, presetAddress: String?, _ problems: ProblemList, development: Bool
  ) -> IssuerKeyMaterial? {
    let before = problems.problems.count
    if isPinned, seed == nil { problems.add(place("pinned"), "pinned keys need a \"seed\"") }
    if isPinned, url != nil {
      problems.add(place("url"), "pinned keys are never fetched; leave \"url\" out")
    }
    if url == nil, seed == nil, presetAddress == nil {
      problems.add(path, "a \"url\" or a pinned \"seed\" is expected")
    }
    var address: KeyAddress?
    if !isPinned, let text = url ?? presetAddress {
      do throws(KeyAddressError) {
        address = try KeyAddress(parsing: text, development: development)
      } catch {
        problems.add(place("url"), error.description)
      }
    } else if !isPinned, seed != nil {
      problems.add(path, "a \"seed\" without \"url\" is never refreshed: add \"url\", or \"pinned\": true")
    }
    let policy = KeyPolicy(minimumRSAExponent: UInt64(minimumRSAExponent ?? 65537))
    let loaded = seed.flatMap { keySet($0, source, policy, problems, development: development) }
    guard problems.problems.count == before else { return nil }
    let days = seedMaximumAgeDays ?? KeyLifetimes.defaultSeedMaximumAgeDays
    return .published(
      KeySource(
        address: address,
        seed: loaded.map { KeySource.Seed(keys: $0, fetchedAt: isPinned ? nil : $0.fetchedAt) },
        policy: policy,
        lifetimes: KeyLifetimes(
          grace: graceSeconds ?? KeyLifetimes.defaultGrace,
          staleOnError: staleOnErrorSeconds ?? KeyLifetimes.defaultStaleOnError, seedMaximumAge: days * 86_400
        ),
        acceptsDevelopmentKeys: development))
  }

  private func keySet(
    _ file: String, _ source: some ConfigurationSource, _ policy: KeyPolicy, _ problems: ProblemList,
    development: Bool
  ) -> KeySet? {
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
      if !isPinned, keys.fetchedAt == nil {
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

  func material(
    _ source: some ConfigurationSource, _ algorithms: [Algorithm], _ problems: ProblemList
  ) -> IssuerKeyMaterial? {
    guard let text = text(source, problems) else { return nil }
    let bytes = encoding == .base64 ? Base64.decode(text) : text
    guard let bytes else {
      problems.add(path, "not base64")
      return nil
    }
    do throws(SharedSecret.Flaw) {
      return .secret(try SharedSecret(bytes, for: algorithms))
    } catch {
      problems.add(path, error.description)
      return nil
    }
  }

  private func text(_ source: some ConfigurationSource, _ problems: ProblemList) -> [UInt8]? {
    switch (environment, file) {
    case (let name?, nil):
      if let value = source.variable(name) { return Array(value.utf8) }
      problems.add(path + ".environment", "the variable \(name) is not set")
    case (nil, let file?):
      do throws(FileError) {
        return Self.withoutFinalNewline(try source.file(file, limit: Self.maximumBytes))
      } catch {
        problems.add(path + ".file", "\(file): \(error.description)")
      }
    default: problems.add(path, "either \"environment\" or \"file\" is expected")
    }
    return nil
  }

  /// Editors end a file with a newline that nobody means as part of the secret.
  private static func withoutFinalNewline(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    if bytes.last == 0x0A { bytes.removeLast() }
    if bytes.last == 0x0D { bytes.removeLast() }
    return bytes
  }
}
