import DynamoDB
import Foundation
import TestSupport

/// The executables under test.
enum Executables {
  private static let packageRoot = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The executable of this build, in the folder of the test bundle.
  static var built: String {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
      return bundle.bundleURL.deletingLastPathComponent().appending(path: "call-dynamodb").path
    #else
      return ProcessTransport.executable(beside: CommandLine.arguments[0])
    #endif
  }

  /// The executable of this build, and the one in dist if it exists.
  static var all: [String] {
    let shipped = packageRoot.appending(path: "dist/call-dynamodb").path
    return FileManager.default.isExecutableFile(atPath: shipped) ? [built, shipped] : [built]
  }
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
