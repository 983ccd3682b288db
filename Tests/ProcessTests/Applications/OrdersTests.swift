import Foundation
import TestSupport
import Testing

/// A Swagger 2.0 document with a TOKEN authorizer and mock integrations ("x-amazon-apigateway-authorizer object").
@Suite(.needsPython, .serialized, .hangLimit)
struct OrdersTests {
  static let cases = [
    ApplicationCase(
      testDescription: "no token", path: "/Orders/prod/orders/7", status: 401,
      errorType: "UnauthorizedException", body: #"{"message":"Unauthorized"}"#),
    ApplicationCase(
      testDescription: "a token that does not match the expression", path: "/Orders/prod/orders/7",
      headers: ["X-Clerk": "customer-2"], status: 401, errorType: "UnauthorizedException",
      body: #"{"message":"Unauthorized"}"#),
    ApplicationCase(
      testDescription: "a refused token and the API's own answer", path: "/Orders/prod/orders/7",
      headers: ["X-Clerk": "clerk-1"], status: 403, errorType: "AccessDeniedException",
      body: #"{"problem":"not yours","stage":"prod"}"#),
    ApplicationCase(
      testDescription: "a function that fails", path: "/Orders/prod/orders/7",
      headers: ["X-Clerk": "clerk-666"], status: 500, errorType: "AuthorizerConfigurationException",
      body: #"{"message":null}"#),
    ApplicationCase(
      testDescription: "the context reaches the backend as text", path: "/Orders/prod/orders/7",
      headers: ["X-Clerk": "clerk-2"], status: 200,
      contains: [
        #""principalId": "clerk-2""#, #""limit": "3""#, #""parameters": {"id": "7"}"#, "/orders/{id}",
        ApplicationCase.restEvent,
      ]),
    ApplicationCase(
      testDescription: "a mock behind the authorizer, without a token", method: "DELETE",
      path: "/Orders/prod/orders/7", status: 401, errorType: "UnauthorizedException",
      body: #"{"message":"Unauthorized"}"#),
    ApplicationCase(
      testDescription: "a mock behind the authorizer", method: "DELETE", path: "/Orders/prod/orders/7",
      headers: ["X-Clerk": "clerk-2"], status: 202, body: #"{"removed":"7","by":"clerk-2"}"#),
    ApplicationCase(
      testDescription: "an open mock", path: "/Orders/prod/status", status: 200, body: #"{"up":true}"#),
    ApplicationCase(
      testDescription: "no such route", path: "/Orders/prod/nothing", status: 403,
      errorType: "MissingAuthenticationTokenException", body: #"{"message":"Missing Authentication Token"}"#),
  ]

  @Test func answersAsDocumented() async throws {
    let application = try Application("orders", functions: ["Doorkeeper": "doorkeeper", "Ledger": "backend"])
    for item in Self.cases { try await item.check(application) }
    let log = application.gateway.logText
    #expect(
      log.split(separator: "\n").filter { $0.contains("status=401") }.allSatisfy { $0.contains("not-called") }
    )
  }
}
