import Foundation
import JSON
import Testing
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The sign-in of an app on one machine, over HTTP: a development issuer instead of Apple, nonce, first sign-in, a
/// protected route, Apple's notification, and the refusal of the same token.
@Suite(.needsBootstrap, .needsIdentity, .serialized, .hangLimit)
struct IdentityStoryTests {
  @Test(arguments: ["/HttpApi", "/RestApi/prod"]) func signsInAndRevokesAUser(_ api: String) async throws {
    let workshop = try Self.workshop()
    try await Story(api, ServedGateway(workshop, Self.arguments)).run()
  }

  @Test(
    .enabled(
      if: Workshop.localDynamoDB != nil, "make check-moto runs this with a local DynamoDB"),
    arguments: ["/HttpApi", "/RestApi/prod"])
  func signsInAndRevokesAUserWithATable(_ api: String) async throws {
    let workshop = try Self.workshop()
    let endpoint = try #require(Workshop.localDynamoDB)
    try await Self.createTable(endpoint)
    let gateway = try ServedGateway(
      workshop, Self.arguments, environment: ["AWS_ENDPOINT_URL_DYNAMODB": endpoint])
    try await Story(api, gateway).run()
    #expect(!FileManager.default.fileExists(atPath: workshop.folder.path + "/.development/identity.sqlite3"))
  }

