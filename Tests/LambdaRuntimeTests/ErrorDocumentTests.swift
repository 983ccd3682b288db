import JSON
import Testing

@testable import LambdaRuntime

@Suite("Error documents")
struct ErrorDocumentTests {
  @Test(
    "a type that Lambda does not change is accepted",
    arguments: ["Function.Unauthorized", "Runtime.InvalidEvent", "Function.Ab"])
  func validType(_ text: String) {
    #expect(ErrorType(text)?.text == text)
  }

  @Test(
    "a type that Lambda would replace is refused",
    arguments: [
      "", "Unhandled", "Function.", "Function.A", "Function.unauthorized", "function.Unauthorized",
      "Function.Un1", "Function.Two Words", "Function.A.B", "xFunction.Unauthorized",
      "Function.Unauthorized\r\nX: y",
      "Sandbox.Failure", "Function.Überfall",
    ])
  func invalidType(_ text: String) {
    #expect(ErrorType(text) == nil)
  }

  @Test(
    "a reason code becomes a type that Lambda does not change",
    arguments: [
      ("invalidEvent", "Function.InvalidEvent"), ("keysUnavailable", "Function.KeysUnavailable"),
      ("Unauthorized", "Function.Unauthorized"), ("two words, 3!\r\n", "Function.Twowords"),
      ("", "Function.Unknown"), ("x", "Function.Unknown"), ("日本", "Function.Unknown"),
    ])
  func typeOfCode(_ code: String, _ text: String) {
    #expect(ErrorType.function(code).text == text)
    #expect(ErrorType(text) == ErrorType.function(code))
  }

  @Test("the body of a refused token is exactly the one for which API Gateway returns 401")
  func unauthorizedBody() {
    let document = ErrorDocument(type: .function("unauthorized"), message: "Unauthorized")
    #expect(
      String(decoding: document.body, as: UTF8.self)
        == #"{"errorMessage":"Unauthorized","errorType":"Function.Unauthorized"}"#)
  }

  @Test("any message yields a valid document", arguments: ["line\nbreak", "\"quoted\" \\ \u{1}", "日本 🎉", ""])
  func anyMessage(_ message: String) throws {
    let body = ErrorDocument(type: .function("invalidEvent"), message: message).body
    #expect(try JSONDocument(parsing: body, limits: .event).root["errorMessage"]?.text == message)
    #expect(!body.contains { $0 < 0x20 })
  }

  @Test("a long message is truncated after a whole character")
  func longMessage() {
    let limit = ErrorDocument.messageByteLimit
    let exact = String(repeating: "é", count: limit / 2)
    #expect(ErrorDocument(type: .function("x"), message: exact).message == exact)
    #expect(ErrorDocument(type: .function("x"), message: exact + "x").message == exact)
    let odd = ErrorDocument(type: .function("x"), message: "x" + exact).message
    #expect(odd.utf8.count == limit - 1)
    #expect(odd.hasSuffix("éé"))
  }
}
