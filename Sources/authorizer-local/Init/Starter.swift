internal import Text
internal import DeploymentChecks
internal import IssuerEmulator
internal import Templates
internal import Foundation
internal import FunctionHost

/// A kind of project that `init` writes.
enum StarterKind: String, CaseIterable, Sendable {
  case http, rest
  case webSocket = "websocket"
  case signIn = "sign-in"
  case mcp, capture

  /// The kind in a sentence.
  var title: String {
    switch self {
    case .http: "an HTTP API"
    case .rest: "a REST API"
    case .webSocket: "a WebSocket API"
    case .signIn: "an HTTP API and Sign in with Apple"
    case .mcp: "an MCP server on a REST API"
    case .capture: "what writes the events of another authorizer"
    }
  }

  /// Whether the files are a project of this authorizer.
  var isProject: Bool { self != .capture }

  /// The paths of the files, sorted. Listed here, so that other files in the starter folder are never copied: a
  /// checkout may have development keys there.
  var paths: [String] {
    if !isProject { return ["capture.mjs", "capture.py"] }
    var paths = [".github/workflows/authorizer.yml", ".gitignore", "authorizer.json", "template.yaml"]
    for name in ["allowed", "forbidden", "unauthorized"] {
      paths += ["events/\(name).json", "events/\(name).expected.json"]
    }
    paths.append("events/tokens.json")
    // Tests have no table, so the configuration beside the events looks up no revocation.
    if self == .signIn { paths += ["identity.json", "events/authorizer.json"] }
    if self == .mcp {
      paths += ["events/deleted.expected.json", "events/deleted.json", "local.json", "server/app.py"]
    }
    return paths.sorted()
  }
}

extension StarterKind {
  /// The issuer in the starter files.
  var sample: StarterIssuer { self == .mcp ? .mcpSample : .sample }

  /// The scope of the guarded route, for issuers with scopes.
  fileprivate var scope: String {
    switch self {
    case .http, .rest, .signIn: "read:orders"
    case .webSocket: "chat"
    case .mcp: "mcp:read"
    case .capture: ""
    }
  }

  /// The options of `serve` with which a client can log in.
  var serveOptions: String {
    guard self == .mcp else { return "" }
    return " --config local.json --run-functions --parameter BaseUrl=http://127.0.0.1:8080/Api/prod"
      + " --parameter AuthorizationServer=http://127.0.0.1:8080/dev/oauth"
  }
}

/// The files of a new project. Each comes from the installation, with the chosen issuer instead of the sample.
struct Starter {
  let files: [NewFiles.File]

  /// - Throws: `CommandFailure` if a starter file is missing, or if the authorizer would not start with the issuer.
  init(_ kind: StarterKind, _ issuer: StarterIssuer, on machine: Machine) throws(CommandFailure) {
    if kind == .signIn, !issuer.isApple {
      throw CommandFailure(
        .usage, "--for sign-in is for Sign in with Apple, and --issuer names another issuer",
        hint: "omit --issuer, or use --for http")
    }
    if kind == .mcp, !issuer.isForMCP {
      throw CommandFailure(
        .usage, "--for mcp needs an https issuer and the URL of the MCP server as the only audience",
        hint: "give --issuer https://id.example.com --keys https://id.example.com/jwks"
          + " --audience https://mcp.example.com/mcp")
    }
    guard let folder = machine.installation.starter(kind.rawValue) else {
      throw Self.missing("the starter files for \(kind.rawValue) are missing")
    }
    var files: [NewFiles.File] = []
    for path in kind.paths {
      // npm unpacks .gitignore as .npmignore.
      let names = path == ".gitignore" ? [path, ".npmignore"] : [path]
      let found = names.lazy.compactMap { name in
        try? machine.files.bytes(at: "\(folder)/\(name)", limit: Self.maximumFileBytes)
      }
      guard let bytes = found.first else {
        throw Self.missing("the starter file \(folder)/\(path) cannot be read")
      }
      var text = String(decoding: bytes, as: UTF8.self)
      for change in Self.changes(of: path, kind, issuer) {
        guard text.contains(change.old) else {
          throw Self.missing("the starter file \(folder)/\(path) does not contain \(change.old)")
        }
        text = text.replacingBytes(of: change.old, with: change.new)
      }
      if Self.builtForMachine.contains(path) {
        for change in Self.machine { text = text.replacingBytes(of: change.old, with: change.new) }
      }
      files.append(NewFiles.File(path: path, bytes: Array(text.utf8), isOptional: path == ".gitignore"))
    }
    self.files = files
    if kind.isProject { try check(issuer) }
  }

  /// Our own limit; the largest file has 10 KB.
  private static let maximumFileBytes = 1 << 20

  private static func missing(_ message: String) -> CommandFailure {
    CommandFailure(.unavailable, message, hint: "install authorizer-local again, or run it in its checkout")
  }

  /// Returns what is different from the starter file.
  private static func changes(
    of path: String, _ kind: StarterKind, _ issuer: StarterIssuer
  ) -> [(old: String, new: String)] {
    let sample = kind.sample
    let (had, has) = (sample.condition(scope: kind.scope), issuer.condition(scope: kind.scope))
    return switch path.splitBytes(at: "/").last ?? "" {
    case "authorizer.json": [(sample.entry, issuer.entry), (had.requirement, has.requirement)]
    case "identity.json": [(sample.audienceList, issuer.audienceList)]
    case "tokens.json":
      [(sample.tokenMembers, issuer.tokenMembers), (had.met, has.met)]
        + (had.unmet.isEmpty ? [] : [(had.unmet, has.unmet)])
    case "forbidden.expected.json": [(had.reason, has.reason)]
    case "template.yaml" where kind == .mcp:
      [
        ("Default: \(sample.resourceBase)\n", "Default: \(issuer.resourceBase)\n"),
        ("Default: \(sample.address)\n", "Default: \(issuer.address)\n"),
      ]
    default: []
    }
  }

  /// The files that name the architecture of the function, which is that of this machine: package packs the programs
  /// of this installation.
  private static let builtForMachine: Set = ["template.yaml", ".github/workflows/authorizer.yml"]

  private static var machine: [(old: String, new: String)] {
    #if arch(arm64)
      return [("x86_64", "arm64"), ("ubuntu-latest", "ubuntu-24.04-arm")]
    #else
      return []
    #endif
  }

  /// Reads the configuration as the function would. Only the issuer can be wrong.
  private func check(_ issuer: StarterIssuer) throws(CommandFailure) {
    let configurations = files.filter { $0.path == ShippedFunction.authorizer.fileName }.map {
      DeploymentPackage.File(path: $0.path, bytes: $0.bytes, permissions: 0o644)
    }
    do throws(ConfigurationError) {
      let package = (try? DeploymentPackage(files: configurations)) ?? DeploymentPackage()
      _ = try PackagedConfiguration(package: package, variables: [:]).settings()
    } catch {
      let isAudience = error.problems.contains { $0.path.hasByteSuffix(".audiences") }
      throw CommandFailure(
        .usage, "the authorizer would not start with \(issuer.title)\n\(error.description)",
        hint: isAudience
          ? "give the audiences that its tokens are for: --audience AUDIENCE"
          : "see authorizer-local help init")
    }
  }
}
