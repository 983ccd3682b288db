internal import DeploymentChecks

extension ForeignProgram {
  /// Refuses a program that this machine cannot start. The system's error would be "Exec format error".
  ///
  /// - Parameters:
  ///   - path: the program.
  ///   - name: the program as the user knows it.
  ///   - hint: what to do, given the name of an emulator for the program.
  static func refuse(
    _ path: String, as name: String, hint: (_ emulator: String) -> String
  ) throws(CommandFailure) {
    guard let program = ForeignProgram(at: path) else { return }
    let own = ELFFile.Machine.own.map { " (\($0.rawValue))" } ?? ""
    throw CommandFailure(
      .unavailable,
      Printable.text(
        "\(name) is built for \(program.machine.rawValue), and this machine\(own) cannot start it"),
      hint: Printable.text(hint(program.emulator)))
  }
}
