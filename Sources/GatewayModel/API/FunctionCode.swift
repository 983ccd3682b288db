/// The code of a template's function, and what Lambda would give it to run.
package struct FunctionCode: Equatable, Sendable {
  /// Where the code is.
  package enum Place: Equatable, Sendable {
    /// A folder or an archive, relative to the template.
    case local(String)
    /// The text of the one file of the function (`InlineCode`, `ZipFile`).
    case inline(String)
    /// A container image.
    case image
    /// A place that is not on this machine, such as a bucket, as text for messages.
    case elsewhere(String)
  }

  /// A layer of a function.
  package enum Layer: Hashable, Sendable {
    /// A folder relative to the template, with the contents of `/opt`.
    case local(String)
    /// A layer that is not on this machine, as text for messages.
    case elsewhere(String)
  }

  /// Where the code is; the folder of the template if nothing says so, as for the SAM CLI.
  package var place = Place.local(".")
  /// `Layers`, in order.
  package var layers: [Layer] = []
  /// `MemorySize` in MB (AWS Lambda quotas: 128 to 10,240); the default is 128.
  package var memoryMegabytes = 128
  /// `LoggingConfig.LogFormat` is `JSON`; the default is text.
  package var logsJSON = false

  /// The places of its code and layers on this machine.
  package var localPlaces: [String] {
    var places = layers.compactMap { if case .local(let path) = $0 { path } else { nil } }
    if case .local(let path) = place { places.append(path) }
    return places
  }

  static let memoryLimits = 128...10_240
}

extension FunctionCode {
  /// Takes these properties of a function. What is wrong with them changes no request that reaches no function, so it
  /// is not reported here: the function then cannot run.
  ///
  /// - Parameter contents: the location of each layer of the template, by the name of its resource.
  init(taking properties: inout PropertyReader, layers contents: [String: String]) {
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
