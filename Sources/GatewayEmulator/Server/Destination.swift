internal import GatewayModel
internal import LambdaEmulator
internal import Text

/// The part of the gateway that answers a request.
enum Destination {
  case invokeAPI
  /// The console's own name, which no API has.
  case console
  /// The console's paths under `/dev`, the controls of the gateway and the development issuer.
  case development
  case api(Target)
  /// The API, the domain or the mapping is not emulated.
  case closed(Diagnostic)
  /// No mapping of the custom domain is for the path.
  case noMapping(GatewayDomain)
  /// The custom domain has mutual TLS, and the client sent no certificate.
  case noCertificate(GatewayDomain)
  /// No API has the address: `/` and `/dev` list the addresses.
  case index
  /// The host may be the name of a page of another site.
  case refused

  /// An API, and the path behind its address.
  struct Target {
    let api: GatewayAPI
    let path: String
    var domain: GatewayDomain.Use?
    /// The client certificate, where the domain has mutual TLS.
    var certificate: CallerCertificate?
  }
}

extension GatewayResponder {
  /// Returns the destination of a host and a path.
  ///
  /// The host must be a loopback name or a custom domain of the template: a web page can let its own name resolve to
  /// 127.0.0.1 (DNS rebinding). All paths of a host that names an API are the API's, also those of a stage `dev`.
  ///
  /// - Parameter isHandshake: whether a WebSocket is requested, which only APIs have.
  func destination(host: String, path: String, isHandshake: Bool = false) -> Destination {
    let gateway = service.gateway
    let name = LoopbackHost.name(of: host)
    let isLoopback = LoopbackHost.isLoopback(host)
    // Even where an API has the name `Console`.
    let isConsole = console != nil && ConsoleHost.isHost(host)
    func isHost(of api: String) -> Bool { name == api.lowercased() + ".localhost" }
    let hostAPI = isConsole ? nil : gateway.api(path, where: isHost)
    let hasOwnPaths = isLoopback && hostAPI == nil && !isHandshake

    if hasOwnPaths, !isConsole, invocations != nil, path.hasBytePrefix(InvokeAPI.path) { return .invokeAPI }
    if let domain = name.flatMap({ gateway.domains.answering($0) }) {
      return destination(domain, host: host, path: path)
    }
    guard isLoopback else { return .refused }
    if isConsole { return .console }
    if hasOwnPaths, DevelopmentEndpoint.has(path) { return .development }
    let first = path.dropFirst(bytes: 1).head(before: "/")
    let closed =
      isHandshake ? nil : gateway.closedAPIs.first { $0.name.hasSameBytes(as: first) || isHost(of: $0.name) }
    if let finding = closed?.findings.first { return .closed(finding) }
    if let hostAPI { return .api(Destination.Target(api: hostAPI, path: path)) }
    let rest = path.dropFirst(bytes: 1 + first.utf8.count)
    let inner = rest.isEmpty ? "/" : String(rest)
    return gateway.api(inner) { $0.hasSameBytes(as: first) }
      .map { .api(Destination.Target(api: $0, path: inner)) } ?? .index
  }

  /// Returns the destination of a request to a custom domain, whose path has the base path.
  private func destination(_ domain: GatewayDomain, host: String, path: String) -> Destination {
    if let finding = domain.closure { return .closed(finding) }
    var certificate: CallerCertificate?
    if let finding = domain.certificateFinding {
      switch client {
      case .unasked: return .closed(finding)
      case .asked(nil): return .noCertificate(domain)
      case .asked(let sent?): certificate = CallerCertificate(sent, service.gateway.settings)
      }
    }
    guard let (mapping, rest) = domain.mapping(of: path) else { return .noMapping(domain) }
    let readings = PathInterpretations.others(than: path)
    if readings?.allSatisfy({ domain.mapping(of: $0)?.mapping.basePath == mapping.basePath }) != true {
      return .closed(
        Diagnostic(
          path: domain.name, problem: "may give this path to another mapping, depending on how it is read",
          cure: "test the path on AWS"))
    }
    let use = GatewayDomain.Use(name: LoopbackHost.name(of: host) ?? domain.name, path: path)
    func target(_ api: GatewayAPI?, _ path: (GatewayAPI) -> String) -> Destination {
      guard let api else { return .noMapping(domain) }
      return .api(Destination.Target(api: api, path: path(api), domain: use, certificate: certificate))
    }
    switch mapping.target {
    case .closed(let finding): return .closed(finding)
    // The next part of the path names the stage; another one is refused behind it.
    case .api(let name): return target(service.gateway.api(rest) { $0 == name }) { _ in rest }
    case .stage(let name, let stage):
      return target(service.gateway.apis.first { $0.name == name && $0.stage.name == stage }) {
        $0.stage.isInPath ? "/" + stage + rest : rest
      }
    }
  }
}
