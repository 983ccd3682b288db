import KeyFetcher

/// What the arguments ask for.
enum Command {
  case help
  case version
  case serve(Options)

  /// What holds for every request.
  struct Options {
    var allowsLoopbackHTTP = false
    /// Certificates in PEM that are trusted in place of the system's.
    var certificateFile: String?
    var proxy: String?
  }

  /// Reads the arguments after the name of the program.
  init(_ arguments: [String]) throws(CommandError) {
    var options = Options()
    var rest = arguments[...]
    while let word = rest.popFirst() {
      // Compared as bytes: `String ==` is Unicode equivalence, and brings its tables with it.
      guard let option = Option.allCases.first(where: { $0.name.utf8.elementsEqual(word.utf8) }) else {
        throw .unknownOption(word)
      }
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

  private enum Option: CaseIterable {
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

  /// `http://host:port` or `https://host:port`; no user, for arguments can be read by anyone on the machine.
  private static func proxy(_ text: String) throws(CommandError) -> String {
    let bytes = Array(text.utf8)
    guard let rest = bytes.after("https://") ?? bytes.after("http://"),
      let authority = try? Authority(parsing: rest), authority.port != nil
    else { throw .malformedProxy }
    return text
  }

  static let usage = """
    usage: call-dynamodb [OPTIONS]

    Calls DynamoDB for the function that started it: reads requests from standard input, signs and sends each over one
    connection that it keeps, and writes the answers to standard output, in frames that docs/dynamodb.md describes. Ends
    when standard input ends.

    OPTIONS
      --ca-file FILE          trust the certificates (PEM) in FILE, and no others
      --proxy URL             http://host:port or https://host:port; none is used without it
      --allow-loopback-http   plain http, to 127.0.0.0/8, [::1] and localhost only
      --version               print the versions of libcurl and of its TLS library
      --help                  print this

    ENVIRONMENT
      AWS_REGION, or AWS_DEFAULT_REGION                       the region that is signed for
      AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY                the credentials
      AWS_SESSION_TOKEN                                       with temporary credentials, as Lambda gives them
      AWS_ENDPOINT_URL_DYNAMODB                               in place of https://dynamodb.REGION.amazonaws.com
      SSL_CERT_FILE, SSL_CERT_DIR                             certificates to trust

    EXIT STATUS
       0  standard input ended
      64  wrong arguments
      65  standard input holds no request of this version
      69  --version, and libcurl is not installed or not usable
      74  standard output cannot be written

    """
}

/// Why the arguments are none of this program.
enum CommandError: Error, Equatable {
  case unknownOption(String)
  case missingValue(String)
  case malformedProxy

  var description: String {
    switch self {
    case .unknownOption(let option): "unknown option \(option)\nhint: call-dynamodb --help"
    case .missingValue(let option): "\(option) has no value\nhint: call-dynamodb --help"
    case .malformedProxy:
      "--proxy takes a scheme, a host and a port, and no user\nhint: --proxy http://proxy.example:3128"
    }
  }
}
