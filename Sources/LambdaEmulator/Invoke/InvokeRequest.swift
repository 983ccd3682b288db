internal import Bytes
internal import Foundation

/// One Invoke call, parsed from an HTTP request.
struct InvokeRequest: Equatable {
  enum InvocationType: String {
    /// A synchronous invocation: the caller waits for the answer.
    case requestResponse = "RequestResponse"
    case event = "Event"
    case dryRun = "DryRun"
  }

  let function: FunctionReference
  let type: InvocationType
  /// `X-Amz-Log-Type: Tail`.
  let wantsLog: Bool
  /// `X-Amz-Client-Context`, decoded.
  let clientContext: String?
  let traceID: String?
  /// `X-Amz-Tenant-Id`.
  let tenant: Tenant?

  /// The maximum bytes of `X-Amz-Client-Context` before decoding (Lambda API reference, "Invoke").
  static let clientContextBytes = 3583

  /// The relevant parts of a request, as sent.
  struct Parameters {
    var name: String
    var qualifier: String?
    var invocationType: String?
    var logType: String?
    var clientContext: String?
    var traceID: String?
    var tenant: String?
  }

  init(_ parameters: Parameters) throws(InvokeError) {
    do throws(FunctionReference.Fault) {
      function = try FunctionReference(parameters.name, qualifier: parameters.qualifier)
    } catch {
      switch error {
      case .malformed: throw .invalidParameter("\(parameters.name) is not a name or ARN of a function")
      case .contradiction:
        throw .invalidParameter(
          "The derived qualifier from the function name does not match the specified qualifier.")
      }
    }
    guard let type = InvocationType(rawValue: parameters.invocationType ?? "RequestResponse") else {
      throw .invalidParameter(
        "X-Amz-Invocation-Type must be one of RequestResponse, Event, DryRun")
    }
    self.type = type
    switch parameters.logType ?? "None" {
    case "None": wantsLog = false
    case "Tail": wantsLog = true
    default: throw .invalidParameter("X-Amz-Log-Type must be one of None, Tail")
    }
    clientContext = try parameters.clientContext.map(Self.decoded)
    traceID = parameters.traceID
    tenant = parameters.tenant.flatMap(Tenant.init)
    guard tenant != nil || parameters.tenant == nil else {
      throw .invalidParameter(
        "X-Amz-Tenant-Id must be 1 to \(Tenant.maximumBytes) letters, digits, blanks and ._:/=+-@")
    }
  }

  var payloadBytes: Int {
    type == .event ? RuntimeAPILimits.backgroundEventBytes : RuntimeAPILimits.eventBytes
  }

  private static func decoded(_ text: String) throws(InvokeError) -> String {
    guard text.utf8.count <= clientContextBytes, let data = Data(base64Encoded: text),
      data.first(where: { $0 != .space }) == UInt8(ascii: "{"), JSONSyntax.fault(in: Array(data)) == nil
    else { throw .invalidContent("Client context must be a valid Base64-encoded JSON object.") }
    // A line feed would end the header that passes it to the function. JSON has them only between its tokens.
    let lines = data.split { $0 == .lineFeed || $0 == .carriageReturn }
    return String(decoding: Array(lines.joined(separator: [.space])), as: UTF8.self)
  }
}
