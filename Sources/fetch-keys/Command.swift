import Bytes
import KeyFetcher
import LibcurlTransfer

/// The command in the arguments.
enum Command: Equatable {
  case help
  case version
  case fetch(Plan)

  /// The options of one GET.
  struct Plan: Equatable {
    var address: KeyAddress
    var connectMilliseconds = 2000
    var totalMilliseconds = 3000
    /// Certificates in PEM that are trusted instead of the system's.
    var certificateFile: String?
    var proxy: String?
  }

  /// Parses the arguments without the name of the program.
  ///
  /// - Parameter standardInput: returns standard input, or its first bytes if it is longer than an address. Called
  ///   only if the address is `-`.
  init(
    _ arguments: [String], standardInput: () -> [UInt8]? = { nil }
  ) throws(CommandError) {
    var plan: (connect: Int?, total: Int?, certificateFile: String?, proxy: String?) = (nil, nil, nil, nil)
    var allowsLoopbackHTTP = false
    var address: String?
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word.utf8.first != .hyphen || word.utf8.count == 1 {
        guard address == nil else { throw .secondAddress }
        address = word
        continue
      }
      guard let option = Option(word) else { throw .unknownOption(word) }
      switch option {
      case .help:
        self = .help
        return
      case .version:
        self = .version
        return
      case .allowLoopbackHTTP: allowsLoopbackHTTP = true
      case .connectTimeout: plan.connect = try Self.milliseconds(of: word, &rest)
      case .timeout: plan.total = try Self.milliseconds(of: word, &rest)
      case .certificateFile: plan.certificateFile = try Self.value(of: word, &rest)
      case .proxy: plan.proxy = try Self.proxy(try Self.value(of: word, &rest))
      }
    }
    if let word = address, word.utf8.elementsEqual("-".utf8) {
      let line = standardInput() ?? []
      // Text from a shell usually ends in a newline.
      let text = line.last == .lineFeed ? line.dropLast() : line[...]
      address = text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }
    guard let address else { throw .missingAddress }
    self = .fetch(
      Plan(
        address: try Self.address(address, allowsLoopbackHTTP: allowsLoopbackHTTP),
        connectMilliseconds: plan.connect ?? 2000, totalMilliseconds: plan.total ?? 3000,
        certificateFile: plan.certificateFile, proxy: plan.proxy))
  }

  private enum Option: CommandOption {
    case help, version, allowLoopbackHTTP, connectTimeout, timeout, certificateFile, proxy

    var name: String {
      switch self {
      case .help: "--help"
      case .version: "--version"
      case .allowLoopbackHTTP: "--allow-loopback-http"
      case .connectTimeout: "--connect-timeout-ms"
      case .timeout: "--timeout-ms"
      case .certificateFile: "--ca-file"
      case .proxy: "--proxy"
      }
    }
  }

  /// Validates the address again, because the program can be called without the function.
  private static func address(_ text: String, allowsLoopbackHTTP: Bool) throws(CommandError) -> KeyAddress {
    let address: KeyAddress
    do {
      address = try KeyAddress(parsing: text, development: true)
    } catch {
      throw .address(error)
    }
    guard address.scheme == .https || allowsLoopbackHTTP else { throw .loopbackHTTPNotAllowed }
    return address
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(CommandError)
    -> String
  {
    guard let value = rest.popFirst(), !value.utf8.isEmpty else { throw .missingValue(option) }
    return value
  }

  private static func milliseconds(
    of option: String, _ rest: inout ArraySlice<String>
  ) throws(CommandError) -> Int {
    let digits = Array(try value(of: option, &rest).utf8)
    guard digits.count <= 7, digits.allSatisfy({ $0.isDecimalDigit }) else { throw .malformedTime(option) }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8.digitZero) }
    // For libcurl 0 means "no limit" (CURLOPT_TIMEOUT_MS(3)).
    guard (1...FetchLimit.milliseconds).contains(number) else { throw .malformedTime(option) }
    return number
  }

  /// `http://host:port` or `https://host:port`. User names are refused, because everyone on the machine can read
  /// arguments.
  private static func proxy(_ text: String) throws(CommandError) -> String {
    let bytes = Array(text.utf8)
    guard let rest = bytes.after("https://") ?? bytes.after("http://"),
      let authority = try? Authority(parsing: rest), authority.port != nil
    else { throw .malformedProxy }
    return text
  }
}

/// The reason why the arguments are refused.
enum CommandError: Error, Equatable {
  case unknownOption(String)
  case missingValue(String)
  case malformedTime(String)
  case malformedProxy
  case missingAddress
  case secondAddress
  case address(KeyAddressError)
  case loopbackHTTPNotAllowed

  var description: String {
    switch self {
    case .unknownOption(let option): "unknown option \(option)\nhint: fetch-keys --help"
    case .missingValue(let option): "\(option) has no value\nhint: fetch-keys --help"
    case .malformedTime(let option):
      "\(option) takes whole milliseconds from 1 to \(FetchLimit.milliseconds)\nhint: \(option) 3000"
    case .malformedProxy:
      "--proxy takes a scheme, a host and a port, without a user\nhint: --proxy http://proxy.example:3128"
    case .missingAddress:
      "no URL\nhint: fetch-keys https://appleid.apple.com/auth/keys, or fetch-keys --help"
    case .secondAddress: "more than one URL\nhint: run fetch-keys once for each URL"
    case .address(let error): error.description
    case .loopbackHTTPNotAllowed:
      "plain http to this machine is only for development\nhint: add --allow-loopback-http"
    }
  }
}
