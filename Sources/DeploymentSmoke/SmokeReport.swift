internal import AuthorizerContract
internal import GatewayModel
internal import JSON
internal import Text

/// The result of a run. It has no token, no address, no account and no text of an answer.
package struct SmokeReport: Sendable {
  package let results: [SmokeResult]
  package let skipped: [SmokePlan.Skip]
  /// What the answers settled of the behavior that AWS does not document, by name.
  package let settled: [String: String]
  /// What some answer depended on, but that is not settled.
  package let open: [String]
  private let base: Assumptions
  private let wait: Int

  init(_ results: [SmokeResult], skipped: [SmokePlan.Skip], base: Assumptions, wait: Int) {
    let evidence = AssumptionEvidence(results)
    self.results = results.map { result in
      var result = result
      if result.verdict.difference != nil, evidence.explains(result) { result.verdict = .same }
      return result
    }
    (self.skipped, self.base, self.wait) = (skipped, base, wait)
    (settled, open) = (evidence.settled, evidence.open)
  }

  package var differences: Int { results.count { $0.verdict.difference != nil } }
  package var same: Int { results.count { $0.verdict == .same } }

  /// Whether a request got no answer, a guard, a role or a TTL was not tried, or no answer could be compared.
  package var isIncomplete: Bool {
    same + differences == 0 || results.contains(where: \.isOpen) || keepers.contains { !$0.isTried }
      || !worthlessRoles.isEmpty
  }

  /// What became of the wait, by authorizer: whether the prediction for a token became another one in it.
  private var keepers: [(name: String, isTried: Bool)] {
    guard wait > 0 else { return [] }
    var names: [String] = []
    for name in results.compactMap(\.request.keeper) where !names.containsText(name) { names.append(name) }
    guard !names.isEmpty else { return [("no authorizer with --token keeps answers", false)] }
    return names.map { name in
      let again = results.filter { $0.request.after > 0 && $0.request.keeper == name }
      return (name, again.contains { ![nil, 429].contains($0.status) })
    }
  }

  /// One sentence for each difference, with the next step; then what was not compared, and the assumptions.
  package var lines: [String] {
    let others = results.count - same - differences
    return differenceLines + unaskedLines + assumptionLines + [
      "\(same) of \(results.count) answers as predicted, \(differences) differ, \(others) not compared; "
        + "\(skipped.count) routes skipped"
    ]
  }

  /// A line for the results of each title, in the order of the first one.
  private func groups(_ title: (SmokeResult) -> String?) -> [(line: String, results: [SmokeResult])] {
    var groups: [(title: String, results: [SmokeResult])] = []
    for result in results {
      guard let own = title(result) else { continue }
      let index = groups.firstIndex { $0.title == own } ?? groups.endIndex
      if index == groups.endIndex { groups.append((own, [])) }
      groups[index].results.append(result)
    }
    return groups.map { title, results in
      (title + ": " + results.map(\.request.title).joined(separator: "; "), results)
    }
  }

  private var differenceLines: [String] {
    let groups = groups { result in
      guard case .differs(let difference, let isCertain) = result.verdict else { return nil }
      let doubt = isCertain || difference == .throttled ? "" : ", or the backend answers exactly so"
      return "\(result.request.target.api.name): \(difference.sentence)\(doubt)"
    }
    let sorted = groups.map { ($0.results[0].verdict.difference, $0) }.sorted {
      $0.0?.rank ?? 0 < $1.0?.rank ?? 0
    }
    return sorted.flatMap { difference, group in
      [group.line, "  next: \(difference?.next ?? "")"] + alternatives(group.results)
    }
  }

  /// The values of assumptions with which the answers would be as predicted.
  private func alternatives(_ results: [SmokeResult]) -> [String] {
    let values = results.flatMap { result in
      (result.dependence?.cases ?? []).filter { result.fits($0.prediction) == true }.flatMap(\.values)
    }
    let found = Set(values.filter { base.value(of: $0.key) != $0.value }.map { "\($0.key)=\($0.value)" })
    guard !found.isEmpty else { return [] }
    return [
      "  or AWS behaves so (--assume): \(found.sorted().joined(separator: ", ")); a --token that is allowed would tell"
    ]
  }

  private var unaskedLines: [String] {
    let groups = groups { result in
      switch result.verdict {
      case .failed(let reason): "no answer, \(reason.words)"
      case .notSent(let why): "not sent, \(why)"
      case .same, .differs: result.isSlow ? "slow, \(SmokeLimit.slowMilliseconds / 1000) s or more" : nil
      }
    }
    let tries = keepers.map { name, isTried in
      isTried
        ? "tried: \(name): answers that are kept longer than \(wait) s would show"
        : "not tried, the TTL: \(name): give a fresh --token that expires, with the leeway, in \(wait) s, after the first requests"
    }
    let roles = worthlessRoles.map {
      "not tried, the role \($0): its token is a 401 on every route here too: expired, or of another issuer?"
    }
    return groups.map(\.line) + roles + tries
      + skipped.map { "skipped, \($0.why): \($0.api) \($0.route)" }
  }

  /// The roles whose token is a 401 on every route here: that the API refuses it too says nothing about them.
  private var worthlessRoles: [String] {
    var roles: [String: Set<Int>] = [:]
    for result in results where result.request.after == 0 {
      guard case .role(let role) = result.request.credential else { continue }
      let status = if case .answer(let own) = result.stable.prediction { own.status } else { 0 }
      roles[role, default: []].insert(status)
    }
    return roles.filter { $0.value == [401] }.keys.sorted()
  }

  private var assumptionLines: [String] {
    let lines = settled.sorted { $0.key < $1.key }.map { name, value in
      "settled: \(name)=\(value)"
        + (base.value(of: name) == value
          ? ", as serve assumes" : "; use it with serve --assume \(ShellWord.assignment(name, value))")
    }
    let unsettled = Assumptions.choices.count - settled.count
    let names = open.isEmpty ? "" : ", of which these answers depend on \(open.joined(separator: ", "))"
    return lines + ["not settled: \(unsettled) assumptions about AWS\(names)"]
  }
}

