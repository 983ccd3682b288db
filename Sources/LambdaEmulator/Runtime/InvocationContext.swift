import Bytes

/// The caller's data besides the event.
package struct InvocationContext: Equatable, Sendable {
  /// The alias or version of the call, if any; it is the end of the ARN that the function gets.
  package var qualifier: String?
  /// The client context as JSON, already decoded from base64: `Lambda-Runtime-Client-Context`.
  package var clientContext: String?
  /// An X-Ray trace header to pass on; if it is `nil`, one is generated.
  package var traceID: String?
  /// The tenant, for a function with tenant isolation: `Lambda-Runtime-Aws-Tenant-Id`.
  package var tenant: Tenant?
  /// Whether the caller takes a response of up to `RuntimeAPILimits.streamBytes` if the function streams it, as
  /// `InvokeWithResponseStream` does.
  package var acceptsStream: Bool
  /// Whether to wait for the end of the invocation instead of the answer, so that the result has its report, which
  /// includes work after the answer.
  package var waitsForReport: Bool

  package init(
    qualifier: String? = nil, clientContext: String? = nil, traceID: String? = nil, tenant: Tenant? = nil,
    acceptsStream: Bool = false, waitsForReport: Bool = false
  ) {
    self.tenant = tenant
    self.acceptsStream = acceptsStream
    self.qualifier = qualifier
    self.clientContext = clientContext
    self.traceID = traceID
    self.waitsForReport = waitsForReport
  }

  /// The version that runs. The harness stores no versions and aliases: a number counts as that version, anything
  /// else as an alias of `$LATEST`.
  package var version: String {
    guard let qualifier, !qualifier.isEmpty, qualifier.utf8.allSatisfy({ $0.isDecimalDigit }) else {
      return LambdaVariables.functionVersion
    }
    return qualifier
  }
}
