import Foundation
import TestSupport
import Testing

/// An HTTP API with a Lambda authorizer in the simple form ("Controlling access to HTTP APIs with AWS Lambda
/// authorizers").
@Suite(.needsPython, .serialized, .hangLimit)
struct LibraryTests {
  /// The members of the event that every request has, and those of a route with a parameter (payload 2.0).
  private static let httpEvent =
    #""members": ["headers", "isBase64Encoded", "pathParameters", "rawPath", "rawQueryString", "#
    + #""requestContext", "routeKey", "version"]"#

  static let cases = [
    ApplicationCase(
      testDescription: "no identity source", path: "/Library/books/1", status: 401,
      body: #"{"message":"Unauthorized"}"#),
    ApplicationCase(
      testDescription: "a refused card", path: "/Library/books/1", headers: ["X-Library-Card": "card-1"],
      status: 403, body: #"{"message":"Forbidden"}"#),
    ApplicationCase(
      testDescription: "the context reaches the backend with its types", path: "/Library/books/978",
      headers: ["X-Library-Card": "card-2"], status: 200,
      contains: [#""lambda": {"card": "card-2", "limit": 3}"#, #""parameters": {"isbn": "978"}"#, httpEvent]),
    ApplicationCase(
      testDescription: "another method of the same API", method: "PUT", path: "/Library/books/978/loan",
      headers: ["X-Library-Card": "card-2"], status: 200, contains: ["PUT /books/{isbn}/loan"]),
    ApplicationCase(
      testDescription: "a method without a route", method: "DELETE", path: "/Library/books/978",
      headers: ["X-Library-Card": "card-2"], status: 404, body: #"{"message":"Not Found"}"#),
    ApplicationCase(
      testDescription: "Authorizer: NONE", path: "/Library/hours", status: 200,
      contains: [#""authorizer": null"#]),
  ]

  @Test func answersAsDocumented() async throws {
    let application = try Application(
      "library", functions: ["Doorkeeper": "doorkeeper", "Shelves": "backend"])
    for item in Self.cases { try await item.check(application) }
    let preflight = try await application.answer(
      "OPTIONS", "/Library/books/1",
      headers: ["Origin": "https://library.example", "Access-Control-Request-Method": "GET"])
    #expect(preflight.status == 204)
    #expect(preflight.headers["access-control-allow-origin"] == "https://library.example")
  }
}
