internal import Text
internal import GatewayModel

/// Parameter mappings.
extension IntegrationReader {
  func requestChanges(_ integration: inout PropertyReader) -> [HTTPIntegration.Change] {
    let path = integration.path(of: "requestParameters")
    return integration.textMap("requestParameters").compactMap { name, text, line in
      change(name, text, line: line, path: path)
    }
  }

  /// Reads what a REST API maps to the tenant of a function; it applies no other parameter mapping there. Those of HTTP
  /// APIs are refused.
  func tenant(_ integration: inout PropertyReader) -> ParameterValue? {
    let name = "requestParameters"
    guard isREST else {
      integration.refuse(
        name, "responseParameters", cure: "remove it in a local copy of the template, and test it on AWS")
      return nil
    }
    let path = integration.path(of: name)
    let tenants = (integration.take(name)?.members ?? []).filter {
      $0.name.lowercased() == "integration.request.header." + RESTFunction.tenantHeader
    }
    guard let mapping = tenants.first else { return nil }
    guard tenants.count == 1, let text = mapping.value.text else {
      report.refuse(mapping.value, path, "maps no single value to the tenant", cure: "write it once")
      return nil
    }
    return value(text, line: mapping.value.line, path: path)
  }

  /// Reads a parameter mapping of a request: `integration.request.header.X: context.authorizer.y` of REST APIs,
  /// `overwrite:header.X: $context.authorizer.y` of HTTP APIs.
  package func change(_ name: String, _ text: String, line: Int, path: String) -> HTTPIntegration.Change? {
    change(name, text, at: SourceLocation(line: line, path: path), of: "request", cure: mappingCure) {
      target, action in
      if let name = target.rest(after: "header.") { return .header(String(name)) }
      if let name = target.rest(after: "querystring.") { return .query(String(name)) }
      if isREST, let name = target.rest(after: "path.") { return .path(String(name)) }
      return target == "path" && !isREST && action == .overwrite ? .wholePath : nil
    }
  }

  /// - Parameter place: the changed part of a request or a response; `nil` for a target that is none.
  private func change(
    _ name: String, _ text: String, at location: SourceLocation, of message: String, cure: String,
    _ place: (_ target: String, HTTPIntegration.Change.Action) -> HTTPIntegration.Change.Place?
  ) -> HTTPIntegration.Change? {
    let (line, path) = (location.line, location.path)
    guard let (target, action) = action(of: name, line: line, path: path) else { return nil }
    guard let place = place(target, action) else {
      report.refuse(line, path, "is not a part of a \(message): \(target)", cure: cure)
      return nil
    }
    if action == .remove { return HTTPIntegration.Change(place: place, action: .remove, value: nil) }
    guard let value = value(text, line: line, path: path) else { return nil }
    return HTTPIntegration.Change(place: place, action: action, value: value)
  }

  /// Reads `responseParameters` of an HTTP API: by status, `append:header.X` or `overwrite:statuscode`.
  package func responseChanges(_ integration: inout PropertyReader) -> [Int: [HTTPIntegration.Change]] {
    var result: [Int: [HTTPIntegration.Change]] = [:]
    guard var list = integration.reader("responseParameters") else { return result }
    for member in list.takeAll() {
      let path = list.path(of: member.name)
      guard let status = Int(member.name), (100...599).contains(status),
        var changes = PropertyReader(member.value, at: path, report)
      else {
        report.refuse(member.value.line, path, "is not a status", cure: "write \"200\"")
        continue
      }
      for change in changes.takeAll() {
        guard let text = change.value.text else {
          report.refuse(change.value, path, "must be a string", cure: mappingCure)
          continue
        }
        if let read = responseChange(change.name, text, line: change.value.line, path: path) {
          result[status, default: []].append(read)
        }
      }
    }
    return result
  }

  private func responseChange(
    _ name: String, _ text: String, line: Int, path: String
  ) -> HTTPIntegration.Change? {
    let cure = "write append:, overwrite: or remove: with header.NAME, or overwrite:statuscode"
    return change(name, text, at: SourceLocation(line: line, path: path), of: "response", cure: cure) {
      target, action in
      if let name = target.rest(after: "header.") { return .header(String(name)) }
      return target == "statuscode" && action == .overwrite ? .status : nil
    }
  }

  /// Reads the value of a mapping. Static values of HTTP APIs have no apostrophes.
  package func value(_ text: String, line: Int, path: String) -> ParameterValue? {
    if let value = ParameterValue(text) ?? (isREST || text.containsBytes(of: "$") ? nil : .literal(text)) {
      return value
    }
    report.refuse(
      line, path, "is not a valid value: \(text)",
      cure: isREST
        ? "write 'TEXT', context.authorizer.NAME, method.request.header.NAME"
        : "write $context.authorizer.NAME or a static value")
    return nil
  }

  private func action(
    of name: String, line: Int, path: String
  ) -> (target: String, action: HTTPIntegration.Change.Action)? {
    let actions: [(String, HTTPIntegration.Change.Action)] =
      isREST
      ? [("integration.request.", .overwrite)]
      : [("append:", .append), ("overwrite:", .overwrite), ("remove:", .remove)]
    for (prefix, action) in actions {
      if let target = name.rest(after: prefix) { return (String(target), action) }
    }
    report.refuse(line, path, "is not a parameter mapping: \(name)", cure: mappingCure)
    return nil
  }

  private var mappingCure: String {
    isREST
      ? "write integration.request.header.NAME, .querystring.NAME or .path.NAME"
      : "write append:, overwrite: or remove: with header.NAME or querystring.NAME, or overwrite:path"
  }
}
