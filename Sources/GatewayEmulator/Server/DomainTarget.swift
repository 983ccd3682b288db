internal import GatewayModel

/// Where a request to a custom domain name goes.
enum DomainTarget {
  case api(GatewayResponder.Target)
  /// The domain or the mapping is not emulated.
  case closed(TemplateFinding)
  /// No mapping is for the path.
  case nothing
  /// The domain has mutual TLS, and the client sent no certificate.
  case noCertificate

  /// - Parameters:
  ///   - host: the host of the request.
  ///   - path: the path of the request, with the base path.
  ///   - client: the client of the connection.
  init(
    _ domain: GatewayDomain, host: String, path: String, in gateway: Gateway,
    client: ConnectionClient = .unasked
  ) {
    if let finding = domain.closure {
      self = .closed(finding)
      return
    }
    var certificate: CallerCertificate?
    if let finding = domain.certificateFinding {
      switch client {
      case .unasked:
        self = .closed(finding)
        return
      case .asked(nil):
        self = .noCertificate
        return
      case .asked(let sent?): certificate = CallerCertificate(sent, gateway.settings)
      }
    }
    guard let (mapping, rest) = domain.mapping(of: path) else {
      self = .nothing
      return
    }
    let readings = PathReadings.others(than: path)
    if readings?.allSatisfy({ domain.mapping(of: $0)?.mapping.basePath == mapping.basePath }) != true {
      self = .closed(
        TemplateFinding(
          path: domain.name, problem: "may give this path to another mapping, depending on how it is read",
          cure: "test the path on AWS"))
      return
    }
    let use = GatewayDomain.Use(name: LoopbackHost.name(of: host) ?? domain.name, path: path)
    switch mapping.target {
    case .closed(let finding): self = .closed(finding)
    case .api(let name):
      // The next part of the path names the stage; another one is refused behind it.
      let target = gateway.api(rest) { $0 == name }.map {
        GatewayResponder.Target(api: $0, path: rest, domain: use, certificate: certificate)
      }
      self = target.map { .api($0) } ?? .nothing
    case .stage(let name, let stage):
      let target = gateway.apis.first { $0.name == name && $0.stage.name == stage }.map { api in
        GatewayResponder.Target(
          api: api, path: api.stage.isInPath ? "/" + stage + rest : rest, domain: use,
          certificate: certificate)
      }
      self = target.map { .api($0) } ?? .nothing
    }
  }

  /// The lines of the index, one for each mapping.
  static func index(_ gateway: Gateway) -> String {
    gateway.domains.flatMap { domain in
      let host = "  Host: \(domain.name)\(domain.certificateFinding == nil ? "" : " (mutual TLS)")"
      if domain.closure != nil { return ["\(host)  closed\n"] }
      return domain.mappings.map { mapping in
        switch mapping.target {
        case .stage(let api, let stage): "\(host), /\(mapping.basePath)  \(api), stage \(stage)\n"
        case .api(let api): "\(host), /\(mapping.basePath)  \(api), with the stage in the path\n"
        case .closed: "\(host), /\(mapping.basePath)  closed\n"
        }
      }
    }.joined()
  }
}
