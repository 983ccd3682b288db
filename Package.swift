// swift-tools-version: 6.2
import PackageDescription

/// Warnings are errors in our own builds (`CI` is set, or `make lint`), never in a user's build with a newer
/// compiler.
let warningsAreErrors =
  Context.environment["CI"] != nil || Context.environment["WARNINGS_AS_ERRORS"] == "1"

let commonSettings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

/// `make bootstrap` compiles the function as Embedded Swift, one fully static file (docs/contributing/decisions/0001-linking.md).
/// Tests and tools compile the same modules as ordinary Swift.
let shipsFunction = Context.environment["AUTHORIZER_FUNCTION"] == "1"
/// `make fuzz` compiles the parsers with libFuzzer's coverage counters, and the fuzzer `fuzz-parsers`.
let fuzzes = Context.environment["AUTHORIZER_FUZZ"] == "1"
/// `make serve TLS=1` adds `serve --tls`. Its library takes minutes to build, so no other command builds it.
let servesTLS = Context.environment["AUTHORIZER_TLS"] == "1"
/// `make test-function` builds the functions and their tests alone, which need no package of others.
let testsFunctionOnly = Context.environment["AUTHORIZER_FUNCTION_TESTS"] == "1"
let function =
  commonSettings
  // One section for each function: the linker then drops unused functions and duplicate generic code of the standard
  // library.
  + (shipsFunction
    ? [
      .enableExperimentalFeature("Embedded"), .unsafeFlags(["-wmo", "-Xfrontend", "-function-sections"]),
    ] : [])
  + (fuzzes ? [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])] : [])

/// A program in Embedded Swift contains the code of its modules as it is optimized for that program, so the linker would
/// drop what the modules' own objects contain. They stay empty, which takes half of the build's time.
let laterCode: [SwiftSetting] =
  shipsFunction ? [.unsafeFlags(["-Xfrontend", "-emit-empty-object-file"])] : []

/// For modules that are optimized in debug builds too, because tests would spend seconds in them otherwise.
let alwaysOptimized: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// A module of the deployed function, which depends only on libc, libcrypto and the named modules.
func functionModule(
  _ name: String, _ dependencies: [Target.Dependency] = [], more: [SwiftSetting] = []
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: function + laterCode + more)
}

/// `make instructions` links the function with symbols and writes the linker's map to this path. The code is the same.
let linkMap = Context.environment["AUTHORIZER_LINK_MAP"]

/// The linker settings of a shipped program: no unused code, no symbols, one copy of texts that end alike and of equal
/// functions, and the given flags. Swift compares no addresses of functions, and no function of libcrypto is merged: its
/// functions have no sections of their own.
func linked(_ flags: [String]) -> [LinkerSetting] {
  guard shipsFunction else { return [] }
  let symbols = linkMap.map { ["-Xlinker", "-Map=" + $0] } ?? ["-Xlinker", "-s"]
  let common = [
    "-enable-experimental-feature", "Embedded", "-use-ld=lld", "-Xlinker", "--gc-sections", "-Xlinker", "-O2",
    "-Xlinker", "--icf=all",
  ]
  return [.unsafeFlags(common + symbols + flags)]
}

/// The linker settings of a static program. No code calls `OpenSSL_version`; its text is libcrypto's own version, which
/// `doctor` and a release's SBOM read in the program.
let staticProgram = linked([
  "-Xclang-linker", "-static", "-lm", "-Xlinker", "-u", "-Xlinker", "OpenSSL_version",
])

/// The linker settings of a program that loads libcurl.
let dynamicProgram = linked(["-Xlinker", "-z", "-Xlinker", "now"])

func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], more: [SwiftSetting] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, swiftSettings: commonSettings + testIndex + more
  )
}

/// SwiftPM looks for tests of XCTest in the index of the test targets, and fails without one, although no test uses
/// XCTest. `make` gives the folder, because it builds everything else without an index.
let testIndex =
  Context.environment["AUTHORIZER_TEST_INDEX"].map {
    [SwiftSetting.unsafeFlags(["-index-store-path", $0])]
  } ?? []

