internal import Text
internal import GatewayModel
internal import Templates
internal import Synchronization

/// The files that a template names, for `--watch`. Some may not exist yet.
struct WatchedTemplate {
  /// OpenAPI documents, included parts, and configurations of this project's functions.
  private(set) var files: [String] = []
  /// The folders and archives with the code of its functions and layers.
  private(set) var code: [String] = []

  /// - Parameter path: the path of the template.
  init(_ path: String, _ options: ServeOptions, on machine: Machine) {
    guard let bytes = try? machine.files.bytes(at: path, limit: TemplateFiles.maximumBytes) else { return }
    let read = ReadFiles()
    let folder = machine.files.directory(of: path)
    // A template that is refused has read the files too, and its mistake may be in one of them.
    let template = try? GatewayTemplate(
      parsing: String(decoding: bytes, as: UTF8.self), parameters: options.values.parameters,
      region: options.values.region,
      files: .beside(path, includeRoot: options.values.includeRoot, on: machine) { read.add($0) })
    files = read.paths
    for function in template?.functions.values.sorted(by: { $0.name < $1.name }) ?? [] {
      for name in ShippedFunction.allCases.compactMap({ function.variables[$0.variable] })
      where !name.containsBytes(of: "{") {
        let name = PackagedConfiguration.relative(name)
        files += [folder + "/" + name] + (function.code.map { ["\(folder)/\($0)/\(name)"] } ?? [])
      }
      code += function.package.localPlaces.map { $0.hasBytePrefix("/") ? $0 : folder + "/" + $0 }
    }
  }

  /// The paths of files that were read.
  private final class ReadFiles: Sendable {
    private let all = Mutex<Set<String>>([])
    var paths: [String] { all.withLock { $0.sorted() } }
    func add(_ path: String) { all.withLock { _ = $0.insert(path) } }
  }
}
