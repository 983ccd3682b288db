internal import Text
internal import DeploymentChecks
internal import Templates

extension TemplateFiles {
  /// The files that a template may include: those of its folder, and those of its repository that are not hidden. A
  /// path that leads elsewhere, by `..` or by a link, is refused: the template may be a stranger's.
  ///
  /// - Parameter includeRoot: the folder that takes the place of the repository.
  static func beside(_ template: String, includeRoot: String?, on machine: Machine) -> TemplateFiles {
    let files = machine.files
    let folder = files.directory(of: template)
    let root = includeRoot.map(files.absolute) ?? repository(around: folder, on: machine) ?? folder
    let (own, whole) = (ConfinedFolder(folder), ConfinedFolder(root))
    let built = ConfinedFolder(includeRoot.map(files.absolute) ?? outputFolder(folder, files))
    let absolute = { @Sendable (location: String) in
      location.hasBytePrefix("/") ? location : folder + "/" + location
    }
    return TemplateFiles { location, limit in
      let written = absolute(location)
      switch whole.place(at: written) {
      case .missing:
        files.onLook?(written)
        return .failure(.missing)
      case .outside: return .failure(Problem("it is outside of \(root)"))
      case .file(let path):
        guard own.place(at: path) == .file(path) || !isHidden(path, below: whole.path) else {
          return .failure(Problem("it is hidden"))
        }
        do throws(CommandFailure) {
          let bytes = try files.bytes(at: path, limit: limit)
          return .success(String(decoding: bytes, as: UTF8.self))
        } catch {
          return .failure(Problem(error.message))
        }
      }
    } finding: { location in
      let written = absolute(location)
      guard let path = built.path == ConfinedFolder(written).path ? built.path : built.inner(written) else {
        return .failure(Problem("it is outside of \(built.path)"))
      }
      return files.exists(path) ? .success(path) : .failure(.missing)
    }
  }

  /// Returns the folder with all that a tool has built for the template: `cdk.out` also for the assemblies within it,
  /// the project of a folder `.serverless`.
  private static func outputFolder(_ template: String, _ files: FileSystem) -> String {
    func name(_ path: String) -> Substring { path.splitBytes(at: "/").last ?? "" }
    if name(template) == ".serverless" { return files.directory(of: template) }
    var folder = template
    while name(folder).hasBytePrefix("assembly-"),
      files.exists(files.directory(of: folder) + "/manifest.json")
    {
      folder = files.directory(of: folder)
    }
    return folder
  }

  /// Returns the root of the Git repository around a folder. One that contains the user's whole home is none: it has
  /// more than one project.
  private static func repository(around folder: String, on machine: Machine) -> String? {
    guard let root = machine.files.upwards(from: folder).last, machine.files.exists(root + "/.git") else {
      return nil
    }
    guard let home = machine.environment["HOME"], !home.isEmpty else { return root }
    let (top, bottom) = (ConfinedFolder(root).path, ConfinedFolder(home).path)
    return (bottom + "/").utf8.starts(with: (top + "/").utf8) ? nil : root
  }

  /// Whether a part of the path below a folder is hidden, such as `.git/config` and `.env`.
  private static func isHidden(_ path: String, below folder: String) -> Bool {
    path.utf8.dropFirst(folder.utf8.count).split(separator: UInt8(ascii: "/")).contains {
      $0.first == UInt8(ascii: ".")
    }
  }
}
