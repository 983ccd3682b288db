internal import ArgumentParser
internal import Emulator
internal import Foundation
internal import TestTokens

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract:
      "Stands in for API Gateway: the APIs of a template, their authorizers and backends, on one port.",
    discussion: """
      Reads a SAM template and serves its REST, HTTP and WebSocket APIs on 127.0.0.1; the real function answers for \
      their authorizers. What the template asks for and serve does not do is an error with its line. Backends that this \
      machine has not are echoed: the answer shows what they would have received.

      A development issuer stands beside them: POST /dev/token gives a token for any user. POST /dev/clock moves the \
      gateway's clock, POST /dev/cache/flush forgets every kept answer.

      Examples:
        authorizer-local serve
        authorizer-local serve --template app.yaml --parameter Stage=dev --run Backend='node backend.js'
        authorizer-local serve --backend http://127.0.0.1:3000 --watch
        authorizer-local serve --assume http-thrown-unauthorized=500 --clock +1h
      """)

  @Option(help: "The template. Default: template/template.yaml here or above, or template.yaml.")
  var template: String?

  @Option(help: ArgumentHelp("A value for a parameter of the template.", valueName: "name=value"))
  var parameter: [String] = []

  @Option(help: "The port of 127.0.0.1; 0 for any that is free.")
  var port = 8080

  @Option(help: "AWS::Region, as it stands in ARNs.")
  var region = "us-east-1"

  @OptionGroup var options: FunctionOptions

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp(
      "Runs another function of the template with this command; without one its routes are echoed.",
      valueName: "function=command"))
  var programs: [String] = []

  @Option(help: "Environments that a function may have at once.")
  var concurrency = 4

  @Option(
    help: ArgumentHelp(
      "Where HTTP integrations go: echo, template (where the template says), or an origin.", valueName: "url")
  )
  var backend = "echo"

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Sets the gateway's clock ahead or back: +1h, -10m.", valueName: "distance"))
  var clock: String?

  @Option(
    help: ArgumentHelp(
      "Chooses one of AWS's behaviours that no document settles; they are printed at the start.",
      valueName: "name=word"))
  var assume: [String] = []

  @Flag(help: "Starts anew when template, configuration or function change; builds anew when sources change.")
  var watch = false

  @Option(
    help: ArgumentHelp(
      "What --watch runs when Swift sources change. Default: make bootstrap, where dist/bootstrap is served and a "
        + "Makefile here can make it.", valueName: "command"))
  var build: String?

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port must be from 0 to 65535") }
    guard (1...100).contains(concurrency) else {
      throw ValidationError("--concurrency must be from 1 to 100")
    }
    for text in parameter + programs where !text.dropFirst().contains("=") {
      throw ValidationError("NAME=VALUE is needed, found \(text)")
    }
    if let clock, RelativeTime(clock) == nil {
      let isUnsigned = RelativeTime("+" + clock) != nil
      throw ValidationError(
        "--clock needs a distance such as +1h or -10m, found \(clock)"
          + (isUnsigned ? "; did you mean +\(clock)?" : ""))
    }
    if backend != "echo", backend != "template", !backend.hasPrefix("http://"), !backend.hasPrefix("https://")
    {
      throw ValidationError("--backend is echo, template, or an origin such as http://127.0.0.1:3000")
    }
    if build != nil, !watch { throw ValidationError("--build goes with --watch") }
    var settings = UnsettledBehaviours()
    for text in assume {
      if let problem = settings.assume(text) { throw ValidationError(problem) }
    }
  }

  func run() async throws {
    let template = try templatePath()
    let builder = watch ? SourceBuilder(self) : nil
    var clockOffsetSeconds = clockOffsetSeconds
    var isFirst = true
    while true {
      // It looks before anything is read: what changes after that is seen.
      let watcher = watch ? ServeWatcher(files: watchedPaths(template), builder: builder) : nil
      do {
        let session = try ServeSession(self, template: template)
        clockOffsetSeconds = try await session.serve(watcher, clockOffsetSeconds: clockOffsetSeconds)
      } catch let failure as CommandFailure {
        // A template that is being edited is broken half of the time.
        guard let watcher, !isFirst else { throw failure }
        Terminal.error(failure.message, hint: failure.hint)
        try await watcher.change()
      }
      isFirst = false
      Terminal.note("serve: something changed, starting anew")
    }
  }

  // MARK: What the options say

  func templatePath() throws(CommandFailure) -> String {
    if let template { return template }
    let here = FileSystem.currentDirectory
    for name in ["template/template.yaml", "template.yaml", "template.yml"] {
      if let path = FileSystem.nearest(name, from: here) { return path }
    }
    throw CommandFailure(.usage, "there is no template", hint: "give --template FILE")
  }

  /// The files that are served, with those that would be if they were there.
  private func watchedPaths(_ template: String) -> [String] {
    var paths = [template] + [options.configuration.config, options.zip].compactMap { $0 }
    if options.configuration.config == nil {
      paths += FileSystem.upwards(from: FileSystem.directory(of: template)).map { $0 + "/authorizer.json" }
    }
    if options.needsConfiguration {
      paths += FileSystem.upwards(from: FileSystem.currentDirectory).map { $0 + "/dist/bootstrap" }
    }
    // Of a command line every word that is a file: the program, or the script that it runs.
    for command in [options.function].compactMap({ $0 }) + commands.values.sorted() {
      let words = command.split(whereSeparator: { $0.isWhitespace || "'\"".contains($0) }).map(String.init)
      paths += words.filter { FileSystem.exists($0) && !FileSystem.isDirectory($0) }
    }
    return paths
  }

  var parameters: [String: String] { Self.pairs(parameter) }
  var commands: [String: String] { Self.pairs(programs) }

  private static func pairs(_ texts: [String]) -> [String: String] {
    var pairs: [String: String] = [:]
    for text in texts {
      guard let sign = text.dropFirst().firstIndex(of: "=") else { continue }
      pairs[String(text[..<sign])] = String(text[text.index(after: sign)...])
    }
    return pairs
  }

  var settings: UnsettledBehaviours {
    var settings = UnsettledBehaviours()
    for text in assume { _ = settings.assume(text) }
    return settings
  }

  var backendChoice: GatewayService.Backend {
    switch backend {
    case "echo": .echo
    case "template": .template
    default: .origin(backend.hasSuffix("/") ? String(backend.dropLast()) : backend)
    }
  }

  var clockOffsetSeconds: Int64 { clock.flatMap { RelativeTime($0)?.seconds } ?? 0 }
}
