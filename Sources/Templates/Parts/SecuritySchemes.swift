internal import Text

/// The security schemes of an API, by the exact names that operations ask for.
///
/// API Gateway ignores a name without a scheme, so that it guards nothing (serverless-application-model#211, #248).
package struct SecuritySchemes {
  /// Those with an authorizer or a signature.
  var authorizers: Set<ByteString> = []
  /// Those that ask for an API key.
  var keys: Set<ByteString> = []
  /// The names that SAM takes for an authorizer without looking for a scheme.
  var assumed: Set<ByteString> = []
  /// Whether SAM has replaced the schemes of the document by its own.
  private(set) var areReplaced = false
  /// The schemes of the document that are none for API Gateway.
  private var lost: [ByteString: Loss] = [:]

  /// What a name asks for.
  enum Meaning {
    case authorizer, apiKey
    /// SAM's word for no authorizer, in a document that does not use it for a scheme.
    case none
    /// Nothing.
    case ignored
  }

  /// Why a scheme of the document is none, and what to do.
  private struct Loss {
    let problem: String
    let cure: String

    static let key = Loss(problem: "HTTP APIs have no API keys", cure: "use an authorizer, or a REST API")
    static let replaced = Loss(
      problem: "SAM replaces the security schemes of OpenAPI 3", cure: "write the authorizer under Auth")
  }

  init() {}

  /// The schemes of a document. An HTTP API has no API keys.
  init(_ document: OpenAPIDocument?, isREST: Bool) {
    guard let document else { return }
    authorizers = Set(document.authorizers.keys.map(ByteString.init))
    keys = Set(document.keySchemes.map(ByteString.init))
    guard !isREST else { return }
    for key in keys { lost[key] = .key }
    keys = []
  }

  /// Removes the schemes of the document, which SAM replaces by its own.
  mutating func replaceAll() {
    for name in authorizers.union(keys) { lost[name] = .replaced }
    (authorizers, keys, areReplaced) = ([], [], true)
  }

  func meaning(of name: String) -> Meaning {
    let name = ByteString(name)
    if authorizers.contains(name) || assumed.contains(name) { return .authorizer }
    if keys.contains(name) { return .apiKey }
    return name.text.hasSameBytes(as: "NONE") ? .none : .ignored
  }

  /// Whether API Gateway ignores the scheme of this name.
  func isLost(_ name: String) -> Bool { lost[ByteString(name)] != nil }

  /// Whether there is a scheme with an authorizer of this name.
  func hasAuthorizer(_ name: String) -> Bool { authorizers.contains(ByteString(name)) }

  /// Whether there is a scheme with this name that asks for an API key.
  func hasKey(_ name: String) -> Bool { keys.contains(ByteString(name)) }

  /// Returns why a name is ignored, and what to do.
  func reason(_ name: String) -> (problem: String, cure: String) {
    if let loss = lost[ByteString(name)] { return (loss.problem, loss.cure) }
    let names = authorizers.union(keys).map(\.text)
    let meant = NearestName.of(name, among: names)
    return (
      "no security scheme has this name",
      meant.map { "did you mean \($0)?" } ?? "define it as a security scheme of the document"
    )
  }
}
