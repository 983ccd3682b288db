import Bytes
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

  /// Answers requests one after the other until standard input ends. Problems of the environment are reported in each
  /// answer, because the caller reads nothing else.
  private static func serve(_ options: Command.Options) -> ExitStatus {
    var connection: Result<Connection, CallFailure>?
    while true {
      let request: Request
      switch Request.next() {
      case .request(let next): request = next
      case .end: return .done
      case .malformed: return report(.malformedRequest, "standard input is not a request of this version")
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

/// The exit status of the process.
enum ExitStatus: Int32 {
  /// Standard input ended.
  case done = 0
  /// The arguments are wrong: EX_USAGE of sysexits(3).
  case usage = 64
  /// Standard input is not a valid request: EX_DATAERR.
  case malformedRequest = 65
  /// libcurl is missing: EX_UNAVAILABLE.
  case libraryMissing = 69
  /// Standard output cannot be written: EX_IOERR.
  case output = 74
}

/// One request from the caller.
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

  /// Whether this is the prefix and letters. It becomes an HTTP header line and must not become two.
  private static func isTarget(_ target: [UInt8]) -> Bool {
    let prefix = Array(CallFrame.targetPrefix.utf8)
    let operation = target.dropFirst(prefix.count)
    return target.starts(with: prefix) && !operation.isEmpty
      && operation.allSatisfy { $0.isLetter }
  }
}
