@testable import EmulatorTestSupport
@testable import LambdaEmulator
import Foundation
import Testing

/// Tests of parsing an Invoke call, without a server.
@Suite struct InvokeRequestTests {
  /// The Runtime Interface Emulator (RIE) has one name for all functions.
  @Test(
    arguments: [
      ("mine", nil, "mine", nil), ("mine:live", nil, "mine", "live"), ("mine", "7", "mine", "7"),
      ("mine:$LATEST", "$LATEST", "mine", "$LATEST"),
      ("123456789012:function:mine", nil, "mine", nil),
      ("us-east-1:123456789012:function:mine", nil, "mine", nil),
      ("arn:aws:lambda:eu-west-1:123456789012:function:mine", nil, "mine", nil),
      ("arn:aws-cn:lambda:cn-north-1:123456789012:function:mine:v_1-2", nil, "mine", "v_1-2"),
      ("function", nil, "function", nil), ("function:function", nil, "function", "function"),
    ] as [(String, String?, String, String?)]) func acceptsNamesPartialARNsAndARNs(
      _ text: String, _ query: String?, _ name: String, _ qualifier: String?
    ) throws
  {
    let reference = try FunctionReference(text, qualifier: query)
    #expect(reference.name == name)
    #expect(reference.qualifier == qualifier)
  }

  @Test(
    arguments: [
      ("", nil, .malformed), ("a b", nil, .malformed), ("a:b:c", nil, .malformed), ("a:", nil, .malformed),
      ("a", "no way", .malformed), ("a:b", "c", .contradiction), ("../a", nil, .malformed),
      (String(repeating: "a", count: 65), nil, .malformed),
      ("arn:aws:s3:us-east-1:123456789012:function:mine", nil, .malformed),
      ("arn:aws:lambda:us-east-1:123456789012:layer:mine", nil, .malformed),
      ("12345:function:mine", nil, .malformed),
    ] as [(String, String?, FunctionReference.Fault)]) func refusesOtherReferences(
      _ text: String, _ query: String?, _ fault: FunctionReference.Fault
    )
  {
    #expect(throws: fault) { try FunctionReference(text, qualifier: query) }
  }

  static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  @Test func defaultsToRequestResponseWithoutLog() throws {
    let request = try InvokeRequest(InvokeRequest.Parameters(name: "mine"))
    #expect(request.type == .requestResponse)
    #expect(!request.wantsLog)
    #expect(request.clientContext == nil)
    #expect(request.payloadBytes == 6_291_456)
  }

  @Test func readsTheHeaders() throws {
    let request = try InvokeRequest(
      InvokeRequest.Parameters(
        name: "mine", invocationType: "Event", logType: "Tail",
        clientContext: Self.base64("{\"custom\":\n{}}"), traceID: "Root=1"))
    #expect(request.type == .event)
    #expect(request.wantsLog)
    #expect(request.clientContext == #"{"custom": {}}"#)
    #expect(request.traceID == "Root=1")
    #expect(request.payloadBytes == 1_048_576)
  }

