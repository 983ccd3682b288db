import Bytes

/// The forms of preset arguments. They are strict, since arguments become part of URLs and issuers.
enum ArgumentForm: CustomStringConvertible {
  case projectReference, projectID, poolID, domain, tenantID, accountIssuerID, repositoryOwner

  /// What stands for the argument in messages.
  var placeholder: String {
    switch self {
    case .projectReference: "<ref>"
    case .projectID: "<project>"
    case .poolID: "<pool id>"
    case .domain: "<domain>"
    case .tenantID: "<tenant id>"
    case .accountIssuerID: "<issuer id>"
    case .repositoryOwner: "<owner>@<owner id>"
    }
  }

  var description: String {
    switch self {
    case .projectReference: "the project's reference, lower-case letters and digits"
    case .projectID: "the project's id, lower-case letters, digits and hyphens"
    case .poolID:
      "the pool's id, such as eu-central-1_AbCdEfGhI; for a replica with @ and its Region, such as @eu-west-1"
    case .domain: "the tenant's domain, such as example.eu.auth0.com"
    case .tenantID: "the tenant's id, a GUID in lower case"
    case .accountIssuerID:
      "the first name in the account's issuer URL, lower-case letters, digits and hyphens"
    case .repositoryOwner: "the owner of the repositories, @ and the owner's numeric id, such as octo-org@65"
    }
  }

  func accepts(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard 1...128 ~= bytes.count else { return false }
    switch self {
    case .projectReference: return bytes.allSatisfy(Self.isLowerOrDigit)
    case .projectID, .accountIssuerID: return Self.isLabel(bytes[...])
    case .poolID:
      let replica = bytes.split(separator: 0x40, omittingEmptySubsequences: false)
      let parts = replica[0].split(separator: .underscore, omittingEmptySubsequences: false)
      let isPool =
        parts.count == 2 && Self.isRegion(parts[0]) && !parts[1].isEmpty
        && parts[1].allSatisfy { Self.isLowerOrDigit($0) || 0x41...0x5A ~= $0 }
      guard isPool, replica.count > 1 else { return isPool }
      // The pool's own Region must be omitted, so that each issuer has one spelling.
      return replica.count == 2 && Self.isRegion(replica[1]) && replica[1] != parts[0]
    case .domain:
      let labels = bytes.split(separator: .dot, omittingEmptySubsequences: false)
      // With digits only in the last label it could be an IPv4 address (RFC 1123 section 2.1).
      return labels.count >= 2 && labels.allSatisfy(Self.isLabel)
        && labels[labels.count - 1].contains { 0x61...0x7A ~= $0 }
    case .tenantID:
      let groups = bytes.split(separator: .hyphen, omittingEmptySubsequences: false)
      return groups.map { $0.count } == [8, 4, 4, 4, 12]
        && groups.joined().allSatisfy { $0.isDecimalDigit || 0x61...0x66 ~= $0 }
    case .repositoryOwner:
      let parts = bytes.split(separator: 0x40, omittingEmptySubsequences: false)
      return parts.count == 2 && Self.isOwner(parts[0]) && parts[1].first != .digitZero && !parts[1].isEmpty
        && parts[1].allSatisfy { $0.isDecimalDigit }
    }
  }

  /// Letters, digits, hyphens, and the underscore of managed users (GitHub, "Username considerations").
  private static func isOwner(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.first != .hyphen
      && bytes.allSatisfy {
        isLowerOrDigit($0) || 0x41...0x5A ~= $0 || $0 == .hyphen || $0 == .underscore
      }
  }

  /// At least as long as the shortest Region name of AWS, `us-east-1`.
  private static func isRegion(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.count >= 9 && isLabel(bytes) }

  /// Lower-case letters, digits and hyphens, no hyphen at either end (RFC 1123 section 2.1).
  private static func isLabel(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, let last = bytes.last else { return false }
    return first != .hyphen && last != .hyphen && bytes.allSatisfy { isLowerOrDigit($0) || $0 == .hyphen }
  }

  private static func isLowerOrDigit(_ byte: UInt8) -> Bool { byte.isDecimalDigit || 0x61...0x7A ~= byte }
}
