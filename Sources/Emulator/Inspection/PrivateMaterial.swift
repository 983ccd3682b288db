internal import Foundation
internal import JSON

/// Finds in a package what is nobody else's business: whoever may call `lambda:GetFunction` can download all of it.
///
/// By name where a name is enough, else by the first MiB of the contents. Programs are passed over.
struct PrivateMaterial {
  /// In the order of the package.
  private(set) var findings: [DeploymentFinding] = []

  /// What is looked at of each file, in bytes: ours, above any file of keys.
  static let examinedBytes = 1 << 20
  /// Files that are named of each kind: ours, for a folder of thousands is one mistake.
  static let maximumNamed = 10

  /// - Parameter secretFiles: what the configuration names as an issuer's shared secret, which has to be in the package.
  init(in package: DeploymentPackage, secretFiles: Set<String>) {
    var places: [Kind: [String]] = [:]
    for file in package.files {
      guard let (kind, place) = Self.kind(of: file, isSecret: secretFiles.contains(file.path)),
        places[kind]?.last != place
      else { continue }
      places[kind, default: []].append(place)
    }
    for kind in Kind.allCases {
      let all = places[kind] ?? []
      for place in all.prefix(Self.maximumNamed) { findings.append(kind.finding(place, kind.problem)) }
      let others = all.count - Self.maximumNamed
      if others > 0 { findings.append(kind.finding("package", "the same of \(others) other files")) }
    }
  }

  private enum Kind: CaseIterable {
    case privateKey, credentials, repository

    var problem: String {
      switch self {
      case .privateKey: "it holds a private or secret key, and the function needs none"
      case .credentials: "it is a place for passwords and access keys"
      case .repository: "a repository holds everything that was ever committed"
      }
    }

    func finding(_ place: String, _ problem: String) -> DeploymentFinding {
      switch self {
      case .privateKey:
        DeploymentFinding(
          .privateKeyInside, place, problem,
          cure: "take it out, and replace the key where the package was in other hands")
      case .credentials:
        DeploymentFinding(
          .credentialsInside, place, problem,
          cure: "take it out, and replace what it holds where the package was in other hands")
      case .repository:
        DeploymentFinding(
          .repositoryInside, place, problem, cure: "pack the function's own files alone: make package does")
      }
    }
  }

  private static func kind(of file: DeploymentPackage.File, isSecret: Bool) -> (Kind, String)? {
    if let root = repository(of: file.path) { return (.repository, root) }
    if !isSecret, let kind = kind(ofName: file.path.lowercased()) { return (kind, file.path) }
    guard !file.bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else { return nil }
    let start = Data(file.bytes.prefix(examinedBytes))
    if holdsPrivatePEM(start) || !isSecret && (isPrivateDER(file.bytes) || holdsPrivateJWK(file.bytes, start))
    {
      return (.privateKey, file.path)
    }
    let marks = ["PuTTY-User-Key-File-": Kind.privateKey, "aws_secret_access_key": .credentials]
    for (mark, kind) in marks where start.range(of: Data(mark.utf8)) != nil { return (kind, file.path) }
    return nil
  }

  // MARK: Names

  private static let repositories: Set<Substring> = [".git", ".hg", ".svn", ".bzr"]
  private static let keyNames: Set<Substring> = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"]
  /// PKCS #8, PKCS #12, Java's and PuTTY's stores; `.pem` and `.key` are judged by what is in them.
  private static let keyEndings = [".p8", ".p12", ".pfx", ".jks", ".keystore", ".ppk"]
  private static let credentialNames: Set<Substring> = [
    ".env", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials",
  ]
  private static let credentialEndings = [
    ".aws/credentials", ".aws/config", ".docker/config.json", ".kube/config", ".tfstate", ".tfstate.backup",
    ".tfvars",
  ]
  /// `.env.production`, and not what shows strangers how one is written.
  private static let examples = [".example", ".sample", ".template", ".dist"]

  private static func repository(of path: String) -> String? {
    let parts = path.split(separator: "/")
    guard let place = parts.firstIndex(where: repositories.contains) else { return nil }
    return parts[...place].joined(separator: "/")
  }