  @Test(arguments: [
    InvokeRequest.Parameters(name: "a b"), InvokeRequest.Parameters(name: "mine:a", qualifier: "b"),
    InvokeRequest.Parameters(name: "mine", invocationType: "event"),
    InvokeRequest.Parameters(name: "mine", logType: "All"),
  ]) func refusesInvalidParameters(_ parameters: InvokeRequest.Parameters) {
    #expect { try InvokeRequest(parameters) } throws: { error in
      (error as? InvokeError)?.type == "InvalidParameterValueException"
    }
  }

  @Test(arguments: [
    "not base64!", base64("not JSON"), base64("[]"), base64(""),
    base64("{\"x\":\"\(String(repeating: "x", count: 3000))\"}"),
  ]) func refusesInvalidClientContexts(_ text: String) {
    #expect(
      throws: InvokeError.invalidContent("Client context must be a valid Base64-encoded JSON object.")
    ) { try InvokeRequest(InvokeRequest.Parameters(name: "mine", clientContext: text)) }
  }

  @Test(arguments: [
    (
      InvokeError.functionNotFound(arn: "arn:x"), 404, "ResourceNotFoundException",
      #"{"Type":"User","Message":"Function not found: arn:x"}"#
    ),
    (.invalidContent("why"), 400, "InvalidRequestContentException", #"{"Type":"User","message":"why"}"#),
    (.invalidParameter("why"), 400, "InvalidParameterValueException", #"{"Type":"User","message":"why"}"#),
    (
      .tooLarge(limit: 6_291_456), 413, "RequestEntityTooLargeException",
      #"{"Type":"User","Message":"Request must be smaller than 6291456 bytes for the InvokeFunction operation"}"#
    ),
    (
      .tooManyRequests, 429, "TooManyRequestsException",
      #"{"Reason":"ReservedFunctionConcurrentInvocationLimitExceeded","Type":"User","message":"Rate Exceeded."}"#
    ),
    (
      .notEmulated("GET /x"), 501, "NotImplementedException",
      #"{"Type":"Server","Message":"GET /x is not emulated: Invoke is the only call of the Lambda API that is"}"#
    ),
    (.unavailable, 503, "ServiceException", #"{"Type":"Server","Message":"The function is shutting down"}"#),
  ]) func writesErrorsAsLambdaDoes(_ error: InvokeError, _ status: Int, _ type: String, _ body: String) {
    #expect(error.status == status)
    #expect(error.type == type)
    #expect(String(decoding: error.body, as: UTF8.self) == body)
  }

  @Test(arguments: [
    "{}", " [1, -0.5e+10, \"\\u00e9\\n\", true, false, null, {\"a\":{\"a\":[]},\"a\":1}] \n", "\"x\"", "0",
    String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000),
  ]) func acceptsValidJSON(_ text: String) {
    #expect(JSONSyntax.fault(in: Array(text.utf8)) == nil)
  }

  @Test(arguments: [
    ("", 0), ("{", 1), ("[1,]", 3), ("{\"a\"}", 4), ("{\"a\":1,}", 7), ("01", 1), ("1.", 2), ("-", 1),
    ("tru", 0), ("\"\u{1}\"", 2), ("{} {}", 3), ("[1}", 2), ("\"\\x\"", 3), ("\"\\u12g4\"", 3),
    ("notat:x", 0),
    (String(repeating: "[", count: 1001) + String(repeating: "]", count: 1001), 1000),
  ]) func reportsTheOffsetOfInvalidJSON(_ text: String, _ offset: Int) {
    #expect(JSONSyntax.fault(in: Array(text.utf8)) == offset)
  }

  @Test func refusesInvalidUTF8() {
    #expect(JSONSyntax.fault(in: [0x22, 0x87, 0x22]) == 1)
  }

  /// The folder of `make vectors`: `VECTORS`, else `.vectors` of the checkout, else `shared/vectors` beside it.
  static let suite: URL = {
    let root = TemplateSamples.packageRoot
    let parsing = "JSONTestSuite/test_parsing"
    if let named = ProcessInfo.processInfo.environment["VECTORS"], !named.isEmpty {
      return URL(filePath: named, relativeTo: root).appending(path: parsing)
    }
    let fetched = root.appending(path: ".vectors")
    let isFetched = FileManager.default.fileExists(atPath: fetched.path)
    return (isFetched ? fetched : root.deletingLastPathComponent().appending(path: "shared/vectors"))
      .appending(path: parsing)
  }()

  /// nst/JSONTestSuite: texts that every parser must accept or must refuse.
  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: suite.path),
      "no test vectors: run make vectors, or set VECTORS= to their folder"))
  func agreesWithJSONTestSuite() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.suite.path).filter {
      $0.hasPrefix("y_") || $0.hasPrefix("n_")
    }
    #expect(names.count == 283)
    for name in names {
      let bytes = Array(try Data(contentsOf: Self.suite.appending(path: name)))
      #expect((JSONSyntax.fault(in: bytes) == nil) == name.hasPrefix("y_"), "\(name)")
    }
  }
}
