internal import GatewayModel
internal import Text

/// What a tool has built beside a template for its deployment: the assets of AWS CDK in `cdk.out`, and the archives of the
/// Serverless Framework in `.serverless`.
struct BuiltAssets {
  private let files: TemplateFiles
  private let assembly: CloudAssembly
  /// Whether the template has the bucket that the Serverless Framework adds.
  private let hasServerlessBucket: Bool

  init(_ files: TemplateFiles, hasServerlessBucket: Bool) {
    self.files = files
    assembly = CloudAssembly(files)
    self.hasServerlessBucket = hasServerlessBucket
  }

  /// An asset of CDK.
  enum Asset: Equatable {
    /// A file or a folder: the path as CDK writes it, and the absolute one.
    case here(written: String, path: String)
    /// Why it is not used, in lower case.
    case refused(String)
  }

  /// Returns the asset of a resource; `nil` if CDK says nothing about it.
  ///
  /// - Parameters:
  ///   - properties: the names of the property with its location in a bucket.
  ///   - location: the key in the bucket, or a URL.
  func asset(
    of resource: TemplateDocument.Resource, in properties: Set<String>, at location: TemplateValue?
  ) -> Asset? {
    var paths = location.map(uploaded) ?? []
    if let asset = resource.asset, properties.contains(asset.property) { paths.insert(asset.path) }
    if paths.count > 1 {
      let list = paths.sorted().joined(separator: ", ")
      return .refused("its metadata and the asset manifests name different assets: \(list)")
    }
    guard let written = paths.first else { return nil }
    if let problem = assembly.problem { return .refused(problem) }
    do throws(TemplateFiles.Problem) {
      return .here(written: written, path: try files.place(of: written))
    } catch {
      return .refused("its asset \(written) is not used: \(error.text)")
    }
  }

  private func uploaded(_ location: TemplateValue) -> Set<String> {
    if let text = location.text {
      return text.containsBytes(of: "://") ? assembly.paths(ofURL: text) : assembly.paths(ofKey: text)
    }
    return location.finding.flatMap(ExternalValues.missingName).map(assembly.paths(ofParameter:)) ?? []
  }

  /// Returns where the code of a function or the contents of a layer is; `nil` if no tool has built it here.
  ///
  /// - Parameter code: the property with its bucket and key.
  func code(of resource: TemplateDocument.Resource, _ code: TemplateValue) -> FunctionCode.Place? {
    let key = code["S3Key"] ?? code["Key"]
    switch asset(of: resource, in: ["Code", "CodeUri", "Content", "ContentUri"], at: key) {
    case .here(_, let path): return .local(path)
    case .refused(let reason): return .refused(reason)
    case nil: return key?.text.flatMap(archive)
    }
  }

  /// Returns the archive of the Serverless Framework with this key, or else the project's folder: the framework's key is
  /// `serverless/SERVICE/STAGE/TIME/NAME.zip`, its archive `.serverless/NAME.zip`, and the handlers' paths are those of
  /// the project (Serverless Framework, "Packaging", "AWS Functions").
  private func archive(_ key: String) -> FunctionCode.Place? {
    let parts = key.splitBytes(at: "/")
    guard parts.count > 1, let name = parts.last, name.hasByteSuffix(".zip"),
      hasServerlessBucket || parts[0] == "serverless"
    else { return nil }
    if let path = try? files.place(of: String(name)) { return .local(path) }
    let isProject = Self.configurations.contains { (try? files.place(of: "../" + $0)) != nil }
    return isProject ? (try? files.place(of: "..")).map { .local($0) } : nil
  }

  private static let configurations = ["yml", "yaml", "json", "js", "ts"].map { "serverless." + $0 }
}
