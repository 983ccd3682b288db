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
    /// Code that a tool has built for the template, and why it is not used, in lower case.
    case refused(String)
  }

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

  package init() {}

  /// The places of its code and layers on this machine.
  package var localPlaces: [String] {
    var places = layers.compactMap { if case .local(let path) = $0 { path } else { nil } }
    if case .local(let path) = place { places.append(path) }
    return places
  }

  package static let memoryLimits = 128...10_240
}
