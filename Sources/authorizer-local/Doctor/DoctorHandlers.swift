internal import Text
internal import DeploymentChecks
internal import GatewayModel
internal import LambdaEmulator
internal import Templates

/// Checks `Runtime` and `Handler` of a template's functions against Lambda and the files of this machine.
///
/// What a build makes is not known, so nothing is reported about functions with a build method, archives and code that
/// is elsewhere, also in a layer.
struct DoctorHandlers {
  private(set) var findings: [DeploymentFinding] = []
  private let files: FileSystem

  /// - Parameter folder: the folder of the template.
  init(_ template: GatewayTemplate, in folder: String, _ files: FileSystem) {
    self.files = files
    for function in template.functions.values.sorted(by: { $0.name < $1.name })
    where !function.isExternal
      && (!function.belongsToProject || template.foreignAuthorizers.contains(function.name))
    {
      guard let runtime = function.runtime else { continue }
      if !Self.isRuntime(runtime) {
        findings.add(
          .runtimeUnknown, function.name, "Lambda has no Runtime \(runtime)",
          cure: "write a Runtime of Lambda, such as nodejs22.x or python3.13")
      } else if !function.hasUnknownHandler,
        runtime.hasBytePrefix("python") || runtime.hasBytePrefix("nodejs")
      {
        check(function, in: folder)
      }
    }
  }

  /// Whether a text has the form of a runtime ("Lambda runtimes"). The versions are not compared with a list, which
  /// would age.
  static func isRuntime(_ text: String) -> Bool {
    if ["provided", "provided.al2", "provided.al2023", "go1.x", "java8.al2"].contains(text) { return true }
    let forms = [
      ("nodejs", ".x", 1), ("python", "", 2), ("ruby", "", 2), ("java", "", 1), ("dotnetcore", "", 2),
      ("dotnet", "", 1),
    ]
    return forms.contains { name, ending, numbers in
      guard text.hasBytePrefix(name), text.hasByteSuffix(ending),
        text.utf8.count > name.utf8.count + ending.utf8.count
      else {
        return false
      }
      let version = text.dropFirst(bytes: name.utf8.count).dropLast(bytes: ending.utf8.count).splitBytes(
        at: ".", omittingEmptySubsequences: false)
      return version.count == numbers && version.allSatisfy { Int($0) != nil }
    }
  }

  private mutating func check(_ function: TemplateFunction, in folder: String) {
    switch function.package.place {
    case .inline(let text):
      let handler = function.handler ?? ""
      let parts = handler.splitBytes(at: ".")
      guard parts.count == 2, parts[0] == "index" else {
        return add(
          function,
          "Handler is \(handler.isEmpty ? "missing" : handler), and the file of InlineCode is index",
          cure: "write Handler: index.FUNCTION")
      }
      find(String(parts[1]), in: text, "InlineCode", function)
    case .local(let path):
      // sam build makes the files of a function with a build method.
      guard function.buildMethod == nil,
        files.isDirectory(path.hasBytePrefix("/") ? path : folder + "/" + path)
      else { return }
      do throws(HandlerRefusal) {
        let source = try HandlerSource(function, in: folder) { (_) throws(HandlerRefusal) in
          throw .folder(problem: "")
        }
        findSymbol(of: source, function)
      } catch {
        switch error {
        case .moduleMissing, .handlerMalformed: add(function, error.problem, cure: error.hint)
        default: return
        }
      }
    case .image, .elsewhere, .refused: return
    }
  }

  private mutating func findSymbol(of source: HandlerSource, _ function: TemplateFunction) {
    guard let dot = source.handler.unicodeScalars.lastIndex(of: ".") else { return }
    let isPython = function.runtime?.hasBytePrefix("python") == true
    let module = String(source.handler[..<dot])
    let name = isPython ? module.replacingBytes(of: ".", with: "/") : module
    let endings = isPython ? [".py"] : [".js", ".mjs", ".cjs"]
    guard let file = endings.map({ name + $0 }).first(where: { files.exists(source.folder + "/" + $0) }),
      let bytes = try? files.bytes(at: source.folder + "/" + file, limit: Self.maximumBytes)
    else { return }
    find(
      String(source.handler[dot...].dropFirst(bytes: 1)), in: String(decoding: bytes, as: UTF8.self),
      file, function)
  }

  /// The maximum size of a source file that is searched, in bytes: our limit.
  private static let maximumBytes = 1 << 20

  /// Looks for the name only: code can define a function in many ways, and get it from another file.
  private mutating func find(
    _ symbol: String, in text: String, _ file: String, _ function: TemplateFunction
  ) {
    let isFromElsewhere = ["import *", "import*", "export *", "export*", "require("].contains {
      text.contains($0)
    }
    guard !isFromElsewhere, !text.containsBytes(of: symbol) else { return }
    add(
      function, "\(file) does not contain \(symbol), the function of Handler",
      cure: "write the name of a function in \(file)")
  }

  private mutating func add(_ function: TemplateFunction, _ problem: String, cure: String) {
    findings.add(.handlerNotFound, function.name, problem, cure: cure)
  }
}
