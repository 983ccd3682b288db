internal import Emulator

extension TemplateFiles {
  /// The files in the folder of a template and below. A path that leaves it, by `..` or by a link, is refused.
  static func beside(_ template: String, on machine: Machine) -> TemplateFiles {
    let files = machine.files
    let folder = ConfinedFolder(files.directory(of: template))
    return TemplateFiles { location in
      switch folder.place(of: location) {
      case .missing: return .failure(Problem("it does not exist"))
      case .outside: return .failure(Problem("it is outside of the template's folder"))
      case .file(let path):
        do throws(CommandFailure) {
          let bytes = try files.bytes(at: path, limit: TemplateFiles.maximumBytes)
          return .success(String(decoding: bytes, as: UTF8.self))
        } catch {
          return .failure(Problem(error.message))
        }
      }
    }
  }
}
