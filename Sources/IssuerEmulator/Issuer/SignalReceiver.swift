package import GatewayModel
internal import LambdaEmulator
package import JSON

/// A receiver of the identity function, whose sender the development issuer plays.
package struct SignalReceiver: Equatable, Sendable {
  let name: String
  private let issuer: String
  private let users: [String]
  private let audience: String
  private let algorithm: String
  private let basePath: String
  private let authorization: String?

  /// Creates a receiver from its entry of `receivers`.
  ///
  /// - Parameters:
  ///   - algorithm: the algorithm of the sender.
  ///   - basePath: the prefix of the function's routes; may be empty.
  ///   - authorization: the value of the header `Authorization`; `nil` for none.
  package init(
    name: String, issuer: String, users: [String], audience: String, algorithm: String, basePath: String,
    authorization: String?
  ) {
    self.name = name
    self.issuer = issuer
    self.users = users
    self.audience = audience
    self.algorithm = algorithm
    self.basePath = basePath
    self.authorization = authorization
  }

  /// The request that tells this receiver of a logout (OpenID Connect Back-Channel Logout 1.0 section 2.5).
  ///
  /// - Parameter now: seconds since 1970.
  func logout(
    _ order: IssuerOrder, signer: DevelopmentIssuer, now: Int64
  ) throws(DevelopmentIssuer.TokenRequestError) -> GatewayRequest {
    let token = try signed(
      "logout+jwt",
      [
        "exp": .integer(now + 120), "sub": order["user"],
        "sid": order["session"],
        "events": .members(["http://schemas.openid.net/event/backchannel-logout": .object([])]),
      ], signer, now)
    return request("logout", "application/x-www-form-urlencoded", "logout_token=" + token)
  }

  /// The request that tells this receiver of an event (RFC 8935 section 2.1).
  ///
  /// - Parameter now: seconds since 1970.
  func event(
    _ order: IssuerOrder, signer: DevelopmentIssuer, now: Int64
  ) throws(DevelopmentIssuer.TokenRequestError) -> GatewayRequest {
    guard let user = order.text("user") else {
      throw .init(problem: "write the user whom the event concerns")
    }
    let subject = JSONTree.members([
      "format": .string("iss_sub"), "iss": .string(order.text("issuer") ?? users.first ?? issuer),
      "sub": .string(user),
    ])
    let complex = order.text("session").map { session in
      JSONTree.members([
        "format": .string("complex"), "user": subject,
        "session": .members(["format": .string("opaque"), "id": .string(session)]),
      ])
    }
    let name = order.text("event") ?? "caep/event-type/session-revoked"
    let token = try signed(
      "secevent+jwt",
      [
        "sub_id": complex ?? subject,
        "events": .members(["https://schemas.openid.net/secevent/" + name: .object([])]),
      ], signer, now)
    return request("events", "application/secevent+jwt", token)
  }

  private func signed(
    _ type: String, _ claims: KeyValuePairs<String, JSONTree?>, _ signer: DevelopmentIssuer, _ now: Int64
  ) throws(DevelopmentIssuer.TokenRequestError) -> String {
    var members: [JSONTree.Member] = [
      .init(name: "iss", value: .string(issuer)), .init(name: "aud", value: .string(audience)),
      .init(name: "iat", value: .integer(now)),
      .init(name: "jti", value: .string(Identifiers.requestID())),
    ]
    members += JSONTree.pairs(claims)
    return try signer.signed(
      .members([
        "header": .members(["typ": .string(type)]), "algorithm": .string(algorithm),
        "claims": .object(members),
      ]), now: now)
  }

  private func request(_ route: String, _ type: String, _ body: String) -> GatewayRequest {
    GatewayRequest(
      method: "POST", path: basePath + "/signals/" + name + "/" + route,
      headers: [.init("Content-Type", type), .init("Host", "127.0.0.1")]
        + (authorization.map { [.init("Authorization", $0)] } ?? []),
      body: Array(body.utf8))
  }
}

extension DevelopmentIssuer {
  /// The request of a sender to the receiver that the order names, by default the first, without the stage.
  ///
  /// - Parameters:
  ///   - order: `receiver`, `user`, `session`; for events also `issuer`, and `event` such as
  ///     `"risc/event-type/account-disabled"`; each is optional.
  ///   - isEvent: a security event token, not a logout token.
  ///   - now: seconds since 1970.
  /// - Throws: `TokenRequestError` for an invalid request.
  package func signal(
    _ order: JSONTree, isEvent: Bool, now: Int64
  ) throws(TokenRequestError) -> GatewayRequest {
    let order = try IssuerOrder(order, known: ["receiver", "user", "session", "issuer", "event"])
    if order["user"] == nil, order["session"] == nil {
      throw TokenRequestError(problem: "write user, session or both")
    }
    guard
      let receiver = receivers.first(where: { [nil, $0.name].contains(order.text("receiver")) })
    else {
      let known = receivers.map(\.name).joined(separator: ", ")
      throw TokenRequestError(
        problem: receivers.isEmpty
          ? "no identity function of the template has receivers" : "no such receiver; known are \(known)")
    }
    return isEvent
      ? try receiver.event(order, signer: self, now: now)
      : try receiver.logout(order, signer: self, now: now)
  }
}
