/// An API that is not served, because something that decides about all of its requests is not emulated.
package struct ClosedAPI: Equatable, Sendable {
  /// The name in the template.
  package let name: String
  /// Why, at least one.
  package let findings: [Diagnostic]

  package init(name: String, findings: [Diagnostic]) {
    self.name = name
    self.findings = findings
  }
}

extension GatewayAPI {
  /// Why routes of this API are closed, and why integrations are not available.
  package var closures: [Diagnostic] {
    routes.flatMap { route -> [Diagnostic] in
      if case .closed(let findings) = route.access { return findings }
      if case .unavailable(let finding) = route.integration { return [finding] }
      return []
    }
  }

  /// Whether no route can be called.
  package var isClosed: Bool { routes.allSatisfy { if case .closed = $0.access { true } else { false } } }
}
