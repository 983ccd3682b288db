import Testing

/// One rule of the repository, with small repositories that violate it, which prove that the rule can fail.
struct Rule: Sendable, CustomTestStringConvertible {
  let name: String
  let findings: @Sendable (Repository) -> [String]
  /// Repositories that violate the rule.
  let bad: [[String: String]]
  /// A repository that follows the rule but is similar to a violation.
  let good: [String: String]

  init(
    _ name: String, bad: [[String: String]], good: [String: String] = [:],
    findings: @escaping @Sendable (Repository) -> [String]
  ) {
    self.name = name
    self.findings = findings
    self.bad = bad
    self.good = good
  }

  var testDescription: String { name }

  /// A rule that the words occur in code of these folders only in the `allowed` files.
  static func words(
    _ words: [String], stayOutOf folders: [String], except allowed: Set<String> = [],
    _ name: String, bad: [[String: String]], good: [String: String] = [:]
  ) -> Rule {
    Rule(name, bad: bad, good: good) { repository in
      folders.flatMap { repository.swift(under: $0) }.filter { !allowed.contains($0.path) }.flatMap { file in
        words.flatMap { word in
          file.code.lineNumbers(withWord: word).map { "\(file.path):\($0): \(word)" }
        }
      }
    }
  }
}

/// The modules that are linked into the deployed functions.
let functionFolders = [
  "Sources/Bytes/", "Sources/POSIX/", "Sources/JSON/", "Sources/JOSE/", "Sources/LambdaRuntime/",
  "Sources/FunctionHost/",
  "Sources/IssuerKeys/", "Sources/Authorizer/", "Sources/bootstrap/",
  "Sources/KeyFetcher/", "Sources/fetch-keys/", "Sources/UserStore/", "Sources/SQLiteStore/",
  "Sources/DynamoDB/", "Sources/DynamoDBStore/", "Sources/call-dynamodb/", "Sources/Identity/",
  "Sources/identity-function/", "Sources/LibcurlTransfer/", "Sources/Withdrawals/",
]

/// The files that may compare text with a literal by `==`, each with the reason: the text is our own or a character.
let filesComparingWords: Set = [
  "Sources/JOSE/Presets/IssuerPreset+Rows.swift",  // a character of a pool's ID
  "Sources/JOSE/Keys/JSONWebKey.swift",  // a name from our own list
  "Sources/LambdaRuntime/RuntimeEndpoint.swift",  // characters of Lambda's address
  "Sources/LambdaRuntime/PendingInvocation.swift",  // an ASCII ID of Lambda's
  "Sources/Authorizer/Event/TokenSource.swift",  // a name from our own list
  "Sources/Authorizer/Settings/IssuerConfiguration.swift",  // a preset of the configuration
]

/// The files that may call C, each with the reason. Adding an entry requires a decision.
let filesWithUnsafe: Set = [
  "Sources/POSIX/SystemCalls.swift",  // calls of the C library that several modules make
  "Sources/Bytes/Span+Word.swift",  // reads eight bytes of a span together
  "Sources/Bytes/StaticString+Bytes.swift",  // lends the bytes of constants and strings
  "Sources/Bytes/Array+Copying.swift",  // copies spans as memory, for which the library has loops
  "Sources/JOSE/Algorithms/Libcrypto.swift",  // libcrypto takes pointers
  "Sources/TestTokens/Keys/LibcryptoKey.swift",  // the same, for key generation
  "Sources/TestTokens/Keys/X509Certificate.swift",  // the same, for certificates
  "Sources/TestTokens/Keys/PrivateFolder.swift",  // file calls with modes that Foundation does not support
  "Sources/FunctionHost/FunctionEnvironment.swift",  // getenv(3), open(2), clock_gettime(2)
  "Sources/FunctionHost/Monitor.swift",  // a lock of the C library, at one address
  "Sources/LambdaRuntime/Socket.swift",  // socket calls
  "Sources/LambdaRuntime/WorkerSlot.swift",  // passes IDs to signal handlers
  "Sources/SQLiteStore/SQLiteConnection.swift",  // SQLite takes pointers
  "Sources/LibcurlTransfer/Libcurl.swift",  // libcurl takes pointers
  "Sources/LibcurlTransfer/HostProcess.swift",  // arguments of the process
  "Sources/fuzz-parsers/FuzzDriver.swift",  // libFuzzer passes pointers
  "Sources/LambdaEmulator/Process/ProcessCalls.swift",  // starts and watches a process
  "Sources/authorizer-local/Machine/FileStatus.swift",  // lstat(2): owner, permissions, hard links
  "Sources/authorizer-local/Terminal/HelpText.swift",  // ioctl(2): the width of the terminal
  "Sources/ZipCompression/Deflate.swift",  // zlib takes pointers
  "Sources/ConsolePage/ConsolePage.swift",  // files that are constants of C
  "Sources/Bench/BenchSystemCalls.swift",  // sockets without a library, clocks and cores
]

/// The test files that may use real time, each with the reason. No test result depends on it.
let filesWithRealTime: Set = [
  "Tests/TestSupport/HangLimit.swift",  // ends hangs
  "Tests/ProcessTests/Workshop/LambdaClock+LongTimeouts.swift",  // timers of the emulated cloud at HangLimit
  "Tests/LambdaEmulatorTests/Invoke/FunctionPoolTests.swift",  // the same
  "Tests/ProcessTests/Function/RuntimeEnduranceTests.swift",  // thaws a process at any time
]

/// The files with types whose thread safety the compiler cannot check, each with the reason.
let filesWithUncheckedSendable: Set = [
  "Sources/JOSE/Algorithms/Libcrypto.swift",  // a key's handle is read-only after its creation
  "Sources/FunctionHost/Monitor.swift",  // a lock is shared by threads
  "Sources/TestTokens/Keys/LibcryptoKey.swift",  // the same
]

/// Every reason code of the project (README, "Reasons"). A test or an event must cover each code that Sources use.
let reasonCodes = [
  "malformedToken", "encryptedToken", "algorithmNotAllowed", "wrongIssuer", "wrongAudience", "expired",
  "lifetimeTooLong", "tooOld", "missingClaim", "malformedClaim", "wrongType", "ambiguousToken",
  "missingToken", "unknownKey", "signatureMismatch", "notYetValid", "issuedInFuture", "boundToken", "revoked",
  "missingProof", "invalidProof", "replayedProof", "certificateMismatch",
  "insufficientScope", "claimNotAllowed", "claimNotRoutable", "noRule",
  "keysUnavailable", "storeUnavailable", "invalidEvent", "invalidConfiguration", "answerTooLarge",
]