  private static func kind(ofName path: String) -> Kind? {
    let name = path.split(separator: "/").last ?? ""
    if keyNames.contains(name) || keyEndings.contains(where: path.hasSuffix) { return .privateKey }
    let isVariables = name.hasPrefix(".env.") && !examples.contains(where: name.hasSuffix)
    if isVariables || credentialNames.contains(name) { return .credentials }
    return credentialEndings.contains(where: path.hasSuffix) ? .credentials : nil
  }

  // MARK: Contents

  /// RFC 7468 sections 10 and 11, and what OpenSSH, OpenSSL and PGP write: a label with `PRIVATE KEY`.
  private static func holdsPrivatePEM(_ data: Data) -> Bool {
    let beginning = Data("-----BEGIN ".utf8)
    var place = data.startIndex
    while let found = data.range(of: beginning, in: place..<data.endIndex) {
      let label = data[found.upperBound...].prefix(Self.maximumLabelBytes).prefix { $0 != 0x2D }
      let rest = data[label.endIndex...]
      if label.range(of: Data("PRIVATE KEY".utf8)) != nil, rest.starts(with: Data("-----".utf8)),
        holdsBase64(rest.dropFirst(5))
      {
        return true
      }
      place = found.upperBound
    }
    return false
  }

  /// Whether a key follows the label, over lines or over lines as JSON writes them; the libraries that read keys have the label
  /// alone. Headers may stand first (RFC 1421 section 4.6), and are text too.
  private static func holdsBase64(_ data: Data) -> Bool {
    var rest = data.prefix(maximumLabelBytes)
    while let first = rest.first, [0x20, 0x09, 0x0A, 0x0D, 0x5C].contains(first) {
      // \n and \r of JSON and of source text.
      rest = rest.dropFirst(first == 0x5C ? 2 : 1)
    }
    let text = rest.prefix { byte in
      0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
        || [0x2B, 0x2D, 0x2F, 0x3A].contains(byte)
    }
    return text.count >= 4
  }

  /// "ENCRYPTED PRIVATE KEY" has 21.
  private static let maximumLabelBytes = 40

  /// A SEQUENCE over the whole file that begins with a version, and a key behind it: PKCS #8 (RFC 5958 section 2), PKCS #1
  /// (RFC 8017 appendix A.1.2), SEC 1 (RFC 5915 section 3). Certificates and public keys begin otherwise.
  private static func isPrivateDER(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 16, bytes[0] == 0x30 else { return false }
    let lengthBytes = bytes[1] < 0x80 ? 0 : Int(bytes[1] & 0x7F)
    guard lengthBytes <= 3 else { return false }
    let length = lengthBytes == 0 ? Int(bytes[1]) : bytes[2..<2 + lengthBytes].reduce(0) { $0 << 8 | Int($1) }
    guard 2 + lengthBytes + length == bytes.count else { return false }
    let version = Array(bytes[(2 + lengthBytes)...].prefix(4))
    return [[2, 1, 0, 0x30], [2, 1, 1, 0x30], [2, 1, 0, 2], [2, 1, 1, 4]].contains(version)
  }

  /// RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1, and RFC 8037 section 2: what only the owner may know.
  private static func holdsPrivateJWK(_ bytes: [UInt8], _ start: Data) -> Bool {
    // By its first letter and not by "kty", which may be written "\u006bty".
    guard bytes.count <= examinedBytes,
      let first = start.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }),
      [0x5B, 0x7B].contains(first), let tree = try? JSONTree(parsing: bytes, limits: .event)
    else { return false }
    return isPrivate(tree)
  }

  /// `JSONLimits.event` bounds the depth.
  private static func isPrivate(_ tree: JSONTree) -> Bool {
    switch tree {
    case .object(let members):
      if tree["kty"] != nil, tree["d"] != nil || tree["k"] != nil { return true }
      return members.contains { isPrivate($0.value) }
    case .array(let elements): return elements.contains(where: isPrivate)
    default: return false
    }
  }
}
