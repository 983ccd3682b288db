@testable import LambdaEmulator
import Foundation
import JSON
import TestTokens

/// The identity function with SQLite in a separate folder, and its output.
final class IdentityFunction: RecordedFunction, @unchecked Sendable {
  let folder: URL

  static let executable = Workshop.identity

  static let secret = "canary one canary two canary three canary"

  /// - Parameters:
  ///   - configuration: overrides the one with pinned keys, nonces and SQLite.
  ///   - issuesNonces: whether the server issues nonces.
  ///   - variables: override all others.
  init(
    in folder: URL, _ configuration: String? = nil, issuesNonces: Bool = true,
    _ variables: [String: String] = [:]
  ) throws {
    self.folder = folder
    let set = try FetchingFunction.keys().publicKeySet.bytes()
    try Data(set).write(to: folder.appendingPathComponent("keys.json"))
    let own = [
      "IDENTITY_CONFIG": configuration ?? Self.configuration(issuesNonces: issuesNonces),
      "AUTHORIZER_DEVELOPMENT": "1", "NONCE_SECRET": Self.secret,
    ]
    super.init(Self.executable, in: folder, own.merging(variables) { $1 })
  }

  static func configuration(issuesNonces: Bool = true, keys: String = #""seed":"keys.json","pinned":true"#)
    -> String
  {
    let nonce = issuesNonces ? #""nonce":{"secret":{"environment":"NONCE_SECRET"}},"# : ""
    return """
      {"audiences":["com.example.app"],"keys":{\(keys)},\(FetchingFunction.longestFetch),\(nonce)
      "store":{"sqlite":{"path":"users.sqlite","revocations":"revocations.json"}}}
      """
  }

  /// Returns the log line of an invocation.
  func line(of requestID: String) -> JSONTree? {
    lines.compactMap { try? JSONTree(parsing: Array($0.utf8), limits: .event) }
      .first { $0["requestId"] == .string(requestID) }
  }

  /// Returns a token of Apple's preset with these claims. Other members of the recipe, such as `omit`, go into
  /// `more`.
  static func token(_ claims: String = "", more: String = "") throws -> String {
    let recipe = #"{"t":{"preset":"apple","claims":{\#(claims)}\#(more)}}"#
    let recipes = try TokenRecipes(parsing: Array(recipe.utf8))
    let now = Int64(Date().timeIntervalSince1970)
    return try TokenMint(recipes: recipes, keys: try FetchingFunction.keys(), now: now).token(named: "t")
  }

  static let notificationOmits = #","omit":["sub","email","email_verified","is_private_email","auth_time"]"#

  /// Returns the body of a notification from Apple.
  static func notification(_ type: String, of subject: String, jti: String) throws -> String {
    let milliseconds = Int64(Date().timeIntervalSince1970 * 1000)
    let events = #"{\"type\":\"\#(type)\",\"sub\":\"\#(subject)\",\"event_time\":\#(milliseconds)}"#
    return #"{"payload":"\#(try token(#""jti":"\#(jti)","events":"\#(events)""#, more: notificationOmits))"}"#
  }

  /// Returns a proxy event of a REST API, or of an HTTP API with payload 2.0. Every other value from the caller
  /// contains the canary.
  static func event(
    _ method: String, _ path: String, body: String? = nil, subject: String? = nil, isHTTP2: Bool = false,
    contentType: String = "application/json", requestID: String = "canary.canary"
  ) -> [UInt8] {
    let text = body.map { String(decoding: JSONTree.string($0).bytes(), as: UTF8.self) } ?? "null"
    let context = subject.map { #"{"sub":"\#($0)","issuer":"apple","email":"canary@example.com"}"# } ?? "null"
    let common = """
      "headers":{"content-type":"\(contentType)","authorization":"Bearer canary","cookie":"canary=canary",
      "user-agent":"canary"},"queryStringParameters":{"canary":"canary"},"pathParameters":{"canary":"canary"},
      "stageVariables":{"canary":"canary"},"body":\(text),"isBase64Encoded":false
      """
    return Array(
      (isHTTP2
        ? """
        {"version":"2.0","routeKey":"$default","rawPath":"\(path)","rawQueryString":"canary",\(common),"requestContext":
        {"stage":"$default","requestId":"\(requestID)","http":{"method":"\(method)","path":"\(path)","sourceIp":"canary"},
        "authorizer":{"lambda":\(context)}}}
        """
        : """
        {"resource":"/{proxy+}","path":"\(path)","httpMethod":"\(method)",\(common),"requestContext":
        {"stage":"prod","requestId":"\(requestID)","path":"/prod\(path)","identity":{"sourceIp":"canary"},"authorizer":\(context)}}
        """).utf8)
  }
}

/// The answer of a proxy function to a caller.
struct ProxyAnswer {
  let requestID: String
  let status: Int
  let body: JSONTree?
  let text: String

  init(_ result: InvocationResult) throws {
    requestID = result.requestID
    let payload = try JSONTree(parsing: result.payload, limits: .event)
    if case .number(let number)? = payload["statusCode"] { status = Int(number) ?? 0 } else { status = 0 }
    if case .string(let text)? = payload["body"] { self.text = text } else { text = "" }
    body = try? JSONTree(parsing: Array(text.utf8), limits: .event)
  }

  func data(_ name: String) -> String? {
    if case .string(let text)? = body?["data"]?[name] { text } else { nil }
  }

  var code: String? { if case .string(let text)? = body?["error"]?["code"] { text } else { nil } }
}