extension SmokeReport {
  /// `{"same":…,"different":…,"results":[…],"skipped":[…],"settled":{…},"open":[…],"untried":[…]}`.
  package var json: [UInt8] {
    let skips = skipped.map {
      JSONTree.members(["api": .string($0.api), "route": .string($0.route), "why": .string($0.why)])
    }
    let values = settled.sorted { $0.key < $1.key }.map {
      JSONTree.Member(name: $0.key, value: .string($0.value))
    }
    return JSONTree.members([
      "same": .integer(Int64(same)), "different": .integer(Int64(differences)),
      "results": .array(results.map(Self.tree)), "skipped": .array(skips), "settled": .object(values),
      "open": .array(open.map { .string($0) }), "untried": .array(worthlessRoles.map { .string($0) }),
    ]).bytes()
  }

  /// A test for each request, as `test --junit` writes them.
  package var junit: String {
    ContractReport(
      results.map { result in
        ContractReport.Entry(
          name: "\(result.request.target.api.name) \(result.request.title)", eventKind: nil, outcome: nil,
          reason: nil, microseconds: nil, mismatches: result.mismatch.map { [$0] } ?? [])
      }
    ).junit
  }

  private static func tree(_ result: SmokeResult) -> JSONTree {
    let isDoubtful = if case .differs(_, isCertain: false) = result.verdict { true } else { false }
    return .members([
      "api": .string(result.request.target.api.name), "route": .string(result.request.route.key),
      "method": .string(result.request.method), "credential": .string(result.request.credential.words),
      "after": result.request.after == 0 ? nil : .integer(Int64(result.request.after)),
      "predicted": .string(result.stable.prediction.words),
      "status": result.status.map { .integer(Int64($0)) },
      "verdict": .string(isDoubtful ? "mayDiffer" : result.verdict.code),
      "difference": result.verdict.difference.map { .string($0.code) },
      "why": result.verdict.why.map { .string($0) },
    ])
  }
}

extension SmokeResult {
  /// Whether it got no answer, or was not sent to a route with a guard.
  fileprivate var isOpen: Bool {
    switch verdict {
    case .failed: true
    case .notSent: request.route.access.isGuarded
    case .same, .differs: false
    }
  }

  /// What fails in the test of this request; `nil` for nothing.
  fileprivate var mismatch: Mismatch? {
    guard isOpen || verdict.difference != nil else { return nil }
    return verdict.why.map { why in
      Mismatch(
        subject: verdict.difference?.code ?? "failed", expected: stable.prediction.words,
        found: status.map(String.init) ?? "no answer", note: why)
    }
  }
}

extension Difference {
  /// What differs, without the API and the requests.
  package var sentence: String {
    switch self {
    case .letsIn(let status): "the backend answers what serve refuses with \(status)"
    case .kept:
      "API Gateway still answers as before the wait, and serve does not: a longer TTL, or an expired token is accepted"
    case .refuses(let status): "API Gateway refuses with \(status) what serve lets through"
    case .authorizerFails(let predicted): "the authorizer fails (500), and serve predicts \(predicted)"
    case .unknownRoute: "API Gateway knows no such route"
    case .cached: "a cache in front of the authorizer answers"
    case .redirects(let status): "a redirect (\(status)) answers, which is not followed"
    case .status(let status, let predicted): "the answer is a \(status), and serve predicts \(predicted)"
    case .header(let name): "the status is as predicted, but not the header \(name)"
    case .body: "the status is as predicted, but not the body"
    case .throttled: "the answer is a 429, so that nothing is compared"
    }
  }

  /// A stable name: that of the case.
  package var code: String { String("\(self)".prefix { $0 != "(" }) }
  /// The worst has the lowest.
  var rank: Int { Self.steps.firstIndex { $0.code == code } ?? 0 }
  var next: String { Self.steps.first { $0.code == code }?.next ?? "" }

  /// What to do next, the worst first.
  private static let steps: [(code: String, next: String)] = [
    ("letsIn", "compare the authorizer (for a 403 its configuration) on AWS with the template; deploy again"),
    ("kept", "compare AuthorizerResultTtlInSeconds (ReauthorizeEvery) on AWS with the template"),
    (
      "refuses", "read the authorizer's log; compare its configuration with --config; check the path of --url"
    ),
    ("authorizerFails", "read the authorizer's log; check the permission to call it with doctor"),
    ("unknownRoute", "deploy the stage, and check the path of --url"),
    ("cached", "let the cache tell the values of Authorization apart, or switch it off"),
    ("redirects", "check the host and the scheme of --url"),
    ("status", "mend the others, check the path of --url; if this one stays, report it (docs/platforms.md)"),
    ("header", "compare the gateway responses and CORS of the deployed API with the template"),
    ("body", "compare the gateway responses of the deployed API with the template"),
    ("throttled", "ask again later, or with a lower --rate"),
  ]
}
