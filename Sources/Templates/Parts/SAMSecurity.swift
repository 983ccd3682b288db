internal import GatewayModel
internal import Text

/// The security schemes that SAM adds to the document of a REST API (`SwaggerEditor` of SAM's translator 1.110.0).
///
/// SAM defines its authorizers, the API key, and `AWS_IAM` only where it meets them in its own way, so what an event or an
/// operation asks for may be no scheme in the end.
struct SAMSecurity {
  /// The names of `Authorizers`.
  let authorizers: Set<ByteString>
  let defaultName: String?
  let guardsPreflight: Bool
  /// `ApiKeyRequired` of the API.
  let needsAPIKey: Bool
  /// `MergeDefinitions`: what an event needs is defined in another document than the merged one.
  let merges: Bool

  /// SAM's name for a signature.
  static let signature = "AWS_IAM"
  /// SAM's name for an API key.
  static let apiKey = "api_key"

  /// Returns the schemes of the document together with SAM's.
  func schemes(of document: OpenAPIDocument, _ events: [FunctionEvent]) -> SecuritySchemes {
    var schemes = SecuritySchemes(document, isREST: true)
    let overriding = merges ? [] : events.filter(\.route.auth.overrides)
    let addsKey = needsAPIKey || overriding.contains { $0.route.auth.needsAPIKey == true }
    let addsSignature = addsSignature(document, events)
    if document.losesSchemes, addsKey || addsSignature || !authorizers.isEmpty { schemes.replaceAll() }
    schemes.authorizers.formUnion(authorizers)
    schemes.assumed = [ByteString(Self.signature)]
    if addsSignature { schemes.authorizers.insert(ByteString(Self.signature)) }
    // A scheme of this name stays as the document has it.
    if addsKey, !schemes.hasAuthorizer(Self.apiKey) { schemes.keys.insert(ByteString(Self.apiKey)) }
    return schemes
  }

  /// The names that an operation asks for, entry by entry.
  private struct Demand {
    let match: GatewayRoute.Match
    var entries: [Set<ByteString>]
  }

  /// Whether SAM defines `AWS_IAM`: as the default, and where the first entry of an operation names it when SAM writes
  /// the authorizer of an overriding event or the default.
  private func addsSignature(_ document: OpenAPIDocument, _ events: [FunctionEvent]) -> Bool {
    if defaultName == Self.signature { return true }
    var demands = document.operations.map { operation in
      Demand(
        match: operation.match,
        entries: operation.auth.requirements.map { Set($0.map { ByteString($0.name) }) })
    }
    for event in events.map(\.route) where merges || event.auth.overrides {
      let place = demands.firstIndex { $0.match.hasSameRequests(as: event.match) }
      let own = Self.entries(of: event.auth)
      switch (place, merges) {
      case (let place?, true): if !own.isEmpty { demands[place].entries = own }
      case (nil, true): demands.append(Demand(match: event.match, entries: own))
      case (let place?, false):
        demands[place].entries += own
        if event.auth.choice != .inherited,
          demands[place].entries.first?.contains(ByteString(Self.signature)) == true
        {
          return true
        }
      case (nil, false): break
      }
    }
    return defaultName != nil && demands.contains { isFirst(in: $0) }
  }

  private static func entries(of auth: SAMRoute.Auth) -> [Set<ByteString>] {
    let authorizer: String? =
      switch auth.choice {
      case .inherited: nil
      case .none: "NONE"
      case .named(let name): name
      }
    let key = auth.needsAPIKey.map { $0 ? apiKey : "api_key_false" }
    return [authorizer, key].compactMap { name in name.map { [ByteString($0)] } }
  }

  /// Whether `AWS_IAM` is first when SAM applies the default: entries without an authorizer come before it.
  private func isFirst(in demand: Demand) -> Bool {
    if case .path(method: "OPTIONS", _) = demand.match, !guardsPreflight { return false }
    let signature = ByteString(Self.signature)
    let known = authorizers.union([signature])
    return demand.entries.first?.contains(signature) == true
      && demand.entries.allSatisfy { !$0.isDisjoint(with: known) }
  }
}
