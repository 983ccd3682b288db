import DynamoDB
import Foundation
import TestSupport

/// The executables under test.
enum Executables {
  /// The executable of this build.
  static var built: String { Checkout.built("call-dynamodb").path }

  /// The executable of this build, and the one in dist if it exists.
  static var all: [String] { Checkout.builtAndShipped("call-dynamodb") }
}

/// A transport for an endpoint of this machine.
struct Caller {
  private(set) var transport: ProcessTransport

  /// The environment variables.
  static let environment = [
    "AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secretvalue",
    "AWS_SESSION_TOKEN": "tokenvalue",
  ]

  init(
    _ executable: String, endpoint: String?, allowsLoopbackHTTP: Bool = true, certificateFile: String? = nil,
    proxy: String? = nil, changes: [String: String?] = [:]
  ) {
    var environment = Self.environment
    environment["AWS_ENDPOINT_URL_DYNAMODB"] = endpoint
    for (name, value) in changes { environment[name] = value }
    transport = ProcessTransport(
      executable: executable, allowsLoopbackHTTP: allowsLoopbackHTTP, certificateFile: certificateFile,
      proxy: proxy
    ) { environment[$0] }
  }

  init(_ executable: String, port: UInt16, changes: [String: String?] = [:]) {
    self.init(executable, endpoint: "http://127.0.0.1:\(port)", changes: changes)
  }

  mutating func get(
    _ body: [UInt8] = Array("{}".utf8), milliseconds: Int64 = Int64(HangLimit.milliseconds)
  ) -> Result<DynamoDBAnswer, CallFailure> {
    transport.send(
      DynamoDBCall(
        operation: "GetItem", body: body, connectMilliseconds: milliseconds, totalMilliseconds: milliseconds))
  }
}

extension Result<DynamoDBAnswer, CallFailure> {
  var failure: CallFailure? { if case .failure(let failure) = self { failure } else { nil } }

  var status: Int? { try? get().status }
}
