internal import Text

/// A custom domain name and the APIs behind its base paths.
package struct GatewayDomain: Equatable, Sendable {
  /// The name in lower case; `*.example.com` stands for every name with one more label.
  package let name: String
  /// The base paths, each once.
  package let mappings: [Mapping]
  /// Why no request to it is answered; `nil` if nothing is wrong.
  package let closure: Diagnostic?
  /// Why no request is answered where the server asks for no client certificates; `nil` for a domain that needs none.
  package var certificateFinding: Diagnostic?

  package init(
    name: String, mappings: [Mapping], closure: Diagnostic?, certificateFinding: Diagnostic? = nil
  ) {
    self.name = name
    self.mappings = mappings
    self.closure = closure
    self.certificateFinding = certificateFinding
  }

  /// One base path.
  package struct Mapping: Equatable, Sendable {
    /// The base path without slashes around it, such as `orders/v1`; empty for requests that no other one takes.
    package let basePath: String
    /// What gets the requests.
    package let target: Target

    package init(basePath: String, target: Target) {
      self.basePath = basePath
      self.target = target
    }
  }

  /// What gets the requests to a base path.
  package enum Target: Equatable, Sendable {
    /// A stage of an API, whose name is not in the path.
    case stage(api: String, stage: String)
    /// An API; the next part of the path is the stage.
    case api(String)
    /// Nothing here.
    case closed(Diagnostic)
  }

  /// How a request came to its API by a custom domain.
  package struct Use: Equatable, Sendable {
    /// The name that the client wrote.
    package let name: String
    /// The path that the client wrote, with the base path. Events have it instead of the path behind the stage
    /// (measured on AWS for REST APIs: localstack/localstack pull request 12296).
    package let path: String

    package init(name: String, path: String) {
      self.name = name
      self.path = path
    }
  }

  /// Whether the domain answers for the host of a request, in lower case and without a port.
  package func answers(_ host: String) -> Bool {
    guard name.hasBytePrefix("*.") else { return name.hasSameBytes(as: host) }
    let label = host.head(before: ".")
    return !label.isEmpty && host[label.endIndex...].hasSameBytes(as: name.dropFirst(bytes: 1))
  }

  /// Returns the mapping with the longest base path that a path begins with, and the rest of the path ("Use API mappings
  /// to connect API stages to a custom domain name": whole parts of the path count, and the empty one takes the others).
  package func mapping(of path: String) -> (mapping: Mapping, rest: String)? {
    let fitting = mappings.filter { mapping in
      guard !mapping.basePath.isEmpty else { return true }
      let base = "/" + mapping.basePath
      return path.hasSameBytes(as: base) || path.hasBytePrefix(base + "/")
    }
    guard let mapping = fitting.max(by: { $0.basePath.utf8.count < $1.basePath.utf8.count }) else {
      return nil
    }
    let rest = mapping.basePath.isEmpty ? path[...] : path.dropFirst(bytes: 1 + mapping.basePath.utf8.count)
    return (mapping, rest.isEmpty ? "/" : String(rest))
  }
}

extension [GatewayDomain] {
  /// Returns the domain of a host; a whole name precedes one with `*`.
  package func answering(_ host: String) -> GatewayDomain? {
    first { $0.name.hasSameBytes(as: host) } ?? first { $0.answers(host) }
  }
}
