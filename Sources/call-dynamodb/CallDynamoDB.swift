import DynamoDB
import LibcurlTransfer

@main struct CallDynamoDB {
  static func main() {
    HostProcess.exit(run(HostProcess.arguments).rawValue)
  }

  static func run(_ arguments: [String]) -> ExitStatus {
    let command: Command
    do {
      command = try Command(arguments)
    } catch {
      return report(.usage, error.description)
    }
    switch command {
    case .help: return HostProcess.write(Array(Command.usage.utf8)) ? .done : .output
    case .version:
      switch Libcurl.version() {
      case .success(let version):
        return HostProcess.write(Array("call-dynamodb with \(version)\n".utf8)) ? .done : .output
      case .failure(let failure): return report(.libraryMissing, CallFailure(failure).text)
      }
    case .serve(let options): return serve(options)
    }
  }

  /// Answers one request after the other until there are no more. What is wrong with the environment is said in each
  /// answer: whoever reads them has no other way to learn of it.
  private static func serve(_ options: Command.Options) -> ExitStatus {
    var connection: Result<Connection, CallFailure>?
    while true {
      let request: Request
      switch Request.next() {
      case .request(let next): request = next
      case .end: return .done
      case .malformed: return report(.malformedRequest, "standard input is no request of this version")
      }
      var open = connection ?? Connection.opened(options)
      let answer: [UInt8]
      switch open {
      case .failure(let failure): answer = failure.frame
      case .success(var usable):
        answer = usable.answer(request)
        open = .success(usable)
      }
      connection = open
      guard HostProcess.write(answer) else { return .output }
    }
  }

  private static func report(_ status: ExitStatus, _ text: String) -> ExitStatus {
    _ = HostProcess.write(Array("call-dynamodb: \(text)\n".utf8), toError: true)
    return status
  }
}

/// How the process ends.
enum ExitStatus: Int32 {
  /// Nobody asks for more.
  case done = 0
  /// The arguments are wrong: EX_USAGE of sysexits(3).
  case usage = 64
  /// Standard input is none of its caller's: EX_DATAERR.
  case malformedRequest = 65
  /// libcurl is missing: EX_UNAVAILABLE.
  case libraryMissing = 69
  /// Standard output cannot be written: EX_IOERR.
  case output = 74
}

/// One request of the caller's.
struct Request {
  /// The value of `X-Amz-Target`.
  let target: String
  let body: [UInt8]
  let connectMilliseconds: Int
  let totalMilliseconds: Int

  enum Reading {
    case request(Request)
    /// Standard input ended between two requests.
    case end
    case malformed
  }

  static func next() -> Reading {
    guard let bytes = HostProcess.read(CallFrame.requestHeadBytes) else { return .malformed }
    guard !bytes.isEmpty else { return .end }
    guard let head = CallFrame.RequestHead(bytes), let target = HostProcess.read(head.targetBytes),
      isTarget(target), let body = HostProcess.read(head.bodyBytes), body.count == head.bodyBytes
    else { return .malformed }
    return .request(
      Request(
        target: String(decoding: target, as: UTF8.self), body: body,
        connectMilliseconds: head.connectMilliseconds, totalMilliseconds: head.totalMilliseconds))
  }

  /// The prefix and letters: it becomes a line of the head, and must not become two.
  private static func isTarget(_ target: [UInt8]) -> Bool {
    let prefix = Array(CallFrame.targetPrefix.utf8)
    let operation = target.dropFirst(prefix.count)
    return target.starts(with: prefix) && !operation.isEmpty
      && operation.allSatisfy { ($0 | 0x20) &- 0x61 < 26 }
  }
}
