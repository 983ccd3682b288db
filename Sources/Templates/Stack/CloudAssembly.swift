internal import JSON
internal import Text

/// What AWS CDK says in the folder of a synthesized template about its assets: which file or folder is uploaded under
/// which key. `manifest.json` names the asset manifests, `*.assets.json` ("Cloud assembly schema",
/// aws/aws-cdk-cli, `@aws-cdk/cloud-assembly-schema`).
final class CloudAssembly {
  private let files: TemplateFiles
  private lazy var contents = Contents(files)

  /// - Parameter files: the files beside the template. Nothing is read before it is looked up.
  init(_ files: TemplateFiles) { self.files = files }

  /// Why a manifest is not read, in lower case; `nil` without a problem, and without a manifest.
  var problem: String? { contents.problem }

  /// Returns the paths of the assets with a key: one, or several if the manifests disagree.
  func paths(ofKey key: String) -> Set<String> { contents.paths[key] ?? [] }

  /// Returns the paths of the assets with the key at the end of a URL.
  func paths(ofURL url: String) -> Set<String> {
    guard url.utf8.count <= Self.maximumURLBytes else { return [] }
    var found: Set<String> = []
    var rest = url[...]
    while let slash = rest.firstByteRange(of: "/") {
      rest = rest[slash.upperBound...]
      found.formUnion(paths(ofKey: String(rest)))
    }
    return found
  }

  /// Returns the paths of the assets whose key is the value of a parameter, as older versions of CDK write it.
  func paths(ofParameter name: String) -> Set<String> { contents.parameters[name] ?? [] }

  /// The maximum size of `TemplateURL` in bytes (CloudFormation API Reference, "CreateStack").
  private static let maximumURLBytes = 5120

  /// The maximum number of asset manifests of a folder: our limit, one for each stack of a large application.
  static let maximumManifests = 200

  /// The limits of a manifest: ours. That of an application with thousands of constructs has some MB.
  static let limits = JSONLimits(bytes: 16 << 20, depth: 64, membersPerObject: 100_000, values: 1_000_000)

  /// The maximum size of all manifests of a folder in bytes: our limit, four times that of one.
  static let maximumBytes = 64 << 20

  private struct Contents {
    var paths: [String: Set<String>] = [:]
    var parameters: [String: Set<String>] = [:]
    var problem: String?
    /// The number of bytes that may still be read.
    private var left = CloudAssembly.maximumBytes

    init(_ files: TemplateFiles) {
      guard let manifest = read("manifest.json", files) else { return }
      // A file of this name may also be that of a web page.
      let artifacts = manifest["artifacts"]?.allMembers.map(\.value) ?? []
      for artifact in artifacts { addParameters(of: artifact) }
      let names = artifacts.filter { $0["type"]?.text == "cdk:asset-manifest" }.compactMap {
        $0["properties"]?["file"]?.text
      }
      guard names.count <= CloudAssembly.maximumManifests else {
        problem = "manifest.json names over \(CloudAssembly.maximumManifests) asset manifests"
        return
      }
      for name in names {
        guard let tree = read(name, files) else {
          problem = problem ?? "\(name), which manifest.json names, does not exist"
          return
        }
        for file in tree["files"]?.allMembers ?? [] { add(file.value) }
      }
    }

    /// Returns a manifest; `nil` without one, or with a problem.
    private mutating func read(_ name: String, _ files: TemplateFiles) -> JSONTree? {
      do throws(TemplateFiles.Problem) {
        let text = try files.text(of: name, limit: min(left, CloudAssembly.limits.bytes))
        left -= text.utf8.count
        if let tree = try? JSONTree(parsing: Array(text.utf8), limits: CloudAssembly.limits) { return tree }
        problem = "\(name) is not JSON, or too large"
      } catch {
        if error != .missing { problem = "\(name) is not read: \(error.text)" }
      }
      return nil
    }

    private mutating func add(_ file: JSONTree) {
      guard let path = file["source"]?["path"]?.text else { return }
      for destination in file["destinations"]?.allMembers ?? [] {
        if let key = destination.value["objectKey"]?.text { paths[key, default: []].insert(path) }
      }
    }

    /// Adds the assets in the metadata of a stack, which has parameters for them.
    private mutating func addParameters(of artifact: JSONTree) {
      for construct in artifact["metadata"]?.allMembers ?? [] {
        guard case .array(let entries) = construct.value else { continue }
        for entry in entries where entry["type"]?.text == "aws:cdk:asset" {
          guard let path = entry["data"]?["path"]?.text, let name = entry["data"]?["s3KeyParameter"]?.text
          else { continue }
          parameters[name, default: []].insert(path)
        }
      }
    }
  }
}

extension JSONTree {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }

  fileprivate var allMembers: [Member] { if case .object(let members) = self { members } else { [] } }
}
