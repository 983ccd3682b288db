import Bytes
package import FunctionHost
package import JOSE
import JSON
package import KeyFetcher

/// The `keys` of one entry of `issuers` as written.
package struct KeysConfiguration {
  let path: String
  private let isShortForm: Bool
  var url: String?
  var seed: String?
  var seedMaximumAgeDays: Int64?
  var isPinned = false
  var graceSeconds: Int64?
  var staleOnErrorSeconds: Int64?
  var minimumRSAExponent: Int64?
  package var secret: SecretConfiguration?

  /// Empty: a preset knows the URL of its keys.
  package init(path: String) {
    self.path = path
    isShortForm = false
  }

  /// The key set file or URL of the short form.
  package init(path: String, shortForm text: String) {
    self.path = path
    isShortForm = true
    if text.looksLikeAddress {
      url = text
    } else {
      seed = text
      isPinned = true
    }
  }

  /// Reads the members of `keys`; reports each unknown member or wrong type as a problem.
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
    secret = reader.reader("secret").map { SecretConfiguration($0) }
    reader.finish()
  }

  /// What the surrounding entry of `issuers` says about its keys.
  package struct Entry {
    /// The signing algorithms of the issuer; `nil` if they could not be read.
    package let algorithms: [Algorithm]?
    /// Whether a preset fixes issuer, algorithms and keys. An unknown preset counts as one, since it may be a typing
    /// error.
    package let isFixedByPreset: Bool
    /// The key set URL of the preset's issuer.
    let presetAddress: String?

    package init(algorithms: [Algorithm]?, isFixedByPreset: Bool, presetAddress: String?) {
      self.algorithms = algorithms
      self.isFixedByPreset = isFixedByPreset
      self.presetAddress = presetAddress
    }
  }

  /// Returns the keys after validation; `nil` with problems added otherwise.
  package func material(
    _ source: some ConfigurationSource, _ entry: Entry, _ problems: ProblemList
  ) -> IssuerKeyMaterial? {
    if isWritten("secret", secret != nil, problems) {
      if isWritten("url", url != nil, problems) || isWritten("seed", seed != nil, problems) || isPinned {
        problems.add(path, "a \"secret\" excludes \"url\", \"seed\" and \"pinned\"; remove them")
      }
      if entry.isFixedByPreset {
        problems.add(
          memberPath("secret"),
          "presets are for issuers with public keys; replace the preset by \"issuer\" and \"algorithms\"")
        return nil
      }
      return secret?.material(source, entry.algorithms, problems)
    }
    if let algorithms = entry.algorithms, algorithms.contains(where: { $0.isSymmetric }) {
      problems.add(path, "HMAC algorithms need a \"secret\"; it never comes from a key set")
      return nil
    }
    return published(source, entry, problems)
  }

  /// Returns the path of a member; the short form has one variable for all members.
  private func memberPath(_ member: String) -> String { isShortForm ? path : path + "." + member }

  /// Whether a member is present, valid or not. A member that was reported as wrong is not missing too.
  private func isWritten(_ member: String, _ isRead: Bool, _ problems: ProblemList) -> Bool {
    isRead || problems.concerns(memberPath(member))
  }

  private func published(
    _ source: some ConfigurationSource, _ entry: Entry, _ problems: ProblemList
  ) -> IssuerKeyMaterial? {
    let before = problems.problems.count
    let development = source.isDevelopment
    checkMembers(entry, problems)
    var address: KeyAddress?
    if !isPinned, let text = url ?? entry.presetAddress {
      do throws(KeyAddressError) {
        address = try KeyAddress(parsing: text, development: development)
      } catch {
        problems.add(memberPath("url"), error.line)
      }
    }
    let policy = KeyPolicy(minimumRSAExponent: UInt64(minimumRSAExponent ?? 65537))
    let algorithms = entry.algorithms ?? []
    let loaded = seed.flatMap { keySet(in: $0, source, policy: policy, algorithms: algorithms, problems) }
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

  /// Checks that the members fit together.
  private func checkMembers(_ entry: Entry, _ problems: ProblemList) {
    let hasURL = isWritten("url", url != nil, problems)
    let hasSeed = isWritten("seed", seed != nil, problems)
    if isPinned {
      if !hasSeed { problems.add(memberPath("pinned"), "pinned keys need a \"seed\"") }
      if hasURL { problems.add(memberPath("url"), "pinned keys are never fetched; remove \"url\"") }
    } else if !hasURL, !entry.isFixedByPreset {
      if !hasSeed {
        problems.add(path, "a \"url\" or a pinned \"seed\" is expected")
      } else if seed?.looksLikeAddress != true, !problems.concerns(memberPath("pinned")) {
        problems.add(
          path, "a \"seed\" without \"url\" is never refreshed: add \"url\", or \"pinned\": true")
      }
    }
  }

  private func keySet(
    in file: String, _ source: some ConfigurationSource, policy: KeyPolicy, algorithms: [Algorithm],
    _ problems: ProblemList
  ) -> KeySet? {
    if file.looksLikeAddress {
      problems.add(memberPath("seed"), "the path of a key set file is expected; use \"url\" for an address")
      return nil
    }
    let document: [UInt8]
    do throws(FileError) {
      document = try source.file(file, limit: JSONLimits.keySet.bytes)
    } catch {
      problems.add(memberPath("seed"), "\(file): \(error.description)")
      return nil
    }
    do throws(KeySetError) {
      let keys = try KeySet(
        parsing: document, policy: policy, algorithms: algorithms.isEmpty ? nil : algorithms,
        acceptsDevelopmentKeys: source.isDevelopment)
      if !isPinned, keys.fetchedAt == nil, !problems.concerns(memberPath("pinned")) {
        problems.add(
          memberPath("seed"),
          "\(file): no \"fetchedAt\"; fetch it with authorizer-local keys fetch, or add \"pinned\": true")
      }
      return keys
    } catch {
      problems.add(memberPath("seed"), "\(file): \(error.description)")
      return nil
    }
  }
}

extension String {
  /// Whether this text is meant as a URL, with any scheme, and not as a file path.
  var looksLikeAddress: Bool {
    let bytes = Array(utf8)
    let hasAuthority = bytes.indices.dropLast(2).contains { bytes[$0...].starts(with: "://".utf8) }
    return hasAuthority || hasWebScheme
  }

  /// Whether the text begins with `http:` or `https:`, in any case.
  package var hasWebScheme: Bool {
    let start = utf8.prefix(6).map { $0.lowercase }
    return start.starts(with: "http:".utf8) || start.elementsEqual("https:".utf8)
  }
}

extension KeyAddressError {
  /// The problem and its hint in one line, as a configuration problem needs it.
  package var line: String {
    let hint = "hint: ".utf8
    return description.utf8.split(separator: .lineFeed).map { line in
      Substring(line.starts(with: hint) ? line.dropFirst(hint.count) : line)
    }.joined(separator: "; ")
  }
}
