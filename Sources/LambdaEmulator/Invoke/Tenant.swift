internal import Bytes

/// The tenant of an invocation of a function with tenant isolation (Lambda API Reference, "Invoke", `TenantId`).
package struct Tenant: Equatable, Sendable {
  package let text: String

  /// The maximum length in bytes (the same page).
  package static let maximumBytes = 256

  /// Returns `nil` for a text that Lambda refuses: empty, too long, or with another character than letters, digits, blanks
  /// and `._:/=+-@`.
  package init?(_ text: String) {
    guard (1...Self.maximumBytes).contains(text.utf8.count),
      text.utf8.allSatisfy({ $0.isLetterOrDigit || "._:/=+-@ ".utf8.contains($0) })
    else { return nil }
    self.text = text
  }

  /// Lambda's message about an invocation without a tenant (AWS Compute Blog, "Building multi-tenant SaaS applications with
  /// AWS Lambda's new tenant isolation mode").
  package static let missingMessage =
    "The invoked function is enabled with tenancy configuration. Add a valid tenant ID in your request and try again."
}
