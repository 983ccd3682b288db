@testable import GatewayEmulator
@testable import GatewayModel
@testable import IAMPolicy
@testable import Text
import Testing

/// Separators and names of protocols are bytes: a combining mark behind one joins it to another `Character`.
@Suite struct ByteTextTests {
  static let joiners = ["\u{301}", "\u{FE0F}", "\u{200D}", "\u{20E3}"]

  @Test("a separator before a combining mark separates", arguments: joiners)
  func separators(_ joiner: String) throws {
    let api = try ConsoleStage.api()
    #expect(api.pathBehindStage("/prod/\(joiner)x").map { Array($0.utf8) } == Array("/\(joiner)x".utf8))
    #expect(ConditionARN.split("arn:\(joiner)aws:x:y:z:w").count == 6)
    #expect(ConditionARN.split("arn:aws:\(joiner):x:y:z:w").count == 6)
    #expect(MediaType.of("text/html;\(joiner)charset=utf-8") == "text/html")
    #expect(MediaType.isTextOfHTTPAPI("text/\(joiner)"))
    #expect(PathPattern("/\(joiner)pets")?.segments == [.literal("\(joiner)pets")])
    #expect(ParameterValue("method.request.header.\(joiner)a") == .header("\(joiner)a"))
    let form =
      "--x\r\nContent-Disposition: form-data; name=\"\(joiner)a\"\r\n\r\n\(joiner)b\r\n--x\(joiner)--"
    let fields = try #require(MultipartText(form)).fields
    #expect(fields.map(\.name) == ["\(joiner)a"])
    #expect(fields.map(\.value) == ["\(joiner)b"])
  }
}
