internal import Text
internal import Bytes
internal import Foundation
internal import JSON

/// Finds private files in a package. Everyone with `lambda:GetFunction` can download the whole package.
///
/// Checks the file name first, then the first MiB of the contents. Skips programs.
struct PrivateMaterial {
  /// The findings, in package order.
  private(set) var findings: [DeploymentFinding] = []

  /// Bytes of each file that are examined: our choice, larger than any key file.
  static let examinedBytes = 1 << 20
  /// Files that are listed of each kind: our choice, because a folder of thousands is one mistake.
  static let maximumNamed = 10

  /// - Parameter secretFiles: the files that the configuration names as an issuer's shared secret. They belong in the
  ///   package.
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
      if others > 0 { findings.append(kind.finding("package", "\(others) more files of the same kind")) }
    }
  }

  private enum Kind: CaseIterable {
    case privateKey, credentials, repository

    var problem: String {
      switch self {
      case .privateKey: "it contains a private or secret key, which the function does not need"
      case .credentials: "files of this name contain passwords or access keys"
      case .repository: "a repository contains everything that was ever committed"
      }
    }

    func finding(_ place: String, _ problem: String) -> DeploymentFinding {
      let (code, cure): (DeploymentFinding.Code, String) =
        switch self {
        case .privateKey:
          (.privateKeyInside, "remove it; replace the key if anyone else had access to the package")
        case .credentials:
          (.credentialsInside, "remove it; replace the credentials if anyone else had access to the package")
        case .repository:
          (.repositoryInside, "pack only the function's own files, as make package does")
        }
      return DeploymentFinding(code, place, problem, cure: cure)
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
  /// PKCS #8, PKCS #12, and the key stores of Java and PuTTY. `.pem` and `.key` files are checked by their contents.
  private static let keyEndings = [".p8", ".p12", ".pfx", ".jks", ".keystore", ".ppk"]
  private static let credentialNames: Set<Substring> = [
    ".env", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials",
  ]
  private static let credentialEndings = [
    ".aws/credentials", ".aws/config", ".docker/config.json", ".kube/config", ".tfstate", ".tfstate.backup",
    ".tfvars",
  ]
  /// Endings of example files, which are not secret, such as `.env.example`.
  private static let examples = [".example", ".sample", ".template", ".dist"]

  private static func repository(of path: String) -> String? {
    let parts = path.splitBytes(at: "/")
    guard let place = parts.firstIndex(where: repositories.contains) else { return nil }
    return parts[...place].joined(separator: "/")
  }

  private static func kind(ofName path: String) -> Kind? {
    let name = path.splitBytes(at: "/").last ?? ""
    if keyNames.contains(name) || keyEndings.contains(where: { path.hasByteSuffix($0) }) {
      return .privateKey
    }
    let isVariables = name.hasBytePrefix(".env.") && !examples.contains(where: { name.hasByteSuffix($0) })
    if isVariables || credentialNames.contains(name) { return .credentials }
    return credentialEndings.contains(where: { path.hasByteSuffix($0) }) ? .credentials : nil
  }

  // MARK: Contents

  /// Whether a PEM label contains `PRIVATE KEY` (RFC 7468 sections 10 and 11, and the labels of OpenSSH, OpenSSL and
  /// PGP).
  private static func holdsPrivatePEM(_ data: Data) -> Bool {
    let beginning = Data("-----BEGIN ".utf8)
    var index = data.startIndex
    while let found = data.range(of: beginning, in: index..<data.endIndex) {
      let label = data[found.upperBound...].prefix(Self.maximumLabelBytes).prefix { $0 != .hyphen }
      let rest = data[label.endIndex...]
      if label.range(of: Data("PRIVATE KEY".utf8)) != nil, rest.starts(with: Data("-----".utf8)),
        holdsBase64(rest.dropFirst(5))
      {
        return true
      }
      index = found.upperBound
    }
    return false
  }

  /// Whether a key follows the label, on real lines or with line breaks escaped as in JSON. A library that reads keys
  /// contains only the label. Headers may come first (RFC 1421 section 4.6) and count as text too.
  private static func holdsBase64(_ data: Data) -> Bool {
    var rest = data.prefix(maximumLabelBytes)
    while let first = rest.first, [0x20, 0x09, 0x0A, 0x0D, 0x5C].contains(first) {
      // \n and \r as escaped in JSON and source text.
      rest = rest.dropFirst(first == .backslash ? 2 : 1)
    }
    let text = rest.prefix { byte in
      byte.isDecimalDigit || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
        || [0x2B, 0x2D, 0x2F, 0x3A].contains(byte)
    }
    return text.count >= 4
  }

  /// "ENCRYPTED PRIVATE KEY" has 21 bytes.
  private static let maximumLabelBytes = 40

  /// Whether the file is one SEQUENCE that begins with a version, then a key: PKCS #8 (RFC 5958 section 2), PKCS #1
  /// (RFC 8017 appendix A.1.2), SEC 1 (RFC 5915 section 3). Certificates and public keys begin differently.
  private static func isPrivateDER(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 16, bytes[0] == 0x30 else { return false }
    let lengthBytes = bytes[1] < 0x80 ? 0 : Int(bytes[1] & 0x7F)
    guard lengthBytes <= 3 else { return false }
    let length = lengthBytes == 0 ? Int(bytes[1]) : bytes[2..<2 + lengthBytes].reduce(0) { $0 << 8 | Int($1) }
    guard 2 + lengthBytes + length == bytes.count else { return false }
    let version = Array(bytes[(2 + lengthBytes)...].prefix(4))
    return [[2, 1, 0, 0x30], [2, 1, 1, 0x30], [2, 1, 0, 2], [2, 1, 1, 4]].contains(version)
  }

  /// Whether it is a JWK with private members (RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1, and RFC 8037 section 2).
  private static func holdsPrivateJWK(_ bytes: [UInt8], _ start: Data) -> Bool {
    // Checks the first character instead of searching for "kty", which may be written "\u006bty".
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
