/// `serve` from its start to a signal: one session after the other, with a restart after each change.
struct ServeRun {
  let options: ServeOptions
  let machine: Machine

  /// - Throws: `CommandFailure` if the first session cannot serve.
  func run() async throws {
    guard let template = options.kind?.name ?? options.template ?? machine.files.nearestTemplate else {
      throw CommandFailure(
        .usage, "no template found", hint: "give --template FILE, or write a project with init")
    }
    let builder = options.watches ? SourceBuilder(options, on: machine) : nil
    var clockOffsetSeconds = options.clockOffsetSeconds
    var isFirst = true
    while true {
      // Created before anything is read, so that any later change is seen.
      let watcher = options.watches ? watcher(template, builder) : nil
      do {
        let session = try ServeSession(options, template: template, on: machine)
        clockOffsetSeconds = try await session.serve(
          watcher, clockOffsetSeconds: clockOffsetSeconds, opensConsole: options.opensConsole && isFirst)
      } catch let failure as CommandFailure {
        // After the first start a failure only waits for the next change, because an edited template is often
        // invalid.
        guard let watcher, !isFirst else { throw failure }
        machine.terminal.error(failure.message, hint: failure.hint)
        try await watcher.change()
      }
      isFirst = false
      machine.terminal.note("serve: a file changed, restarting")
    }
  }

  private func watcher(_ template: String, _ builder: SourceBuilder?) -> ServeWatcher {
    let named = options.kind == nil ? WatchedTemplate(template, options, on: machine) : nil
    return ServeWatcher(
      paths: watchedPaths(template) + (named?.files ?? []),
      folders: WatchedFolders(options, template: named, on: machine), machine.files, builder: builder)
  }

  /// Returns the files that are served, and files that would be served if they existed.
  func watchedPaths(_ template: String) -> [String] {
    let (files, function) = (machine.files, options.function)
    var paths = [template] + [function.configuration.config, function.zip].compactMap { $0 }
    let names = (function.configuration.config == nil ? ["authorizer.json"] : []) + ["identity.json"]
    paths += files.upwards(from: files.directory(of: template)).flatMap { folder in
      names.map { folder + "/" + $0 }
    }
    let programs = (function.needsConfiguration ? ["bootstrap"] : []) + ["identity"]
    paths += programs.map(machine.installation.place)
    // Every word of a command line that is a file: the program, or the script that it runs.
    for command in [function.function].compactMap({ $0 }) + options.commands.values.sorted() {
      let words = command.split(whereSeparator: { $0.isWhitespace || "'\"".contains($0) }).map(String.init)
      paths += words.filter { files.exists($0) && !files.isDirectory($0) }
    }
    return paths
  }
}
