internal import Text
package import GatewayModel
package import HTTPTypes

/// The status and the headers of answers, as far as HTTP can have them: templates, functions and backends make both.
package enum HTTPHead {
  private static let framing: Set<String> = ["content-length", "transfer-encoding", "connection"]

  /// Returns the status of a final response. Another number is a 500: an informational response has no body and does not
  /// end the exchange, so the next response on the connection would be read as a part of this one.
  package static func status(_ code: Int) -> HTTPResponse.Status {
    (200...599).contains(code) ? HTTPResponse.Status(code: code) : .internalServerError
  }

  /// Returns the headers that are valid in HTTP, without those that the server sets itself. Blanks around a value are not
  /// part of it (RFC 9110 section 5.5).
  package static func fields(_ headers: [GatewayRequest.Header]) -> HTTPFields {
    var fields = HTTPFields()
    for header in headers {
      let value = header.value.trimmingBlanks
      guard let name = HTTPField.Name(header.name), HTTPField.isValidValue(value),
        !framing.contains(header.name.lowercased())
      else { continue }
      fields.append(HTTPField(name: name, value: value))
    }
    return fields
  }

  /// Whether a header can be sent to a backend.
  package static func isValid(_ header: GatewayRequest.Header) -> Bool {
    HTTPField.Name(header.name) != nil && HTTPField.isValidValue(header.value)
  }
}
