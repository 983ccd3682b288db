package enum RuntimeAPILimits {
  /// The maximum event size of a synchronous invocation in bytes: 6 MiB (AWS Lambda quotas, "Invocation payload").
  package static let eventBytes = 6 * 1_048_576
  /// The maximum event size of an asynchronous invocation in bytes: 1 MiB (AWS Lambda quotas; 256 KiB until October
  /// 2025).
  package static let backgroundEventBytes = 1_048_576
  /// The maximum body size of a post in bytes: 6 MiB and 100 bytes, as in Lambda's own message.
  package static let payloadBytes = 6 * 1_048_576 + 100
  /// The maximum size of a streamed response in bytes: 200 MB (AWS Lambda quotas, "Invocation payload"). API Gateway
  /// documents no size; for streams of HTTP backends this is our choice.
  package static let streamBytes = 200 * 1_048_576
  /// The bytes of a too large post that are read and discarded, so that its sender can read the 413. After that the
  /// connection is closed. Our choice: ten times the limit.
  static let discardedBytes = 60 * 1_048_576
  /// The time limit until a process's first `/next`, in milliseconds (Lambda: 10 s on demand).
  package static let initializationMilliseconds = 10_000
  /// The time limit for a runtime to exit after SIGTERM, in milliseconds: 30 % of the 2 s that Lambda gives a whole
  /// environment (`rapid/shutdown.go` of aws-lambda-runtime-interface-emulator).
  package static let shutdownMilliseconds = 600
  /// The time limit for reading the posts of a dead process, in milliseconds. Our choice: the posts are in local
  /// sockets, and the wait ends as soon as those connections are read to their end.
  static let drainMilliseconds = 2_000
  /// The default time limit of an invocation in milliseconds: API Gateway's limit for a Lambda authorizer of an HTTP
  /// API.
  package static let invocationMilliseconds = 10_000
}
