import Foundation
import JSON
import Testing
import TestSupport

/// boto3 and the AWS command line call the Invoke API, with a function on AWS's Python runtime client.
@Suite(.enabled(if: Clients.areInstalled, Clients.why), .hangLimit)
struct InvokeClientTests {
  @Test func boto3ReadsStatusVersionAndPayload() async throws {
    let answer = try await Clients.serve {
      try await Clients.boto3($0, #"{"FunctionName":"python","Payload":"{\"do\":\"tell\"}"}"#)
    }
    #expect(answer["StatusCode"]?.number?.integer == 200)
    #expect(answer["FunctionError"]?.kind == .null)
    #expect(answer["ExecutedVersion"]?.text == "$LATEST")
    let payload = try JSONDocument(parsing: try #require(answer["Payload"]?.utf8), limits: .event).root
    #expect(payload["name"]?.text == "python")
    #expect(payload["request"]?.text == answer["RequestId"]?.text)
  }

  @Test func boto3ReadsAFunctionErrorAndTheEndOfTheLog() async throws {
    let answer = try await Clients.serve {
      try await Clients.boto3(
        $0,
        #"{"FunctionName":"arn:aws:lambda:us-east-1:123456789012:function:python:live","LogType":"Tail","Payload":"{\"do\":\"fail\"}"}"#
      )
    }
    #expect(answer["StatusCode"]?.number?.integer == 200)
    #expect(answer["FunctionError"]?.text == "Unhandled")
    #expect(answer["Payload"]?.text?.contains(#""errorType": "ValueError""#) == true)
    let log = try #require(answer["Log"]?.text).split(separator: "\n").map(String.init)
    #expect(log.first?.hasPrefix("START RequestId: ") == true)
    #expect(log.contains("doing fail"))
    #expect(log.last?.contains("Max Memory Used: ") == true)
  }

  @Test(arguments: [
    (#"{"FunctionName":"absent"}"#, 404, "ResourceNotFoundException", "ResourceNotFoundException"),
    (
      #"{"FunctionName":"python","Payload":"notat:asdf"}"#, 400, "InvalidRequestContentException",
      "InvalidRequestContentException"
    ),
    // The model has no class for this error of the service, so boto3 raises the general one on AWS too.
    (
      #"{"FunctionName":"python","PayloadBytes":6291457}"#, 413, "RequestEntityTooLargeException",
      "ClientError"
    ),
  ]) func boto3RaisesTheExceptionOfTheError(_ call: String, _ status: Int64, _ code: String, _ type: String)
    async throws
  {
    let answer = try await Clients.serve { try await Clients.boto3($0, call) }
    #expect(answer["StatusCode"]?.number?.integer == status)
    #expect(answer["Code"]?.text == code)
    #expect(answer["Class"]?.text == type)
    #expect(answer["Message"]?.text?.isEmpty == false)
  }

  @Test(arguments: [("Event", 202), ("DryRun", 204)] as [(String, Int64)])
  func boto3ReadsTheOtherInvocationTypes(_ type: String, _ status: Int64) async throws {
    let answer = try await Clients.serve {
      try await Clients.boto3(
        $0, "{\"FunctionName\":\"python\",\"InvocationType\":\"\(type)\",\"Payload\":\"{}\"}")
    }
    #expect(answer["StatusCode"]?.number?.integer == status)
    #expect(answer["Payload"]?.text == "")
  }

  @Test func theCommandLineReadsErrorVersionAndLog() async throws {
    let workshop = try Workshop()
    let folder = workshop.folder
    let (succeeded, failed) = try await Clients.serve { endpoint in
      (
        try await Self.aws(endpoint, #"{"do":"tell"}"#, in: folder, to: "succeeded.json"),
        try await Self.aws(endpoint, #"{"do":"fail"}"#, in: folder, to: "failed.json")
      )
    }
    #expect(succeeded["StatusCode"]?.number?.integer == 200)
    #expect(succeeded["ExecutedVersion"]?.text == "$LATEST")
    #expect(succeeded["FunctionError"] == nil)
    let base64 = try #require(succeeded["LogResult"]?.text)
    let log = try #require(Data(base64Encoded: base64))
    #expect(String(decoding: log, as: UTF8.self).contains("doing tell"))
    let answer = try Data(contentsOf: folder.appendingPathComponent("succeeded.json"))
    #expect(try JSONDocument(parsing: Array(answer), limits: .event).root["custom"]?["plan"]?.text == "gold")
    #expect(failed["FunctionError"]?.text == "Unhandled")
    let error = try Data(contentsOf: folder.appendingPathComponent("failed.json"))
    #expect(String(decoding: error, as: UTF8.self).contains("no such thing"))
  }

  private static func aws(
    _ endpoint: String, _ payload: String, in folder: URL, to file: String
  ) async throws -> JSONValue {
    let context = Data(#"{"custom":{"plan":"gold"}}"#.utf8).base64EncodedString()
    let output = try await Clients.output(
      "python3",
      [
        "-m", "awscli", "lambda", "invoke", "--endpoint-url", endpoint, "--function-name", "python",
        "--log-type", "Tail", "--client-context", context, "--payload", payload, "--output", "json", file,
      ], in: folder)
    return try #require(
      try? JSONDocument(parsing: Array(output.utf8), limits: .event).root, "aws wrote: \(output)")
  }
}
