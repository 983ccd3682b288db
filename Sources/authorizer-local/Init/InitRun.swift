internal import Text

/// One run of `init`: writes a new project, and prints the next commands.
struct InitRun {
  /// The folder of the project.
  let directory: String
  let kind: StarterKind
  let issuer: StarterIssuer
  let machine: Machine

  /// - Throws: `CommandFailure` if nothing was written.
  func run() throws(CommandFailure) {
    let files = NewFiles(
      in: directory, try Starter(kind, issuer, on: machine).files, machine.files)
    let kept = try files.write()
    machine.terminal.answer(
      "wrote \(kind.title)\(kind.isProject ? " with \(issuer.title)" : "") to \(directory):")
    for file in files.files where !kept.contains(file.path) { machine.terminal.answer("  \(file.path)") }
    for file in files.files where kept.contains(file.path) {
      let lines = String(decoding: file.bytes, as: UTF8.self).splitBytes(at: "\n").filter {
        $0.first != "#"
      }
      machine.terminal.note(
        "note: \(file.path) exists and was not changed: add \(lines.joined(separator: ", "))")
    }
    guard kind.isProject else { return }
    if let root = repository(around: files.folder) {
      machine.terminal.note(
        "note: GitHub reads workflows only in the root of a repository: move .github to \(root), and write"
          + " PROJECT: \(files.folder.dropFirst(bytes: root.utf8.count).trimmingStart(of: "/")) in its workflow"
      )
    }
    machine.terminal.answer("next:")
    for command in commands(in: files.folder) { machine.terminal.answer("  \(command)") }
  }

  /// Returns the next commands, for a shell.
  ///
  /// - Parameter folder: the absolute path of the folder that was written. The path that the user gave may lead
  ///   elsewhere in a shell, which follows links before `..`.
  private func commands(in folder: String) -> [String] {
    let next = ["doctor", "test", "serve" + kind.serveOptions].map { "\(machine.command) \($0)" }
    let here = machine.files.absolute(machine.files.currentDirectory)
    if folder == here { return next }
    return ["cd \(ShellWord.path(folder.rest(after: here + "/").map(String.init) ?? folder, or: "FOLDER"))"]
      + next
  }

  /// Returns the root of the repository that contains a folder; `nil` if the folder is the root, or in none.
  private func repository(around folder: String) -> String? {
    guard let top = machine.files.upwards(from: folder).last, top != folder,
      machine.files.exists(top + "/.git")
    else { return nil }
    return top
  }
}
