internal import GatewayEmulator

/// `serve` from its start to a signal: one session after the other behind one port, each with the files as they are then.
struct ServeRun {
  let options: ServeOptions
  let machine: Machine

  /// - Throws: `CommandFailure` if the first session cannot serve.
  func run() async throws {
    guard let template = options.kind?.name ?? options.template ?? machine.files.nearestTemplate else {
      throw CommandFailure(
        .usage, "no template found", hint: "give --template FILE, or write a project with init")
    }
    let encryption = try options.encryption?.opened(on: machine)
    // Standard input can be read only once.
    let follows = options.follows && template != "-"
    let first = Start(options, template, encryption, on: machine)
    _ = try first.session.get()
    let listener = GatewayListener(
      encryption: encryption?.encryption, clock: try machine.timeouts.clock())
    do {
      try await listener.listen(port: options.port, logger: .criticalOnly) { port in
        try await serve(first, at: listener, port: port, follows: follows) {
          Start(options, template, encryption, on: machine)
        }
      }
    } catch let error as ListenError {
      throw CommandFailure(
        .unavailable, error.description,
        hint: (error.isInUse ? "end the program that uses it, or " : "")
          + "use another port: --port 8081, or --port 0 for a free port")
    }
  }

  /// Serves one session after the other. While a session cannot serve, each request gets a 503 with the reason.
  private func serve(
    _ first: Start, at listener: GatewayListener, port: Int, follows: Bool, next: () -> Start
  ) async throws {
    let terminal = machine.terminal
    var (start, isFirst) = (first, true)
    var clockOffsetSeconds = options.clockOffsetSeconds
    while true {
      let watcher = ServeWatcher(
        start.followed, WatchedFolders(options, code: start.code, on: machine), machine.files)
      let changed: String
      do {
        (changed, clockOffsetSeconds) = try await start.session.get().serve(
          at: listener, port: port, follows ? watcher : nil, clockOffsetSeconds: clockOffsetSeconds,
          opensConsole: options.opensConsole && isFirst)
      } catch let failure as CommandFailure {
        // After the first start a failure only waits for the next change, because an edited file is often invalid.
        guard follows, !isFirst else { throw failure }
        terminal.error(failure.message, hint: failure.hint)
        terminal.note("serve: each request gets a 503 with this error, until a file changes")
        listener.fail(failure.message) { terminal.note($0.shown(isTerminal: terminal.errors.isTerminal)) }
        changed = try await watcher.change()
        await listener.close()
      }
      terminal.note(Printable.text("serve: \(changed) changed, restarting"))
      (start, isFirst) = (next(), false)
    }
  }

  /// A session with the files that it has read, or the reason why there is none.
  struct Start {
    let session: Result<ServeSession, CommandFailure>
    let followed: FollowedFiles
    /// The folders and archives with the code of the template's handlers.
    let code: [String]

    init(
      _ options: ServeOptions, _ template: String, _ encryption: ServedEncryption.Opened?, on machine: Machine
    ) {
      let followed = FollowedFiles(on: machine)
      for path in Self.programs(options, on: machine) { followed.add(path) }
      var reading = machine
      reading.files.onLook = followed.add
      self.followed = followed
      session = Result { () throws(CommandFailure) in
        try ServeSession(options, template: template, encryption, on: machine, reading: reading)
      }
      code = options.runsFunctions ? (try? session.get().code) ?? [] : []
    }

    /// Returns the programs that are served.
    private static func programs(_ options: ServeOptions, on machine: Machine) -> [String] {
      let (files, function) = (machine.files, options.function)
      let programs = (function.needsConfiguration ? ["bootstrap"] : []) + ["identity"]
      // Every word of a command line that is a file: the program, or the script that it runs.
      let words = ([function.function].compactMap { $0 } + options.commands.values.sorted()).flatMap {
        command in
        command.split(whereSeparator: { $0.isWhitespace || "'\"".contains($0) }).map(String.init)
      }
      return programs.map(machine.installation.place) + [function.zip].compactMap { $0 }
        + words.filter { files.exists($0) && !files.isDirectory($0) }
    }
  }
}
