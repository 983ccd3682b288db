internal import Text
package import JSON

/// The resource policy of a REST API ("Control access to a REST API with API Gateway resource policies").
package enum ResourcePolicy {
  /// Reads the policy of an API.
  ///
  /// - Parameters:
  ///   - value: the document, as `ResourcePolicy`, `Policy` or `x-amazon-apigateway-policy` has it. A string is a
  ///     document as text.
  ///   - prefix: what the short form of resources leaves out.
  /// - Throws: `PolicyError` for the first element that this evaluator does not support. The API must be closed then.
  package static func document(
    _ value: JSONTree, prefix: String
  ) throws(PolicyError) -> PolicyDocument {
    var bytes = value.bytes()
    if case .string(let text) = value { bytes = Array(text.utf8) }
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: bytes, limits: .configuration)
    } catch {
      throw PolicyError("policy", .wrongValue("a JSON document", found: error.description(in: bytes)))
    }
    return try PolicyDocument(document.root, resourcePrefix: prefix)
  }

  private static let shortForm = "execute-api:/"

  /// Returns the resource with its short form replaced, as API Gateway does when it saves a policy ("API Gateway
  /// resource policy examples"). `execute-api:/*` is every stage, method and path.
  package static func expanded(_ resource: String, prefix: String?) -> String {
    guard let prefix, resource.hasBytePrefix(shortForm) else { return resource }
    return prefix + resource.dropFirst(bytes: shortForm.utf8.count)
  }

  /// An ARN as refusals show it: with the last four digits of the account only.
  package static func masked(_ arn: String) -> String {
    var parts = arn.splitBytes(at: ":", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 6 else { return arn }
    parts[4] = String(repeating: "*", count: 8) + parts[4].suffix(4)
    return parts.joined(separator: ":")
  }
}
