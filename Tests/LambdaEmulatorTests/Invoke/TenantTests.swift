@testable import LambdaEmulator
import Testing

/// Tenants of invocations (Lambda API Reference, "Invoke").
@Suite struct TenantTests {
  @Test(arguments: ["blue", "a b", "A-Z.09", "arn:aws:a/b=c+d@e", "a_b", "7"]) func aTenantIsReadAsItIs(
    _ text: String
  ) {
    #expect(Tenant(text)?.text == text)
  }

  @Test(arguments: [
    "", "a,b", "\"blue\"", "a\r\nX-Other: b", "bl\u{FC}e", "a\u{0}", "a;b", "a%20",
    String(repeating: "a", count: 257),
  ]) func anotherTextIsNoTenant(_ text: String) {
    #expect(Tenant(text) == nil)
  }

  @Test func theLongestTenantHas256Characters() {
    #expect(Tenant(String(repeating: "a", count: 256)) != nil)
  }

  @Test(
    arguments: [
      (nil, nil), ("blue", "blue"),
    ] as [(String?, String?)]) func aCallNamesItsTenant(_ header: String?, _ tenant: String?) throws
  {
    let request = try InvokeRequest(.init(name: "f", tenant: header))
    #expect(request.tenant?.text == tenant)
  }

  @Test func aCallWithAnInvalidTenantIsRefused() {
    #expect(throws: InvokeError.self) { try InvokeRequest(.init(name: "f", tenant: "a,b")) }
  }

  /// The runtime gets the tenant in a header.
  @Test(arguments: [nil, "blue"]) func aRuntimeGetsTheTenant(_ text: String?) {
    var invocation = Invocation(
      requestID: "r", attemptID: "a", event: [], functionARN: "f", traceID: "t", timeoutMilliseconds: 1)
    invocation.tenant = text.flatMap(Tenant.init)
    let headers = RuntimeReply.event(invocation, deadlineUnixMilliseconds: 1).headers
    #expect(
      headers.filter { $0.name == "Lambda-Runtime-Aws-Tenant-Id" }.map(\.value) == (text.map { [$0] } ?? []))
  }

  @Test func refusalsAreErrorsOfTheInvokeAPI() {
    #expect(InvokeError(.tenantMissing).status == 400)
    #expect(InvokeError(.tenantMissing).type == "InvalidParameterValueException")
    #expect(InvokeError(.tenantMissing).message == Tenant.missingMessage)
    #expect(InvokeError(.tenantUnknown).status == 400)
  }
}
