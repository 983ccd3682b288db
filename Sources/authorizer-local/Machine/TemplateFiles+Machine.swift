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
    return TemplateFiles { location in
      let written = location.hasBytePrefix("/") ? location : folder + "/" + location
      switch whole.place(at: written) {
      case .missing:
        files.onLook?(written)
        return .failure(Problem("it does not exist"))
      case .outside: return .failure(Problem("it is outside of \(root)"))
      case .file(let path):
        guard own.place(at: path) == .file(path) || !isHidden(path, below: whole.path) else {
          return .failure(Problem("it is hidden"))
        }
        do throws(CommandFailure) {
          let bytes = try files.bytes(at: path, limit: TemplateFiles.maximumBytes)
          return .success(String(decoding: bytes, as: UTF8.self))
        } catch {
          return .failure(Problem(error.message))
        }
      }
    }
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
