internal import Foundation

/// One call of Invoke, read from the words of the HTTP request.
struct InvokeRequest: Equatable {
  /// `X-Amz-Invocation-Type`.
  enum InvocationType: String {
    /// The caller waits for the answer.
    case requestResponse = "RequestResponse"
    /// The function runs in the background.
    case event = "Event"
    /// Nothing runs: is everything in order?
    case dryRun = "DryRun"
  }

  let function: FunctionReference
  let type: InvocationType
  /// `X-Amz-Log-Type: Tail`.
  let wantsLog: Bool
  /// `X-Amz-Client-Context`, decoded.
  let clientContext: String?
  /// `X-Amzn-Trace-Id`.
  let traceID: String?

  /// Bytes of `X-Amz-Client-Context` before decoding (Lambda API reference, "Invoke").
  static let clientContextBytes = 3583

  /// The parts of a request that matter, as sent.
  struct Words {
    var name: String
    var qualifier: String?
    var invocationType: String?
    var logType: String?
    var clientContext: String?
    var traceID: String?
  }

  init(_ words: Words) throws(InvokeError) {
    do throws(FunctionReference.Fault) {
      function = try FunctionReference(words.name, qualifier: words.qualifier)
    } catch {
      switch error {
      case .malformed: throw .invalidParameter("\(words.name) is no name or ARN of a function")
      case .contradiction:
        throw .invalidParameter(
          "The derived qualifier from the function name does not match the specified qualifier.")
      }
    }
    guard let type = InvocationType(rawValue: words.invocationType ?? "RequestResponse") else {
      throw .invalidParameter(
        "X-Amz-Invocation-Type must be one of RequestResponse, Event, DryRun")
    }
    self.type = type
    switch words.logType ?? "None" {
    case "None": wantsLog = false
    case "Tail": wantsLog = true
    default: throw .invalidParameter("X-Amz-Log-Type must be one of None, Tail")
    }
    clientContext = try words.clientContext.map(Self.decoded)
    traceID = words.traceID
  }

  /// The limit of the payload, in bytes.
  var payloadBytes: Int {
    type == .event ? RuntimeAPILimits.backgroundEventBytes : RuntimeAPILimits.eventBytes
  }

  private static func decoded(_ text: String) throws(InvokeError) -> String {
    guard text.utf8.count <= clientContextBytes, let data = Data(base64Encoded: text),
      data.first(where: { $0 != 0x20 }) == UInt8(ascii: "{"), JSONSyntax.fault(in: Array(data)) == nil
    else { throw .invalidContent("Client context must be a valid Base64-encoded JSON object.") }
    // A line feed would end the header in which the function finds it.
    return String(decoding: data, as: UTF8.self).replacing(/[\r\n]+/, with: " ")
  }
}
