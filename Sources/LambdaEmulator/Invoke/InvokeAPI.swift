internal import Text
internal import Foundation
internal import HTTPTypes
package import HummingbirdCore
package import Logging
internal import NIOCore
internal import Synchronization

/// Lambda's Invoke API for SDKs and the AWS command line: `POST /2015-03-31/functions/{name}/invocations`.
///
/// `GatewayServer` serves it beside the gateway, on loopback only. Signatures are not checked; the gateway asks for the
/// development secret.
package final class InvokeAPI: Sendable {
  /// The path prefix of every Lambda API call.
  package static let path = "/2015-03-31/"

  /// The maximum number of unfinished asynchronous events; further ones are refused with 429. Our choice, because
  /// Lambda's own queue is too large for a laptop.
  package static let backgroundEvents = 1000
  /// The bytes at the end of the log that `X-Amz-Log-Result` contains (Lambda API reference, "Invoke": 4 KB).
  static let logBytes = 4096

  private let functions: [String: FunctionPool]
  private let logger: Logger
  private let backgroundCount = Mutex(0)

  /// - Parameter logger: logs failed asynchronous events, which no caller waits for.
  package init(functions: [FunctionPool], logger: Logger) {
    self.functions = Dictionary(functions.map { ($0.settings.name, $0) }) { first, _ in first }
    self.logger = logger
  }

  // MARK: One call

  /// Answers a request of the Lambda API. Every call other than Invoke gets an error.
  package func respond(to request: Request) async -> Response {
    do throws(InvokeError) {
      let parts = request.uri.path.splitBytes(at: "/", omittingEmptySubsequences: false)
      guard request.method == .post, parts.count == 5, parts[2] == "functions", parts[4] == "invocations"
      else {
        throw .notEmulated("\(request.method.rawValue) \(request.uri.path)")
      }
      let name = String(parts[3])
      let invoke = try InvokeRequest(
        InvokeRequest.Parameters(
          name: name.removingPercentEncoding ?? name,
          qualifier: request.uri.queryParameters["Qualifier"].map(String.init),
          invocationType: request.headers[.invocationType], logType: request.headers[.logType],
          clientContext: request.headers[.clientContext], traceID: request.headers[.traceID],
          tenant: request.headers[.tenantID]))
      guard let pool = functions[invoke.function.name] else {
        let arn = LambdaVariables.arn(ofFunction: invoke.function.name)
        // Recorded in November 2025: without a qualifier the text ends with the implicit one.
        throw .functionNotFound(arn: "\(arn):\(invoke.function.qualifier ?? "$LATEST")")
      }
      let payload = try await Self.payload(of: request, limit: invoke.payloadBytes)
      switch invoke.type {
      case .dryRun:
        return Response(status: .noContent, headers: [.requestID: Identifiers.requestID()])
      case .event: return try runInBackground(invoke, payload, on: pool)
      case .requestResponse: return try await run(invoke, payload, on: pool)
      }
    } catch {
      return Self.response(error)
    }
  }

  private func run(
    _ invoke: InvokeRequest, _ payload: [UInt8], on pool: FunctionPool
  ) async throws(InvokeError) -> Response {
    let context = InvocationContext(
      qualifier: invoke.function.qualifier, clientContext: invoke.clientContext, traceID: invoke.traceID,
      tenant: invoke.tenant, waitsForReport: invoke.wantsLog)
    let result: InvocationResult
    do throws(InvocationRefusal) {
      result = try await pool.invoke(payload, context: context)
    } catch {
      throw InvokeError(error)
    }
    var fields: HTTPFields = [
      .contentType: "application/json", .requestID: result.requestID, .executedVersion: context.version,
    ]
    if result.isFunctionError { fields[.functionError] = "Unhandled" }
    if invoke.wantsLog { fields[.logResult] = Self.logTail(result.cloudLog) }
    return Response(
      status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: result.payload)))
  }

  /// Queues an event; the caller gets 202 and no result.
  private func runInBackground(
    _ invoke: InvokeRequest, _ payload: [UInt8], on pool: FunctionPool
  ) throws(InvokeError) -> Response {
    let isAccepted = backgroundCount.withLock { count in
      guard count < Self.backgroundEvents else { return false }
      count += 1
      return true
    }
    guard isAccepted else { throw .tooManyRequests }
    // Lambda passes a client context on in synchronous invocations only.
    let context = InvocationContext(
      qualifier: invoke.function.qualifier, traceID: invoke.traceID, tenant: invoke.tenant)
    Task {
      defer { backgroundCount.withLock { $0 -= 1 } }
      do throws(InvocationRefusal) {
        let result = try await pool.invoke(payload, context: context, queueLimit: .max)
        guard result.isFunctionError else { return }
        logger.warning(
          "an asynchronous event failed",
          metadata: [
            "requestId": .string(result.requestID),
            "errorType": .string(result.errorType ?? ""),
          ])
      } catch {
        logger.warning("an asynchronous event was not run", metadata: ["reason": .string("\(error)")])
      }
    }
    return Response(
      status: .accepted, headers: [.requestID: Identifiers.requestID()])
  }

  /// Returns the payload for the function; an empty body becomes an empty object.
  private static func payload(of request: Request, limit: Int) async throws(InvokeError) -> [UInt8] {
    switch await BoundedBody.read(request, limit: limit) {
    case .tooLarge: throw .tooLarge(limit: limit)
    case .truncated: throw .invalidContent("Could not parse request body into json: it ends too early")
    case .whole(let bytes):
      if bytes.isEmpty { return Array("{}".utf8) }
      if let offset = JSONSyntax.fault(in: bytes) {
        throw .invalidContent(
          "Could not parse request body into json: Could not parse payload into json: "
            + "invalid JSON at byte \(offset)")
      }
      return bytes
    }
  }

  private static func logTail(_ lines: [String]) -> String {
    Data(lines.joined(separator: "\n").utf8 + [0x0A]).suffix(logBytes).base64EncodedString()
  }

  package static func response(_ error: InvokeError) -> Response {
    Response(
      status: HTTPResponse.Status(code: error.status),
      headers: [
        .contentType: "application/json", .errorType: error.type, .requestID: Identifiers.requestID(),
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: error.body)))
  }
}

extension HTTPField.Name {
  fileprivate static let invocationType = known("X-Amz-Invocation-Type")
  fileprivate static let logType = known("X-Amz-Log-Type")
  fileprivate static let clientContext = known("X-Amz-Client-Context")
  fileprivate static let tenantID = known("X-Amz-Tenant-Id")
  fileprivate static let traceID = known("X-Amzn-Trace-Id")
  fileprivate static let requestID = known("x-amzn-RequestId")
  fileprivate static let errorType = known("x-amzn-ErrorType")
  fileprivate static let functionError = known("X-Amz-Function-Error")
  fileprivate static let executedVersion = known("X-Amz-Executed-Version")
  fileprivate static let logResult = known("X-Amz-Log-Result")

  static func known(_ name: StaticString) -> HTTPField.Name {
    HTTPField.Name(String(describing: name)) ?? .contentType
  }
}
