internal import Text

enum ConsoleRoute: Equatable {
  case file, decisions, stream, matrix, cache, keys, revocations, findings, session, send
  case decision(Int)
  case replay(Int)
  case test(Int)

  /// Returns `nil` for a path that is not the console's.
  init?(path: String) {
    switch path {
    case "/dev/console", "/dev/console.css", "/dev/console.js": self = .file
    case "/dev/decisions": self = .decisions
    case "/dev/decisions/stream": self = .stream
    case "/dev/matrix": self = .matrix
    case "/dev/cache": self = .cache
    case "/dev/keys": self = .keys
    case "/dev/revocations": self = .revocations
    case "/dev/findings": self = .findings
    case "/dev/session": self = .session
    case "/dev/send": self = .send
    default:
      let parts = path.splitBytes(at: "/", omittingEmptySubsequences: false).dropFirst()
      guard parts.starts(with: ["dev", "decisions"]), parts.count <= 4,
        let id = parts.dropFirst(2).first.flatMap(Self.number)
      else { return nil }
      switch parts.dropFirst(3).first {
      case nil: self = .decision(id)
      case "replay"?: self = .replay(id)
      case "test"?: self = .test(id)
      default: return nil
      }
    }
  }

  /// Whether other users of this machine must not have it: everything but the files of the page, which every copy of the
  /// program has.
  var needsSecret: Bool { self != .file }

  var method: String {
    switch self {
    case .replay, .test, .send: "POST"
    default: "GET"
    }
  }

  /// A positive number without a sign or zeros in front.
  private static func number(_ text: Substring) -> Int? {
    guard let number = Int(text), number > 0, String(number) == text else { return nil }
    return number
  }
}