  @Test func bothFunctionsUseTheLocalTable() async throws {
    let workshop = try Self.workshop()
    // The table is empty: no user has withdrawn and no user has signed in.
    let table = try LoopbackKeyServer(.response("200 OK", body: Array("{}".utf8)))
    try table.start()
    defer { table.stop() }
    let gateway = try ServedGateway(
      workshop, Self.arguments, environment: ["AWS_ENDPOINT_URL_DYNAMODB": table.address])
    let token = try await gateway.token(
      #"{"preset":"apple","audience":"com.example.app","user":"000123.a.0001"}"#)
    let answer = try await gateway.send(
      "GET", "/HttpApi/users/me", headers: ["Authorization": "Bearer \(token)"])
    #expect(answer.status == 404, "\(answer.text) \(gateway.logText)")
    // A call that times out is repeated once, so there may be more than two.
    #expect(table.answered >= 2)
  }

  @Test func ignoresATableOnAnotherMachine() async throws {
    let workshop = try Self.workshop()
    let gateway = try ServedGateway(
      workshop, Self.arguments, environment: ["AWS_ENDPOINT_URL_DYNAMODB": "https://dynamodb.example.com"])
    try await gateway.untilLog("https://dynamodb.example.com is not an address of this machine")
    #expect(try await Story("/HttpApi", gateway).signIn().data["is_new_user"] == .boolean(true))
  }

  @Test func storedUsersOutliveTheServer() async throws {
    let workshop = try Self.workshop()
    let first = try ServedGateway(workshop, Self.arguments)
    let story = Story("/HttpApi", first)
    let user = try await story.signIn(name: ["Ada", "Example"])
    first.process.terminate()
    first.process.waitUntilExit()
    let second = Story("/HttpApi", try ServedGateway(workshop, Self.arguments), subject: story.subject)
    let again = try await second.signIn()
    #expect(again.data["is_new_user"] == .boolean(false))
    #expect(again.data["user_id"] == user.data["user_id"])
    #expect(again.data["profile_complete"] == .boolean(true))
  }

  /// `template/authorizer.json` belongs to another template. With it, revocations would not be looked up.
  @Test func configurationInTheTemplateOverridesTheNearestFile() async throws {
    let workshop = try Self.workshop()
    let shipped = try Checkout.text("template/identity.yaml")
    try workshop.write(shipped, to: "identity.yaml")
    try workshop.write(
      #"{"issuers":[{"preset":"apple","audiences":["com.example.other"]}]}"#, to: "authorizer.json")
    let gateway = try ServedGateway(workshop, ["--template", "identity.yaml", "--concurrency", "2"])
    try await Story("/HttpApi", gateway).run()
  }

  @Test func logsWhyASignInIsRefused() async throws {
    let workshop = try Self.workshop()
    let gateway = try ServedGateway(workshop, Self.arguments)
    let answer = try await gateway.send(
      "POST", "/HttpApi/auth/verify", headers: ["Content-Type": "application/json"],
      body: #"{"identity_token":"x"}"#)
    #expect(answer.status == 401)
    #expect(gateway.logText.contains(#"backend="IdentityFunction: nonceMissing""#), "\(gateway.logText)")
  }

  // MARK: The parts

  static let arguments = [
    "--template", Workshop.packageRoot.path + "/template/identity.yaml", "--concurrency", "2",
  ]

  /// Creates a folder in which `serve` finds the functions as in the repository.
  static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    try FileManager.default.createSymbolicLink(
      at: workshop.folder.appendingPathComponent("dist"),
      withDestinationURL: Workshop.programs)
    return workshop
  }

  private static func createTable(_ endpoint: String) async throws {
    var request = URLRequest(url: try #require(URL(string: endpoint)))
    request.httpMethod = "POST"
    request.timeoutInterval = TimeInterval(HangLimit.seconds)
    let scope = "Credential=local/20260101/us-east-1/dynamodb/aws4_request"
    request.setValue("DynamoDB_20120810.CreateTable", forHTTPHeaderField: "X-Amz-Target")
    request.setValue("application/x-amz-json-1.0", forHTTPHeaderField: "Content-Type")
    request.setValue(
      "AWS4-HMAC-SHA256 \(scope), SignedHeaders=host, Signature=0", forHTTPHeaderField: "Authorization")
    request.httpBody = Data(
      """
      {"TableName":"UserTable","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]}
      """.utf8)
    let (data, _) = try await URLSession.shared.data(for: request)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains("TableDescription") || text.contains("ResourceInUseException"), "\(text)")
  }
}

/// One user, one API, one server.
struct Story {
  let api: String
  let gateway: ServedGateway
  let subject: String

  init(_ api: String, _ gateway: ServedGateway, subject: String? = nil) {
    self.api = api
    self.gateway = gateway
    self.subject = subject ?? "000123.\(UUID().uuidString.lowercased()).0001"
  }

  struct SignedIn {
    let token: String
    let nonce: String
    let data: JSONTree
  }

  func run() async throws {
    let first = try await signIn(name: ["Ada", "Example"])
    #expect(first.data["is_new_user"] == .boolean(true))
    #expect(first.data["profile_complete"] == .boolean(true))
    #expect(first.data["apple_user_id"] == .string(subject))
    #expect(first.data["email"] == .string(subject + "@example.com"))
    // The nonce and its token can be used only once.
    let replay = try await verify(first.token, first.nonce)
    #expect(replay.status == 401)
    #expect(replay.json?["error"]?["code"] != nil)

    let me = try await get("/users/me", first.token)
    #expect(me.status == 200)
    #expect(me.json?["data"]?["user_id"] == first.data["user_id"])
    #expect(try await get("/users/\(subject)", first.token).status == 200)
    #expect(try await get("/users/000999.another.0002", first.token).status == 403)
    #expect(try await gateway.send("GET", api + "/users/me").status == 401)

    let again = try await signIn()
    #expect(again.data["is_new_user"] == .boolean(false))
    #expect(again.data["user_id"] == first.data["user_id"])

    try await notify()
    // The gateway caches the authorizer's answer for 60 s, as on AWS.
    #expect(try await get("/users/me", first.token).status == 200)
    #expect(try await move("+61s") == 200)
    #expect(try await get("/users/me", first.token).status == 401)
    #expect(gateway.logText.contains("reason=revoked"))
    #expect(try await get("/users/me", again.token).status == 401)

    let later = try await signIn()
    #expect(later.data["user_id"] == first.data["user_id"])
    #expect(try await get("/users/me", later.token).status == 200)
  }

  /// Signs the user in: nonce, Apple's token, user.
  func signIn(name: [String]? = nil, attempts: Int = 5) async throws -> SignedIn {
    let issued = try await gateway.send("POST", api + "/auth/nonce")
    guard case .string(let nonce)? = issued.json?["data"]?["nonce"] else {
      throw ServedGateway.NotStarted(log: issued.text + gateway.logText)
    }
    let token = try await gateway.token(
      #"{"preset":"apple","audience":"com.example.app","user":"\#(subject)","claims":{"nonce":"\#(nonce)"}}"#)
    let user = name.map { #"{"name":{"firstName":"\#($0[0])","lastName":"\#($0[1])"}}"# }
    let answer = try await verify(token, nonce, user: user)
    // A busy machine can need more than the minute of a nonce between two requests.
    if answer.status == 401, attempts > 1, gateway.logText.contains("IdentityFunction: nonceExpired") {
      return try await signIn(name: name, attempts: attempts - 1)
    }
    guard answer.status == 200, let data = answer.json?["data"] else {
      throw ServedGateway.NotStarted(log: answer.text + gateway.logText)
    }
    return SignedIn(token: token, nonce: nonce, data: data)
  }

  private func verify(
    _ token: String, _ nonce: String, user: String? = nil
  ) async throws -> ServedGateway.Answer {
    let more = user.map { #","user":\#($0)"# } ?? ""
    return try await gateway.send(
      "POST", api + "/auth/verify", headers: ["Content-Type": "application/json"],
      body: #"{"identity_token":"\#(token)","nonce":"\#(nonce)"\#(more)}"#)
  }

  private func get(_ path: String, _ token: String) async throws -> ServedGateway.Answer {
    try await gateway.send("GET", api + path, headers: ["Authorization": "Bearer \(token)"])
  }

  /// Sends the notification twice, as Apple does until it gets an answer.
  private func notify() async throws {
    let order = #"{"user":"\#(subject)","type":"consent-revoked","audience":"com.example.app"}"#
    let notification = try await gateway.send("POST", "/dev/notification", body: order)
    for _ in 1...2 {
      let answer = try await gateway.send(
        "POST", api + "/auth/apple/notifications", headers: ["Content-Type": "application/json"],
        body: notification.text)
      #expect(answer.status == 200, "\(answer.text)")
    }
  }

  private func move(_ distance: String) async throws -> Int {
    try await gateway.send("POST", "/dev/clock", body: #"{"move":"\#(distance)"}"#).status
  }
}
