import Testing

/// One rule of the house, with a small repository that breaks it: the proof that the rule can fail.
struct Rule: Sendable, CustomTestStringConvertible {
  let name: String
  let findings: @Sendable (Repository) -> [String]
  /// Each of these breaks the rule.
  let bad: [[String: String]]
  /// What comes close and keeps the rule.
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

  /// The words may stand in the code of the files in `allowed` and nowhere else under the folders.
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

/// Code of the modules that are linked into the deployed function.
let functionFolders = [
  "Sources/JSON/", "Sources/JOSE/", "Sources/LambdaRuntime/", "Sources/Authorizer/", "Sources/bootstrap/",
  "Sources/KeyFetcher/", "Sources/fetch-keys/", "Sources/UserStore/", "Sources/SQLiteStore/",
  "Sources/DynamoDB/", "Sources/DynamoDBStore/", "Sources/call-dynamodb/", "Sources/Identity/",
  "Sources/identity-function/", "Sources/LibcurlTransfer/",
]

/// The files that compare text with a literal by `==`, each with the reason: what is compared is of our own, or a character.
let filesComparingWords: Set = [
  "Sources/JOSE/IssuerPreset.swift",  // a word that a switch has matched; a version of our own
  "Sources/JOSE/JSONWebKey.swift",  // a name from a list of our own
  "Sources/LambdaRuntime/RuntimeEndpoint.swift",  // characters of an address that Lambda gives
  "Sources/LambdaRuntime/PendingInvocation.swift",  // an ID of Lambda's of nothing but ASCII
  "Sources/Authorizer/TokenSource.swift",  // a name from a list of our own
  "Sources/Authorizer/IssuerDraft.swift",  // a preset of the configuration
]

/// The files that may speak to C, each with the reason. A new entry is a decision, not a detail.
let filesWithUnsafe: Set = [
  "Sources/JSON/PlainText.swift",  // reads eight bytes of a span at once
  "Sources/JOSE/Libcrypto.swift",  // libcrypto takes pointers
  "Sources/TestTokens/LibcryptoKey.swift",  // and again where keys are made
  "Sources/TestTokens/PrivateFolder.swift",  // file calls with modes that Foundation does not know
  "Sources/Authorizer/FunctionEnvironment.swift",  // getenv(3), open(2), clock_gettime(2)
  "Sources/Authorizer/Monitor.swift",  // a lock of the C library, at one address
  "Sources/LambdaRuntime/Socket.swift",  // socket calls and the clock
  "Sources/LambdaRuntime/InvocationLane.swift",  // hands ids to handlers of signals
  "Sources/KeyFetcher/SystemCalls.swift",  // starts and reads a process
  "Sources/SQLiteStore/SQLite.swift",  // SQLite takes pointers
  "Sources/LibcurlTransfer/Libcurl.swift",  // libcurl takes pointers
  "Sources/LibcurlTransfer/HostProcess.swift",  // read(2), write(2), getenv(3), arguments
  "Sources/DynamoDB/SystemCalls.swift",  // starts, writes to and reads a process, clocks
  "Sources/fuzz-parsers/FuzzDriver.swift",  // libFuzzer hands over pointers
  "Sources/Emulator/Process/SystemCalls.swift",  // calls that start and watch a process
  "Sources/Emulator/Bench/BenchSystemCalls.swift",  // sockets without a library, clocks and cores
]

/// The files of tests that may use real time, each with the reason. No verdict depends on it.
let filesWithRealTime: Set = [
  "Tests/TestSupport/HangLimit.swift",  // when a hang is ended
  "Tests/ProcessTests/Patience.swift",  // timers of the emulated cloud that ring at HangLimit
  "Tests/EmulatorTests/FunctionPoolTests.swift",  // the same
  "Tests/ProcessTests/RuntimeEnduranceTests.swift",  // thaws a process, at whatever moment
]

/// The files with a type whose thread safety the compiler cannot see, each with the reason.
let filesWithUncheckedSendable: Set = [
  "Sources/JOSE/Libcrypto.swift",  // a key's handle is only read once it is made
  "Sources/Authorizer/Monitor.swift",  // a lock is made for several threads
  "Sources/TestTokens/LibcryptoKey.swift",  // the same
]

/// Every reason code of the project (README, "Reasons"). A code that Sources give must be proved by a test or an event.
let reasonCodes = [
  "malformedToken", "encryptedToken", "algorithmNotAllowed", "wrongIssuer", "wrongAudience", "expired",
  "lifetimeTooLong", "tooOld", "missingClaim", "malformedClaim", "wrongType", "ambiguousToken",
  "missingToken", "unknownKey", "signatureMismatch", "notYetValid", "issuedInFuture", "boundToken", "revoked",
  "insufficientScope", "claimNotAllowed", "claimNotRoutable", "noRule",
  "keysUnavailable", "storeUnavailable", "invalidEvent", "invalidConfiguration", "answerTooLarge",
]
