internal import Text
internal import GatewayModel

extension FunctionCode {
  /// Takes these properties of a function. What is wrong with them changes no request that reaches no function, so it
  /// is not reported here: the function then cannot run.
  ///
  /// - Parameter contents: the location of each layer of the template, by the name of its resource.
  init(taking properties: inout PropertyReader, layers contents: [String: String]) {
    self.init()
    let uri = properties.take("CodeUri")
    let inline = properties.take("InlineCode")
    let code = properties.take("Code")
    let image = properties.take("ImageUri")
    let package = properties.take("PackageType")?.text
    if image != nil || package == "Image" || code?["ImageUri"] != nil {
      place = .image
    } else if let text = inline?.text ?? code?["ZipFile"]?.text {
      place = .inline(text)
    } else if let given = uri ?? code {
      place = Self.place(of: given)
    }
    if let text = properties.take("MemorySize")?.text, let megabytes = Int(text),
      Self.memoryLimits.contains(megabytes)
    {
      memoryMegabytes = megabytes
    }
    logsJSON = properties.take("LoggingConfig")?["LogFormat"]?.text == "JSON"
    layers = (properties.take("Layers")?.list ?? []).map { layer in
      guard let text = layer.text else {
        return .elsewhere(layer.finding.map { "\($0.path): \($0.problem)" } ?? "a layer")
      }
      guard let location = contents[text] else { return .elsewhere(text) }
      return location.containsBytes(of: "://") ? .elsewhere(location) : .local(location)
    }
  }

  private static func place(of value: TemplateValue) -> Place {
    if let text = value.text { return text.containsBytes(of: "://") ? .elsewhere(text) : .local(text) }
    let bucket = value["Bucket"]?.text ?? value["S3Bucket"]?.text
    let key = value["Key"]?.text ?? value["S3Key"]?.text
    if let bucket, let key { return .elsewhere("s3://\(bucket)/\(key)") }
    return .elsewhere(value.finding.map { "\($0.path): \($0.problem)" } ?? "a bucket")
  }
}
