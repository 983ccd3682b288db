internal import Emulator

extension TemplateFiles {
  /// The files in the folder of a template and below. A path that leaves it, by `..` or by a link, is refused.
  ///
  /// - Parameter onRead: gets the path of each of them, also of a missing one.
  static func beside(
    _ template: String, on machine: Machine, onRead: @escaping @Sendable (String) -> Void = { _ in }
  ) -> TemplateFiles {
    let files = machine.files
    let folder = ConfinedFolder(files.directory(of: template))
    return TemplateFiles { location in
      switch folder.place(of: location) {
      case .missing:
        onRead(files.directory(of: template) + "/" + location)
        return .failure(Problem("it does not exist"))
      case .outside: return .failure(Problem("it is outside of the template's folder"))
      case .file(let path):
        onRead(path)
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
