import FunctionHost
import IssuerKeys
import JOSE
import JSON

extension ObjectReader {
  mutating func issuers(_ source: some ConfigurationSource) -> [Settings.IssuerSettings] {
    guard let list = value("issuers"), list.kind == .array, !list.elements.isEmpty else {
      add("issuers", "a non-empty list is expected")
      return []
    }
    var issuers: [Settings.IssuerSettings] = []
    var taken = TakenIssuers()
    for (index, value) in list.elements.enumerated() {
      let path = "issuers[\(index)]"
      guard
        let configuration = IssuerConfiguration(
          value, path: path, isDevelopment: source.isDevelopment, problems)
      else { continue }
      let preset = configuration.resolvedPreset(problems)
      if let issuer = configuration.settings(preset, source, problems) { issuers.append(issuer) }
      taken.add(configuration, preset, path: path, problems)
    }
    return issuers
  }
}

extension IssuerConfiguration {
  /// Returns the keys that verify an issuer's signatures; a preset knows the URL of its keys.
  func material(
    _ preset: IssuerPreset?, _ source: some ConfigurationSource, _ problems: ProblemList
  ) -> IssuerKeyMaterial? {
    let keysPath = path(of: "keys")
    guard !problems.concerns(keysPath) else { return nil }
    let isReadable = !problems.concerns(path(of: "algorithms"))
    let entry = KeysConfiguration.Entry(
      algorithms: isReadable ? algorithms(preset) : nil,
      isFixedByPreset: isFixed(by: preset, problems), presetAddress: preset?.keysURL)
    guard keys != nil || entry.isFixedByPreset else {
      addMissingKeys(entry.algorithms, problems)
      return nil
    }
    return (keys ?? KeysConfiguration(path: keysPath)).material(source, entry, problems)
  }

  func addMissingKeys(_ algorithms: [Algorithm]?, _ problems: ProblemList) {
    let what =
      if isShortForm {
        "the address of a key set or the path of a key set file"
      } else if algorithms?.contains(where: { $0.isSymmetric }) ?? false {
        "HMAC algorithms need a \"secret\""
      } else {
        "the \"url\" of this issuer's key set"
      }
    addMissing("keys", what, problems)
  }
}

/// The names and issuers of the entries so far. A token must match one entry, and a log line one name.
private struct TakenIssuers {
  private var issuers: [String] = []
  private var names: [String] = []

  mutating func add(
    _ configuration: IssuerConfiguration, _ preset: IssuerPreset?, path: String, _ problems: ProblemList
  ) {
    for issuer in configuration.issuers(preset) {
      if Self.contains(issuers, issuer) { problems.add(path, "another entry has the issuer \(issuer)") }
      issuers.append(issuer)
    }
    guard let name = configuration.name(preset) else { return }
    if Self.contains(names, name) { problems.add(path, "another entry has the name \(name)") }
    names.append(name)
  }

  private static func contains(_ texts: [String], _ text: String) -> Bool {
    texts.contains { $0.utf8.elementsEqual(text.utf8) }
  }
}

extension JSONElements {
  fileprivate var isEmpty: Bool {
    var copy = self
    return copy.next() == nil
  }
}