let functionTargets: [Target] = [
  .systemLibrary(
    name: "CLibcrypto", pkgConfig: "libcrypto",
    providers: [.apt(["libssl-dev"]), .brew(["openssl@3"]), .yum(["openssl-devel"])]),
  .systemLibrary(name: "CPOSIX"),
  // Names and classes of ASCII bytes, case folding, several bytes at a time.
  functionModule("Bytes", more: alwaysOptimized),
  // Calls of libc: errors, clocks, descriptors, child processes.
  functionModule("POSIX", ["CPOSIX"]),
  // Strict RFC 8259, and the only writer of JSON text.
  functionModule("JSON", ["Bytes"], more: alwaysOptimized),
  // Compact text to VerifiedToken: key sets, algorithms, claims. No network and no clock.
  functionModule("JOSE", ["Bytes", "JSON", "CLibcrypto"]),
  // Signal handlers, in which no Swift code may run.
  .target(name: "CLambdaRuntime"),
  // The Runtime API 2018-06-01 over plain sockets. It knows no tokens.
  functionModule("LambdaRuntime", ["Bytes", "JSON", "POSIX", "CPOSIX", "CLambdaRuntime"]),
  // One bounded fetch of a key set, by the process fetch-keys.
  functionModule("KeyFetcher", ["Bytes", "POSIX"]),
  // What both functions need of their process: variables, files, clocks, log lines, problems of a configuration.
  functionModule("FunctionHost", ["Bytes", "JSON", "POSIX", "CPOSIX"]),
  // How keys are configured, fetched, shared by workers and replaced. No sockets.
  functionModule("IssuerKeys", ["Bytes", "FunctionHost", "JOSE", "JSON", "KeyFetcher"]),
  // One table under a deadline, with retries, by the process call-dynamodb.
  functionModule("DynamoDB", ["Bytes", "JSON", "POSIX"]),
  // What a withdrawal ends, and its form as an item of the table and as an entry of the file.
  functionModule("Withdrawals", ["Bytes", "DynamoDB", "JOSE", "JSON"]),
  // Events in, decisions and policies out: rules, answers, revocation, possession. No sockets.
  functionModule(
    "Authorizer",
    [
      "Bytes", "FunctionHost", "IssuerKeys", "JOSE", "JSON", "KeyFetcher", "DynamoDB", "Withdrawals",
    ]),
  // What a user store guarantees, as a protocol; then the two that exist.
  functionModule("UserStore", ["Bytes", "JOSE", "Withdrawals"]),
  .systemLibrary(
    name: "CSQLite", pkgConfig: "sqlite3",
    providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"]), .yum(["sqlite-devel"])]),
  functionModule(
    "SQLiteStore", ["Bytes", "UserStore", "JSON", "Withdrawals", "POSIX", "CPOSIX", "CSQLite"]),
  functionModule("DynamoDBStore", ["Bytes", "DynamoDB", "UserStore", "Withdrawals"]),
  // Sign-ins, users and notifications. No sockets.
  functionModule(
    "Identity", ["Bytes", "FunctionHost", "IssuerKeys", "JOSE", "JSON", "UserStore", "Withdrawals"]),
  .executableTarget(
    name: "bootstrap", dependencies: ["Authorizer", "FunctionHost", "LambdaRuntime", "CPOSIX"],
    swiftSettings: function,
    linkerSettings: staticProgram),
  // Not `identity`: on case-insensitive file systems its folder would be that of the module `Identity`.
  .executableTarget(
    name: "identity-function",
    dependencies: [
      "DynamoDB", "DynamoDBStore", "FunctionHost", "Identity", "IssuerKeys", "LambdaRuntime", "SQLiteStore",
      "UserStore", "CPOSIX",
    ], swiftSettings: function,
    linkerSettings: staticProgram),
  // libcurl is loaded at run time, so nothing is linked with it.
  .target(name: "CLibcurl"),
  functionModule("LibcurlTransfer", ["CLibcurl", "POSIX", "CPOSIX"]),
  .executableTarget(
    name: "fetch-keys", dependencies: ["Bytes", "KeyFetcher", "LibcurlTransfer", "CLibcurl"],
    swiftSettings: function,
    linkerSettings: dynamicProgram),
  .executableTarget(
    name: "call-dynamodb", dependencies: ["Bytes", "DynamoDB", "KeyFetcher", "LibcurlTransfer", "CLibcurl"],
    swiftSettings: function,
    linkerSettings: dynamicProgram),
]

let libcryptoCertificates = Target.systemLibrary(
  name: "CLibcryptoX509", pkgConfig: "libcrypto",
  providers: [.apt(["libssl-dev"]), .brew(["openssl@3"]), .yum(["openssl-devel"])])

/// Patterns, JSONPath, encodings, shell words, similar names; external text by bytes.
let text = harnessModule("Text", ["Bytes", "JSON"], more: alwaysOptimized)

let testTokens = Target.target(
  name: "TestTokens", dependencies: ["Bytes", "JSON", "Text", "CLibcrypto", "CLibcryptoX509"],
  swiftSettings: commonSettings + (fuzzes ? [.unsafeFlags(["-enable-testing"])] : []))

let fuzzTargets: [Target] = [
  libcryptoCertificates, text, testTokens,
  .systemLibrary(name: "CLibFuzzer"),
  .executableTarget(
    name: "fuzz-parsers",
    dependencies: [
      "Authorizer", "Bytes", "FunctionHost", "IssuerKeys", "JOSE", "JSON", "KeyFetcher", "LambdaRuntime",
      "TestTokens", "CLibFuzzer",
    ],
    swiftSettings: commonSettings),
]

let tlsTarget = Target.target(
  name: "GatewayTLS",
  dependencies: [
    "GatewayEmulator", .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOSSL", package: "swift-nio-ssl"),
  ],
  swiftSettings: commonSettings)

func harnessModule(
  _ name: String, _ dependencies: [Target.Dependency], more: [SwiftSetting] = []
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: commonSettings + more)
}

