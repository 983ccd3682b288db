package import LambdaEmulator
internal import JSON

/// The expected result of an event: the `X.expected.json` beside an `X.json`.
///
/// ```json
/// { "outcome": "unauthorized", "reason": "expired", "error": { "errorMessage": "Unauthorized" } }
/// ```
package struct ContractFile: Equatable, Sendable {
  /// `outcome`: `allowed`, `forbidden`, `unauthorized` or `failure`.
  package let outcome: Outcome
  /// `reason`: the reason code of the function's decision line; ignored if the function wrote none.
  package let reason: String?
  /// `response`: the answer as JSON: members in any order, everything else exact except for matchers.
  package let response: ExpectedValue?
  /// `error`: the members of the error document to compare.
  package let error: [Member]

  /// One member of the error document.
  package struct Member: Equatable, Sendable {
    /// `errorMessage` or `errorType`.
    package let name: String
    package let value: ExpectedValue
  }

  /// Reads an expectation.
  ///
  /// - Throws: `ContractError`; an unknown member is refused, because it would never be checked.
  package init(parsing bytes: [UInt8]) throws(ContractError) {
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONDocument(parsing: bytes, limits: .event).root
    } catch {
      throw .notJSON(error.description(in: bytes))
    }
    guard root.kind == .object else { throw .wrongType("the expectation", "an object") }
    try Self.refuseUnknown(in: root, under: "", known: ["outcome", "reason", "response", "error"])
    guard let outcome = root["outcome"] else { throw .missing("outcome") }
    guard let known = outcome.text.flatMap(Outcome.init(rawValue:)) else {
      throw .wrongType("outcome", "one of \(Outcome.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self.outcome = known
    reason = try root["reason"].map { value throws(ContractError) in
      guard let text = value.text, !text.isEmpty else { throw .wrongType("reason", "a reason code") }
      return text
    }
    response = try root["response"].map { value throws(ContractError) in
      try ExpectedValue(JSONTree(value), at: "response")
    }
    error = try Self.errorMembers(root["error"])
    if response != nil, !error.isEmpty { throw .both("response", "error") }
  }

  private static func errorMembers(_ value: JSONValue?) throws(ContractError) -> [Member] {
    guard let value else { return [] }
    guard value.kind == .object else { throw .wrongType("error", "an object") }
    try refuseUnknown(in: value, under: "error.", known: ["errorMessage", "errorType"])
    var members: [Member] = []
    for (name, value) in value.members {
      let name = name.text ?? ""
      let expected = try ExpectedValue(JSONTree(value), at: "error.\(name)")
      if !expected.hasMatchers, value.kind != .string { throw .wrongType("error.\(name)", "a string") }
      members.append(Member(name: name, value: expected))
    }
    guard !members.isEmpty else { throw .missing("error.errorMessage") }
    return members
  }

  private static func refuseUnknown(
    in object: JSONValue, under path: String, known: [String]
  ) throws(ContractError) {
    for (name, _) in object.members {
      let name = name.text ?? ""
      if !known.contains(name) { throw .unknownMember(path + name, known: known) }
    }
  }

  /// Returns the differences between the expectation and the result; empty if the test passed.
  package func mismatches(evaluation: Evaluation, result: InvocationResult) -> [Mismatch] {
    var mismatches: [Mismatch] = []
    if evaluation.outcome != outcome {
      mismatches.append(
        Mismatch(
          subject: "outcome", expected: outcome.rawValue,
          found: evaluation.outcome.rawValue, note: evaluation.explanation))
    }
    if let reason, let decision = result.decision, decision.reason != reason {
      mismatches.append(
        Mismatch(subject: "reason", expected: reason, found: decision.reason ?? "none", note: nil))
    }
    if let response { mismatches += Self.compare(response, with: result.answer) }
    mismatches += compareError(with: result.answer)
    return mismatches
  }

  private static func compare(_ response: ExpectedValue, with answer: InvocationAnswer) -> [Mismatch] {
    guard case .response(let bytes) = answer else {
      return [Mismatch(subject: "response", expected: "a response", found: "no response", note: nil)]
    }
    guard let found = try? JSONTree(parsing: bytes) else {
      let text = String(decoding: bytes.prefix(2000), as: UTF8.self)
      return [
        Mismatch(subject: "response", expected: Self.text(response.tree), found: text, note: "not JSON")
      ]
    }
    if response.isMet(by: found) { return [] }
    // Matchers that match are replaced by the found values, so the difference shows only what is wrong.
    let expected = Self.text(response.resolved(against: found) ?? response.tree)
    return [Mismatch(subject: "response", expected: expected, found: Self.text(found), note: nil)]
  }

  private func compareError(with answer: InvocationAnswer) -> [Mismatch] {
    let report: FunctionErrorReport? =
      switch answer {
      case .error(let report), .initializationFailed(.reported(let report)): report
      case .response, .died, .timedOut, .initializationFailed: nil
      }
    let document = report.flatMap { try? JSONTree(parsing: $0.document) }
    return error.compactMap { member in
      let found = document?[member.name]
      if report != nil, member.value.isMet(by: found) { return nil }
      let what = report == nil ? "no error document" : found.map(Self.words) ?? "no \(member.name)"
      return Mismatch(
        subject: "error.\(member.name)", expected: Self.words(member.value.tree), found: what, note: nil)
    }
  }

  /// Returns a string unchanged, and any other value as JSON.
  private static func words(_ tree: JSONTree) -> String {
    if case .string(let text) = tree { return text }
    return String(decoding: tree.bytes(), as: UTF8.self)
  }

  /// Returns JSON with members sorted by name, so that another order is not shown as a difference.
  private static func text(_ tree: JSONTree) -> String {
    String(decoding: sorted(tree).bytes(indentedBy: 2), as: UTF8.self)
  }

  private static func sorted(_ tree: JSONTree) -> JSONTree {
    switch tree {
    case .object(let members):
      .object(
        members.map { .init(name: $0.name, value: sorted($0.value)) }.sorted { $0.name < $1.name })
    case .array(let elements): .array(elements.map(sorted))
    case .string, .number, .boolean, .null: tree
    }
  }
}

/// One difference between the expectation and the result.
package struct Mismatch: Equatable, Sendable {
  /// The compared part: `outcome`, `reason`, `response`, `error.errorMessage`…
  package let subject: String
  /// The expected value; several lines for JSON.
  package let expected: String
  package let found: String
  package let note: String?

  package init(subject: String, expected: String, found: String, note: String?) {
    self.subject = subject
    self.expected = expected
    self.found = found
    self.note = note
  }
}

/// Why an expectation cannot be read.
package enum ContractError: Error, Equatable, Sendable {
  /// The file is not JSON, for this reason.
  case notJSON(String)
  /// A required member is missing.
  case missing(String)
  /// A member has a wrong type or value: its path, and what is expected.
  case wrongType(String, String)
  /// An unknown member, which would never be checked.
  case unknownMember(String, known: [String])
  /// Both members are present, but a function answers with one of them.
  case both(String, String)

  /// The message for the user, in lower case.
  package var description: String {
    switch self {
    case .notJSON(let reason): "not JSON: \(reason)"
    case .missing(let name): "\(name) is missing"
    case .wrongType(let name, let expected): "\(name) must be \(expected)"
    case .unknownMember(let name, let known):
      "unknown member \(name); known are \(known.joined(separator: ", "))"
    case .both(let one, let other): "\(one) and \(other) exclude each other"
    }
  }
}
