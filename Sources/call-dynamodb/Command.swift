import KeyFetcher
import LibcurlTransfer

/// The command that the arguments select.
enum Command {
  case help
  case version
  case serve(Options)

  struct Options {
    var allowsLoopbackHTTP = false
    /// A PEM file of certificates that are trusted instead of the system's.
    var certificateFile: String?
    var proxy: String?
  }

  /// Reads the arguments after the name of the program.
  init(_ arguments: [String]) throws(CommandError) {
    var options = Options()
    var rest = arguments[...]
    while let word = rest.popFirst() {
      guard let option = Option(word) else { throw .unknownOption(word) }
      switch option {
      case .help:
        self = .help
        return
      case .version:
        self = .version
        return
      case .allowLoopbackHTTP: options.allowsLoopbackHTTP = true
      case .certificateFile: options.certificateFile = try Self.value(of: word, &rest)
      case .proxy: options.proxy = try Self.proxy(try Self.value(of: word, &rest))
      }
    }
    self = .serve(options)
  }

  private enum Option: CommandOption {
    case help, version, allowLoopbackHTTP, certificateFile, proxy

    var name: String {
      switch self {
      case .help: "--help"
      case .version: "--version"
      case .allowLoopbackHTTP: "--allow-loopback-http"
      case .certificateFile: "--ca-file"
      case .proxy: "--proxy"
      }
    }
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(CommandError)
    -> String
  {
    guard let value = rest.popFirst(), !value.utf8.isEmpty else { throw .missingValue(option) }
    return value
  }

  /// `http://host:port` or `https://host:port`. User names are refused, because anyone on the machine can read the
  /// arguments.
  private static func proxy(_ text: String) throws(CommandError) -> String {
    let bytes = Array(text.utf8)
    guard let rest = bytes.after("https://") ?? bytes.after("http://"),
      let authority = try? Authority(parsing: rest), authority.port != nil
    else { throw .malformedProxy }
    return text
  }

  static let usage = """
    usage: call-dynamodb [OPTIONS]

    Calls DynamoDB for the function that started it. Reads requests from standard input, signs them, sends them over one
    persistent connection, and writes the answers to standard output. Ends when standard input ends.

    OPTIONS
      --ca-file FILE          trust only the certificates (PEM) in FILE
      --proxy URL             use the proxy http://host:port or https://host:port
      --allow-loopback-http   allow plain http to 127.0.0.0/8, [::1] and localhost
      --version               print the versions of libcurl and of its TLS library
      --help                  print this

    ENVIRONMENT
      AWS_REGION, or AWS_DEFAULT_REGION                       the region
      AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY                the credentials
      AWS_SESSION_TOKEN                                       required with temporary credentials such as Lambda's
      AWS_ENDPOINT_URL_DYNAMODB                               overrides https://dynamodb.REGION.amazonaws.com
      SSL_CERT_FILE, SSL_CERT_DIR                             certificates to trust

    EXIT STATUS
       0  standard input ended
      64  wrong arguments
      65  standard input is not a request of this version
      69  --version: libcurl is missing or not usable
      74  standard output cannot be written

    """
}

/// Why the arguments are invalid.
enum CommandError: Error, Equatable {
  case unknownOption(String)
  case missingValue(String)
  case malformedProxy

  var description: String {
    switch self {
    case .unknownOption(let option): "unknown option \(option)\nhint: call-dynamodb --help"
    case .missingValue(let option): "\(option) has no value\nhint: call-dynamodb --help"
    case .malformedProxy:
      "--proxy requires a scheme, a host and a port, without a user\nhint: --proxy http://proxy.example:3128"
    }
  }
}
