internal import Text
internal import GatewayModel

/// A reader for `CorsConfiguration`.
struct CrossOriginReader {
  let report: Diagnostics

  /// The values of `MaxAge` (API Gateway Version 2 API Reference, "Cors"); -1 disables the cache of browsers.
  private static let maximumAgeSeconds = -1...86_400

  /// Reads `x-amazon-apigateway-cors`.
  func openAPI(_ value: TemplateValue, at path: String) -> CrossOriginPolicy? {
    guard value.members != nil else {
      report.refuse(
        value, path, "must be a map, found \(value.kindName)", cure: "write allowOrigins: [ORIGIN]")
      return nil
    }
    return policy(
      value.renamed([
        "allowOrigins": "AllowOrigins", "allowMethods": "AllowMethods", "allowHeaders": "AllowHeaders",
        "exposeHeaders": "ExposeHeaders", "maxAge": "MaxAge", "allowCredentials": "AllowCredentials",
      ]), at: path)
  }

  /// Reads `CorsConfiguration`.
  ///
  /// - Parameter allowsCredentials: what SAM makes of `AllowCredentials`; `nil` for the property itself.
  func read(_ properties: inout PropertyReader, allowsCredentials: Bool? = nil) -> CrossOriginPolicy? {
    guard let value = properties.take("CorsConfiguration") else { return nil }
    if value.text == "true" {
      var policy = CrossOriginPolicy()
      policy.origins = ["*"]
      return policy
    }
    if value.text == "false" { return nil }
    return policy(value, at: properties.path(of: "CorsConfiguration"), allowsCredentials)
  }

  private func policy(
    _ value: TemplateValue, at path: String, _ allowsCredentials: Bool? = nil
  ) -> CrossOriginPolicy? {
    guard var cors = PropertyReader(value, at: path, report) else { return nil }
    if let allowsCredentials { cors.readCredentials(ofSAM: allowsCredentials) }
    var policy = CrossOriginPolicy()
    policy.origins = cors.texts("AllowOrigins") ?? []
    policy.methods = cors.texts("AllowMethods") ?? []
    policy.headers = cors.texts("AllowHeaders") ?? []
    policy.exposedHeaders = cors.texts("ExposeHeaders") ?? []
    policy.maximumAgeSeconds = cors.integer("MaxAge", in: Self.maximumAgeSeconds)
    policy.allowsCredentials = allowsCredentials ?? cors.boolean("AllowCredentials") ?? false
    cors.finish()
    if policy.allowsCredentials, policy.origins.containsText("*") {
      report.refuse(
        value.line, cors.path, "allows credentials for every origin, which browsers refuse",
        cure: "list the origins, or remove AllowCredentials")
    }
    return policy
  }
}

extension PropertyReader {
  /// Skips `AllowCredentials`, with a warning if SAM takes for false what does not mean it.
  ///
  /// - Parameter allows: whether it is the literal `true`.
  mutating func readCredentials(ofSAM allows: Bool) {
    let name = "AllowCredentials"
    let line = line(of: name)
    guard let value = take(name), !allows else { return }
    if ["false", "no", "off"].contains(value.text?.lowercased()) { return }
    report.warn(
      line, path(of: name), "is false for SAM, which accepts only the literal true",
      cure: "write \(name): true")
  }
}
