import Foundation
import TestSupport
import Testing

/// A REST API with a Cognito user pool ("Control access to REST APIs using Amazon Cognito user pools as an
/// authorizer").
@Suite(.needsPython, .serialized, .hangLimit)
struct NotebookTests {
  @Test func answersAsDocumented() async throws {
    let application = try Application("notebook", functions: ["Notes": "backend"])
    let gateway = application.gateway
    let identity = try await gateway.token(#"{"user":"ana","authorizer":"Pool"}"#)
    let writing = try await gateway.token(#"{"user":"ana","authorizer":"Pool","scope":"notebook/write"}"#)
    let late = try await gateway.token(#"{"user":"ana","authorizer":"Pool","expires":"-1h"}"#)
    let unauthorized = #"{"message":"Unauthorized"}"#
    for item in [
      ApplicationCase(
        testDescription: "no token", path: "/Notebook/v1/notes", status: 401,
        errorType: "UnauthorizedException", body: unauthorized),
      ApplicationCase(
        testDescription: "no JWT", path: "/Notebook/v1/notes", headers: ["Authorization": "a.b.c"],
        status: 401, errorType: "UnauthorizedException", body: unauthorized),
      ApplicationCase(
        testDescription: "an expired token", path: "/Notebook/v1/notes", headers: ["Authorization": late],
        status: 401, errorType: "UnauthorizedException",
        body: #"{"message":"The incoming token has expired"}"#),
      ApplicationCase(
        testDescription: "an ID token", path: "/Notebook/v1/notes", headers: ["Authorization": identity],
        status: 200, contains: [#""claims": {"#, #""sub": "ana""#, ApplicationCase.restEvent]),
      ApplicationCase(
        testDescription: "an ID token where a scope is needed", method: "POST", path: "/Notebook/v1/notes",
        headers: ["Authorization": identity], status: 401, errorType: "UnauthorizedException",
        body: unauthorized),
      ApplicationCase(
        testDescription: "an access token with the scope", method: "POST", path: "/Notebook/v1/notes",
        headers: ["Authorization": writing], status: 200, contains: ["notebook/write"]),
      ApplicationCase(
        testDescription: "no such route", path: "/Notebook/v1/nothing", headers: ["Authorization": identity],
        status: 403, errorType: "MissingAuthenticationTokenException",
        body: #"{"message":"Missing Authentication Token"}"#),
      ApplicationCase(
        testDescription: "Authorizer: NONE", path: "/Notebook/v1/health", status: 200),
    ] { try await item.check(application) }
    let preflight = try await application.answer("OPTIONS", "/Notebook/v1/notes")
    #expect(preflight.status == 200)
    #expect(preflight.headers["access-control-allow-origin"] == "https://notebook.example")
  }
}