let log = Target.Dependency.product(name: "Logging", package: "swift-log")

/// The packages of HTTP servers.
let servers: [Target.Dependency] = [
  .product(name: "HummingbirdCore", package: "hummingbird"),
  .product(name: "HTTPTypes", package: "swift-http-types"), log,
  .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
  .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
  .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
]

let webSockets: [Target.Dependency] = [
  .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
  .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
]

let harnessTargets: [Target] =
  [
    libcryptoCertificates, text, testTokens,
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"]), .yum(["zlib-devel"])]),
    // DEFLATE for deployment packages.
    harnessModule("ZipCompression", ["CZlib"]),
    // The files of the console of `serve`, so that the program needs no file beside it.
    .target(name: "CConsolePage"),
    .target(
      name: "ConsolePage", dependencies: ["CConsolePage"], exclude: ["Script", "console.css", "index.html"],
      swiftSettings: commonSettings),
    // The harness, from the bottom to the top: docs/contributing/architecture.md.
    // IAM policies, conditions and their evaluation.
    harnessModule("IAMPolicy", ["Bytes", "JSON", "POSIX", "Text"]),
    // VTL mapping templates, and quotas of API Gateway.
    harnessModule("Mapping", ["Bytes", "JSON", "Text"]),
    // APIs, routes, authorizers and integrations as data; the route of a request.
    harnessModule("GatewayModel", ["Bytes", "IAMPolicy", "JSON", "Mapping", "Text", "TestTokens"]),
    // The Runtime API server, function processes, the Invoke API, handlers in Python and Node.js.
    harnessModule("LambdaEmulator", ["Bytes", "GatewayModel", "JSON", "POSIX", "Text"] + servers),
    // What an authorizer's answer means, for every command; contract tests.
    harnessModule(
      "AuthorizerContract", ["GatewayModel", "IAMPolicy", "JSON", "LambdaEmulator", "Mapping", "Text"]),
    // The development issuer and its authorization server.
    harnessModule(
      "IssuerEmulator",
      ["Bytes", "GatewayModel", "JOSE", "JSON", "LambdaEmulator", "TestTokens", "Text"]),
    // What API Gateway does with a request, and the server around it.
    harnessModule(
      "GatewayEmulator",
      [
        "AuthorizerContract", "Bytes", "CLibcurl", "GatewayModel", "IAMPolicy", "IssuerEmulator", "JOSE",
        "JSON", "LambdaEmulator", "LibcurlTransfer", "Mapping", "TestTokens", "Text",
      ] + servers + webSockets),
    // Formulas of propositional logic, and the search for what satisfies them.
    harnessModule("Satisfiability", [], more: alwaysOptimized),
    // What rules allow, over all requests and all tokens: comparisons and proofs.
    harnessModule(
      "RuleAnalysis", ["Authorizer", "FunctionHost", "IssuerKeys", "JOSE", "JSON", "Satisfiability"]),
    // The decisions of the gateway for the console. Only it renders them, without credentials.
    harnessModule(
      "GatewayConsole",
      [
        "AuthorizerContract", "Bytes", "ConsolePage", "GatewayEmulator", "GatewayModel", "IAMPolicy",
        "IssuerEmulator", "JSON", "LambdaEmulator", "TestTokens", "Text",
      ]),
    // SAM, CloudFormation and OpenAPI to APIs. Only it and its tests use Yams.
    harnessModule(
      "Templates",
      [
        "Bytes", "GatewayModel", "IAMPolicy", "JSON", "Mapping", "Text",
        .product(name: "Yams", package: "Yams"),
      ]),
    // The findings of doctor, and deployment packages.
    harnessModule(
      "DeploymentChecks",
      [
        "Bytes", "GatewayModel", "IAMPolicy", "JSON", "LambdaEmulator", "Mapping", "Templates", "TestTokens",
        "Text", "ZipCompression",
      ]),
    // What a deployed API answers, beside what the gateway predicts.
    harnessModule(
      "DeploymentSmoke",
      [
        "AuthorizerContract", "Bytes", "CLibcurl", "GatewayEmulator", "GatewayModel", "IAMPolicy", "JSON",
        "KeyFetcher", "LambdaEmulator", "LibcurlTransfer", "Text",
      ]),
    harnessModule("Bench", ["AuthorizerContract", "JSON", "LambdaEmulator", "POSIX"]),
    // Functions of glibc 2.35, so that the release tool needs 2.34 only.
    .target(name: "COlderGlibc"),
    .executableTarget(
      name: "authorizer-local",
      dependencies: [
        "Authorizer", "AuthorizerContract", "Bench", "Bytes", "COlderGlibc", "DeploymentChecks",
        "DeploymentSmoke", "DynamoDB",
        "FunctionHost", "GatewayConsole", "GatewayEmulator", "GatewayModel", "IAMPolicy", "Identity",
        "IssuerEmulator", "IssuerKeys", "JOSE", "JSON", "KeyFetcher", "LambdaEmulator", "Mapping",
        "POSIX", "RuleAnalysis", "Templates",
        "TestTokens", "Text", "Withdrawals",
        .product(name: "ArgumentParser", package: "swift-argument-parser"), log,
      ] + (servesTLS ? ["GatewayTLS"] : []),
      swiftSettings: commonSettings + (servesTLS ? [.define("SERVES_TLS")] : [])),
  ] + (servesTLS ? [tlsTarget] : [])

