import Testing

/// One house rule, with small repositories that violate it, which prove that the rule can fail.
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
  "Sources/JSON/", "Sources/JOSE/", "Sources/LambdaRuntime/", "Sources/Authorizer/", "Sources/bootstrap/",
  "Sources/KeyFetcher/", "Sources/fetch-keys/", "Sources/UserStore/", "Sources/SQLiteStore/",
  "Sources/DynamoDB/", "Sources/DynamoDBStore/", "Sources/call-dynamodb/", "Sources/Identity/",
  "Sources/identity-function/", "Sources/LibcurlTransfer/",
]

/// The files that may compare text with a literal by `==`, each with the reason: the text is our own or a character.
let filesComparingWords: Set = [
  "Sources/JOSE/IssuerPreset.swift",  // a word that a switch matched; our own version
  "Sources/JOSE/JSONWebKey.swift",  // a name from our own list
  "Sources/LambdaRuntime/RuntimeEndpoint.swift",  // characters of Lambda's address
  "Sources/LambdaRuntime/PendingInvocation.swift",  // an ASCII ID of Lambda's
  "Sources/Authorizer/TokenSource.swift",  // a name from our own list
  "Sources/Authorizer/IssuerDraft.swift",  // a preset of the configuration
]

/// The files that may call C, each with the reason. Adding an entry requires a decision.
let filesWithUnsafe: Set = [
  "Sources/JSON/PlainText.swift",  // reads eight bytes of a span together
  "Sources/JOSE/Libcrypto.swift",  // libcrypto takes pointers
  "Sources/TestTokens/LibcryptoKey.swift",  // the same, for key generation
  "Sources/TestTokens/PrivateFolder.swift",  // file calls with modes that Foundation does not support
  "Sources/Authorizer/FunctionEnvironment.swift",  // getenv(3), open(2), clock_gettime(2)
  "Sources/Authorizer/Monitor.swift",  // a lock of the C library, at one address
  "Sources/LambdaRuntime/Socket.swift",  // socket calls and the clock
  "Sources/LambdaRuntime/InvocationLane.swift",  // passes IDs to signal handlers
  "Sources/KeyFetcher/SystemCalls.swift",  // starts and reads a process
  "Sources/SQLiteStore/SQLite.swift",  // SQLite takes pointers
  "Sources/LibcurlTransfer/Libcurl.swift",  // libcurl takes pointers
  "Sources/LibcurlTransfer/HostProcess.swift",  // read(2), write(2), getenv(3), arguments
  "Sources/DynamoDB/SystemCalls.swift",  // starts, writes to and reads a process, clocks
  "Sources/fuzz-parsers/FuzzDriver.swift",  // libFuzzer passes pointers
  "Sources/Emulator/Process/SystemCalls.swift",  // starts and watches a process
  "Sources/authorizer-local/Machine/FileStatus.swift",  // lstat(2): owner, permissions and hard links of a file
  "Sources/authorizer-local/Terminal/HelpText.swift",  // ioctl(2): the width of the terminal
  "Sources/Emulator/Bench/BenchSystemCalls.swift",  // sockets without a library, clocks and cores
]

/// The test files that may use real time, each with the reason. No test result depends on it.
let filesWithRealTime: Set = [
  "Tests/TestSupport/HangLimit.swift",  // ends hangs
  "Tests/ProcessTests/Patience.swift",  // timers of the emulated cloud at HangLimit
  "Tests/EmulatorTests/FunctionPoolTests.swift",  // the same
  "Tests/ProcessTests/RuntimeEnduranceTests.swift",  // thaws a process at any time
]

/// The files with types whose thread safety the compiler cannot check, each with the reason.
let filesWithUncheckedSendable: Set = [
  "Sources/JOSE/Libcrypto.swift",  // a key's handle is read-only after its creation
  "Sources/Authorizer/Monitor.swift",  // a lock is shared by threads
  "Sources/TestTokens/LibcryptoKey.swift",  // the same
]

/// Every reason code of the project (README, "Reasons"). A test or an event must cover each code that Sources use.
let reasonCodes = [
  "malformedToken", "encryptedToken", "algorithmNotAllowed", "wrongIssuer", "wrongAudience", "expired",
  "lifetimeTooLong", "tooOld", "missingClaim", "malformedClaim", "wrongType", "ambiguousToken",
  "missingToken", "unknownKey", "signatureMismatch", "notYetValid", "issuedInFuture", "boundToken", "revoked",
  "insufficientScope", "claimNotAllowed", "claimNotRoutable", "noRule",
  "keysUnavailable", "storeUnavailable", "invalidEvent", "invalidConfiguration", "answerTooLarge",
]
