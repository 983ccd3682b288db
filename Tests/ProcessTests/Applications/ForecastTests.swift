import Foundation
import TestSupport
import Testing

/// API keys and usage plans of a REST API ("Usage plans and API keys for REST APIs in API Gateway").
@Suite(.needsPython, .serialized, .hangLimit)
struct ForecastTests {
  private static let forbidden = #"{"message":"Forbidden"}"#

  static let cases = [
    ApplicationCase(
      testDescription: "no key", path: "/Forecast/paid/cities/oslo", status: 403,
      errorType: "ForbiddenException", body: forbidden),
    ApplicationCase(
      testDescription: "no such key", path: "/Forecast/paid/cities/oslo", headers: ["x-api-key": "unknown"],
      status: 403, errorType: "ForbiddenException", body: forbidden),
    ApplicationCase(
      testDescription: "a disabled key", path: "/Forecast/paid/cities/oslo",
      headers: ["x-api-key": "blocked-key-of-twenty-characters"], status: 403,
      errorType: "ForbiddenException", body: forbidden),
    ApplicationCase(
      testDescription: "a key whose plan has another stage", path: "/Forecast/paid/cities/oslo",
      headers: ["x-api-key": "trial-key-of-twenty-characters"], status: 403, errorType: "ForbiddenException",
      body: forbidden),
    ApplicationCase(
      testDescription: "the key of the plan", path: "/Forecast/paid/cities/oslo",
      headers: ["x-api-key": "paid-key-of-twenty-characters"], status: 200,
      contains: [
        #""stage": "paid""#, #""parameters": {"city": "oslo"}"#, #""key": "paid-key-of-twenty-characters""#,
        ApplicationCase.restEvent,
      ]),
    ApplicationCase(
      testDescription: "a method without ApiKeyRequired", path: "/Forecast/trial/cities", status: 200,
      body: #"["oslo","lima"]"#),
    ApplicationCase(
      testDescription: "no such stage", path: "/Forecast/other/cities", status: 403,
      errorType: "ForbiddenException", body: forbidden),
  ]

  @Test func answersAsDocumented() async throws {
    let application = try Application("forecast", functions: ["Clouds": "backend"])
    for item in Self.cases { try await item.check(application) }
  }

  /// The fourth request of the day is over the quota, and the next day has a new one.
  @Test func countsTheQuotaByTheGatewaysClock() async throws {
    let application = try Application("forecast", functions: ["Clouds": "backend"])
    let gateway = application.gateway
    let key = ["x-api-key": "trial-key-of-twenty-characters"]
    for _ in 1...3 {
      #expect(try await gateway.send("GET", "/Forecast/trial/cities/oslo", headers: key).status == 200)
    }
    let over = ApplicationCase(
      testDescription: "over the quota", path: "/Forecast/trial/cities/oslo", headers: key, status: 429,
      errorType: "LimitExceededException", body: #"{"message":"Limit Exceeded"}"#)
    try await over.check(application)
    _ = try await gateway.send("POST", "/dev/clock", body: #"{"move":"+24h"}"#)
    #expect(try await gateway.send("GET", "/Forecast/trial/cities/oslo", headers: key).status == 200)
  }
}