let testTargets = [
  // Shared by several test targets: time limits, test programs, descriptions of large values.
  .target(
    name: "TestSupport", dependencies: ["JSON", "TestTokens"], path: "Tests/TestSupport",
    swiftSettings: commonSettings),
  tests("TestSupportTests", ["TestSupport"]),
  tests("JSONTests", ["Bytes", "JSON", "TestSupport"]),
  tests("BytesTests", ["Bytes"]),
  tests("POSIXTests", ["POSIX", "TestSupport"]),
  tests("JOSETests", ["Bytes", "JOSE", "JSON", "TestSupport", "TestTokens"]),
  .executableTarget(
    name: "crashing-function", dependencies: ["LambdaRuntime", "CPOSIX"],
    path: "Tests/Fixtures/crashing-function", swiftSettings: commonSettings),
  tests("LambdaRuntimeTests", ["LambdaRuntime", "JSON", "POSIX", "TestSupport", "crashing-function"]),
  tests("FunctionHostTests", ["FunctionHost", "TestSupport"]),
  tests("IssuerKeysTests", ["IssuerKeys", "JOSE", "JSON", "KeyFetcher", "TestTokens"]),
  tests(
    "AuthorizerTests",
    [
      "Authorizer", "DynamoDB", "IAMPolicy", "FunctionHost", "IssuerKeys", "JOSE", "JSON", "KeyFetcher",
      "TestSupport", "TestTokens", "Withdrawals",
    ]
      // The authorizer behind the gateway.
      + (testsFunctionOnly
        ? []
        : [
          "AuthorizerContract", "DeploymentChecks", "EmulatorTestSupport", "GatewayEmulator", "GatewayModel",
          "IssuerEmulator", "LambdaEmulator", "Mapping", "Templates", "Text",
        ]),
    exclude: ["Golden"] + (testsFunctionOnly ? ["Gateway"] : [])),
  tests(
    "IdentityTests",
    [
      "Identity", "FunctionHost", "IssuerKeys", "JOSE", "JSON", "KeyFetcher", "TestTokens", "UserStore",
      "TestSupport", "UserStoreContract", "Withdrawals",
    ]),
  tests(
    "RuleAnalysisTests",
    [
      "Authorizer", "FunctionHost", "IssuerKeys", "JSON", "KeyFetcher", "RuleAnalysis", "TestSupport",
      "TestTokens",
    ],
    more: alwaysOptimized),
  tests("TestTokensTests", ["TestTokens", "JSON", "TestSupport", "CLibcrypto"]),
  tests("ZipCompressionTests", ["ZipCompression", "TestSupport"]),
  tests("BenchTests", ["Bench", "LambdaEmulator"]),
  tests("TextTests", ["JSON", "Text", "TestSupport"]),
  tests("IAMPolicyTests", ["IAMPolicy", "JSON", "TestSupport"]),
  tests("MappingTests", ["JSON", "Mapping", "TestSupport"]),
  tests("GatewayModelTests", ["GatewayModel", "TestSupport"]),
  // What the tests of several modules of the emulator share: APIs, templates, clients and clocks.
  .target(
    name: "EmulatorTestSupport",
    dependencies: [
      "GatewayEmulator", "GatewayModel", "JSON", "LambdaEmulator",
      "Templates", "TestSupport", "TestTokens", log,
    ], path: "Tests/EmulatorTestSupport", swiftSettings: commonSettings),
  tests(
    "LambdaEmulatorTests",
    [
      "AuthorizerContract",
      "EmulatorTestSupport", "GatewayModel", "JSON", "LambdaEmulator", "Templates", "TestSupport", log,
    ]),
  tests(
    "AuthorizerContractTests",
    ["AuthorizerContract", "GatewayModel", "IAMPolicy", "JSON", "LambdaEmulator", "TestSupport"]),
  tests(
    "IssuerEmulatorTests",
    [
      "EmulatorTestSupport", "GatewayEmulator", "GatewayModel", "IssuerEmulator", "JOSE", "JSON",
      "LambdaEmulator",
      "Templates", "TestSupport", "TestTokens", "Text",
    ]),
  tests(
    "GatewayEmulatorTests",
    [
      "Authorizer", "AuthorizerContract", "DeploymentChecks", "EmulatorTestSupport", "GatewayEmulator",
      "GatewayModel",
      "IAMPolicy", "IssuerEmulator", "JSON", "LambdaEmulator", "Mapping", "Templates",
      "TestSupport", "TestTokens", "Text", log,
    ]),
  tests(
    "GatewayConsoleTests",
    [
      "EmulatorTestSupport", "GatewayConsole", "GatewayEmulator", "GatewayModel",
      "IAMPolicy",
      "IssuerEmulator", "JSON", "LambdaEmulator", "TestSupport", "TestTokens", "Text", log,
    ]),
  tests(
    "TemplatesTests",
    [
      "EmulatorTestSupport", "GatewayEmulator", "GatewayModel", "IAMPolicy", "JSON", "Templates",
      "TestSupport", "Text", .product(name: "Yams", package: "Yams"),
    ]),
  tests(
    "DeploymentChecksTests",
    [
      "DeploymentChecks", "EmulatorTestSupport", "GatewayModel", "Templates",
      "TestSupport", "ZipCompression",
    ]),
  tests(
    "DeploymentSmokeTests",
    [
      "DeploymentSmoke", "EmulatorTestSupport", "GatewayEmulator", "GatewayModel", "LambdaEmulator",
      "LibcurlTransfer", "Templates", "TestSupport",
    ]),
  tests(
    "AuthorizerLocalTests",
    [
      "authorizer-local", "AuthorizerContract", "Bench", "DeploymentChecks", "EmulatorTestSupport",
      "GatewayEmulator", "GatewayModel", "IAMPolicy", "IssuerEmulator", "JOSE", "JSON", "LambdaEmulator",
      "FunctionHost", "Templates", "TestSupport",
      "TestTokens", .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ]),
  tests(
    "ProcessTests",
    [
      "authorizer-local", "AuthorizerContract", "DeploymentChecks",
      "GatewayEmulator", "GatewayModel", "LambdaEmulator",
      "LoopbackTLS",
      "Templates", "TestSupport", "TestTokens", "JSON", log,
    ]),
  .systemLibrary(
    name: "CLibssl", path: "Tests/CLibssl", pkgConfig: "libssl",
    providers: [.apt(["libssl-dev"]), .brew(["openssl@3"]), .yum(["openssl-devel"])]),
  .target(
    name: "LoopbackTLS", dependencies: ["CLibssl", "TestSupport"], path: "Tests/LoopbackTLS",
    swiftSettings: commonSettings),
  tests("KeyFetcherTests", ["KeyFetcher", "fetch-keys", "CLibssl", "LoopbackTLS", "TestSupport"]),
  .executableTarget(
    name: "user-writer", dependencies: ["SQLiteStore", "UserStore", "CPOSIX"],
    path: "Tests/Fixtures/user-writer", swiftSettings: commonSettings),
  tests(
    "SQLiteStoreTests",
    [
      "SQLiteStore", "UserStore", "UserStoreContract", "JSON", "TestSupport", "Withdrawals", "user-writer",
    ]),
  // The contract of every user store, for the tests of each.
  .target(
    name: "UserStoreContract", dependencies: ["UserStore", "TestSupport", "Withdrawals"],
    path: "Tests/UserStoreContract",
    swiftSettings: commonSettings),
  tests("UserStoreContractTests", ["UserStoreContract", "Withdrawals"]),
  tests("WithdrawalsTests", ["DynamoDB", "Withdrawals"]),
  tests("DynamoDBTests", ["DynamoDB", "call-dynamodb", "LoopbackTLS", "TestSupport"]),
  tests(
    "DynamoDBStoreTests",
    [
      "DynamoDBStore", "DynamoDB", "call-dynamodb", "UserStore", "UserStoreContract", "JSON", "TestSupport",
      "Withdrawals",
    ]),
  tests("RepositoryTests", ["TestSupport"]),
]

