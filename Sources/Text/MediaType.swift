/// Media types of bodies (RFC 9110 section 8.3.1).
package enum MediaType {
  /// Whether a REST API treats a body of this type as bytes: a type of the list, `type/*` or `*/*` ("Working with
  /// binary media types for REST APIs").
  ///
  /// - Parameter header: `Content-Type`, or `Accept`, of which API Gateway reads the first type.
  package static func isBinary(_ header: String?, among binaryTypes: [String]) -> Bool {
    let type = essence(header)
    return binaryTypes.contains { entry in
      let entry = entry.lowercased()
      if entry == "*/*" { return true }
      if entry.hasByteSuffix("/*") { return type.hasBytePrefix(entry.dropLast(bytes: 1)) }
      return !type.isEmpty && entry == type
    }
  }

  /// Whether an HTTP API passes on a body of this type as text in payload 2.0; all others are in base64, also forms and
  /// bodies without a type (measured on AWS by MiniStack, pull request 766).
  package static func isTextOfHTTPAPI(_ header: String?) -> Bool {
    let type = essence(header)
    return type.hasBytePrefix("text/")
      || ["application/json", "application/xml", "application/javascript"].contains(type)
  }

  /// Returns the first type of a header, in lower case and without parameters; `nil` without one.
  package static func of(_ header: String?) -> String? {
    let type = essence(header)
    return type.isEmpty ? nil : type
  }

  /// The first type of a header in lower case, without parameters.
  private static func essence(_ header: String?) -> String {
    (header ?? "").head(before: ";", ",").trimmingBlanks.lowercased()
  }
}
