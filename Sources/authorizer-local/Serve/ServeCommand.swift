internal import ArgumentParser
internal import Emulator
internal import Foundation
internal import TestTokens

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract:
      "Runs a local API Gateway: the APIs of a template, their authorizers and backends, on one port.",
    discussion: """
      Reads a SAM template and serves its REST, HTTP and WebSocket APIs on 127.0.0.1; the real function answers for \
      their authorizers. A part of the template that serve does not support is an error with its line. Unavailable \
      backends are replaced by an echo: the answer shows the request that they would receive.

      A development issuer is served too: POST /dev/token returns a token for any user. POST /dev/clock moves the \
      gateway's clock; POST /dev/cache/flush clears the authorizer cache.

      Examples:
        authorizer-local serve
        authorizer-local serve --template app.yaml --parameter Stage=dev --run Backend='node backend.js'
        authorizer-local serve --backend http://127.0.0.1:3000 --watch
        authorizer-local serve --assume http-thrown-unauthorized=500 --clock +1h
      """)

  @Option(
    help:
      "SAM template. Default: template/template.yaml or template.yaml in this folder, else in the nearest one above."
  )
  var template: String?

  @Option(help: ArgumentHelp("A value for a parameter of the template.", valueName: "name=value"))
  var parameter: [String] = []

  @Option(help: "Port on 127.0.0.1; 0 for a free port.")
  var port = 8080

  @Option(help: "Value of AWS::Region, used in ARNs.")
  var region = "us-east-1"

  @OptionGroup var options: FunctionOptions

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp(
      "Runs another function of the template with this command. Default: an echo. Repeatable.",
      valueName: "function=command"))
  var programs: [String] = []

  @Option(help: "Maximum number of environments per function.")
  var concurrency = 4

  @Option(
    help: ArgumentHelp(
      "Backend of HTTP integrations: echo, template (the URLs in the template), or an origin.",
      valueName: "url")
  )
  var backend = "echo"

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Moves the gateway's clock: +1h, -10m.", valueName: "distance"))
  var clock: String?

  @Option(
    help: ArgumentHelp(
      "Selects a behavior that AWS does not document. The start prints all of them. Repeatable.",
      valueName: "name=value"))
  var assume: [String] = []

  @Flag(
    help: "Restarts when the template, configuration or function changes. Rebuilds when Swift sources change."
  )
  var watch = false

  @Option(
    help: ArgumentHelp(
      "Command that --watch runs when Swift sources change. Default: make bootstrap, in the checkout of this program.",
      valueName: "command"))
  var build: String?

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port must be from 0 to 65535") }
    guard (1...100).contains(concurrency) else {
      throw ValidationError("--concurrency must be from 1 to 100")
    }
    for text in parameter + programs where !text.dropFirst().contains("=") {
      throw ValidationError("--parameter and --run need NAME=VALUE, found \(text)")
    }
    if let clock, RelativeTime(clock) == nil {
      let isUnsigned = RelativeTime("+" + clock) != nil
      throw ValidationError(
        "--clock must be an offset such as +1h or -10m, found \(clock)"
          + (isUnsigned ? "; did you mean +\(clock)?" : ""))
    }
    if backend != "echo", backend != "template", !backend.hasPrefix("http://"), !backend.hasPrefix("https://")
    {
      throw ValidationError("--backend must be echo, template, or an origin such as http://127.0.0.1:3000")
    }
    if build != nil, !watch { throw ValidationError("--build needs --watch") }
    var settings = UnsettledBehaviors()
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
      // Created before anything is read, so that any later change is seen.
      let watcher = watch ? ServeWatcher(files: watchedPaths(template), builder: builder) : nil
      do {
        let session = try ServeSession(self, template: template)
        clockOffsetSeconds = try await session.serve(watcher, clockOffsetSeconds: clockOffsetSeconds)
      } catch let failure as CommandFailure {
        // After the first start a failure only waits for the next change, because an edited template is often
        // invalid.
        guard let watcher, !isFirst else { throw failure }
        Terminal.error(failure.message, hint: failure.hint)
        try await watcher.change()
      }
      isFirst = false
      Terminal.note("serve: a file changed, restarting")
    }
  }

  // MARK: Values of the options

  func templatePath() throws(CommandFailure) -> String {
    if let path = template ?? Self.nearestTemplate() { return path }
    throw CommandFailure(.usage, "no template found", hint: "give --template FILE")
  }

  /// Returns the path of the template that is used if none is given: that of the nearest folder with one.
  static func nearestTemplate() -> String? {
    FileSystem.upwards(from: FileSystem.currentDirectory).flatMap { folder in
      templateNames.map { "\(folder)/\($0)" }
    }.first(where: FileSystem.exists)
  }

  /// The paths of a template below a folder, best first.
  static let templateNames = ["template/template.yaml", "template.yaml", "template.yml"]

  /// The files that are served, and files that would be served if they existed.
  private func watchedPaths(_ template: String) -> [String] {
    var paths = [template] + [options.configuration.config, options.zip].compactMap { $0 }
    if options.configuration.config == nil {
      paths += FileSystem.upwards(from: FileSystem.directory(of: template)).map { $0 + "/authorizer.json" }
    }
    if options.needsConfiguration {
      paths.append(Installation.place(of: "bootstrap"))
    }
    // Every word of a command line that is a file: the program, or the script that it runs.
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

  var settings: UnsettledBehaviors {
    var settings = UnsettledBehaviors()
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