/// The test targets to build, separated by spaces; all of them by default. A change of a module of the function or of
/// the emulator otherwise compiles and links every test that depends on it.
let chosenTests = (Context.environment["TEST_TARGETS"] ?? "").split(separator: " ").map(String.init)
let builtTests = testTargets.filter { target in
  target.type != .test || chosenTests.isEmpty || chosenTests.contains(target.name)
}

let functionTests: Set = [
  "AuthorizerTests", "BytesTests", "DynamoDBStoreTests", "DynamoDBTests", "FunctionHostTests",
  "IAMPolicyTests",
  "IdentityTests", "IssuerKeysTests", "JOSETests", "JSONTests", "KeyFetcherTests", "LambdaRuntimeTests",
  "POSIXTests", "SQLiteStoreTests", "TestSupportTests", "TestTokensTests", "TextTests",
  "UserStoreContractTests", "WithdrawalsTests",
]
let functionTestTargets =
  [libcryptoCertificates, text, testTokens] + harnessTargets.filter { $0.name == "IAMPolicy" }
  + builtTests.filter { target in
    target.type == .test ? functionTests.contains(target.name) : target.name != "EmulatorTestSupport"
  }

/// Nothing besides the function, or its parsers' fuzzer, or its tests, or everything else.
let otherTargets =
  shipsFunction
  ? [] : fuzzes ? fuzzTargets : testsFunctionOnly ? functionTestTargets : harnessTargets + builtTests
let needsPackages = !shipsFunction && !fuzzes && !testsFunctionOnly

let package = Package(
  name: "api-gateway-authorizer",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "bootstrap", targets: ["bootstrap"]),
    .executable(name: "identity", targets: ["identity-function"]),
    .executable(name: "fetch-keys", targets: ["fetch-keys"]),
    .executable(name: "call-dynamodb", targets: ["call-dynamodb"]),
  ]
    + (needsPackages ? [.executable(name: "authorizer-local", targets: ["authorizer-local"])] : []),
  dependencies: !needsPackages
    ? []
    : [
      .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
      .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
      .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
      .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
      .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
      // Without its traits, which add an unused configuration library.
      .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
      .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
      .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ]
      + (servesTLS ? [.package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6")] : []),
  targets: functionTargets + otherTargets
)
