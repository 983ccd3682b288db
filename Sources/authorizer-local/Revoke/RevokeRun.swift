internal import Authorizer
internal import DynamoDB
internal import FunctionHost
internal import IssuerKeys
internal import JOSE
internal import JSON
internal import Text
internal import Withdrawals

/// One run of `revoke`.
struct RevokeRun {
  let command: RevokeCommand
  let machine: Machine

  /// What is written: one key, in the forms in which the configuration looks it up.
  private struct Target {
    let withdrawal: Withdrawal
    let isApple: Bool
    /// Whether the authorizer reads items of the first form alone, as it does where `"issuers"` is a list.
    let isFirstAlone: Bool

    var entries: [WithdrawalEntry] {
      let key = withdrawal.key
      let first = WithdrawalEntry.subject(key.value, eventMilliseconds: withdrawal.eventMilliseconds)
      return (isFirstAlone && !isApple ? [] : [.withdrawal(withdrawal)])
        + (key.kind == .subject && (isApple || isFirstAlone) ? [first] : [])
    }

    /// The writes of the table, of which the first form is the last.
    func writes(at seconds: Int64, undo: Bool) -> [ItemWrite] {
      let isFirst = isApple || isFirstAlone
      let writes =
        (undo ? withdrawal.deletions(isApple: isFirst) : withdrawal.writes(at: seconds, isApple: isFirst))
        ?? []
      return isFirstAlone && !isApple ? Array(writes.dropFirst()) : writes
    }
  }

  /// - Throws: `CommandFailure`.
  func run() throws {
    let (kind, value) = try key()
    let now = machine.now()
    let event = command.at.map { Moment.parse($0, at: now) } ?? now
    guard let event, event < Int64.max / 1000, event > Int64.min / 1000 else {
      throw CommandFailure(options: Moment.problem("--at", command.at ?? ""))
    }
    // Their event has no effect, but a late one would keep a later withdrawal from extending `expires`.
    guard kind == .subject || event <= now else {
      throw CommandFailure(options: "--at in the future has a meaning for --sub only")
    }
    guard command.file == nil || command.table == nil, command.region == nil || command.file == nil else {
      throw CommandFailure(options: "--file excludes --table and --region")
    }
    let (settings, folder) = try settings()
    let (revocation, issuer, lookup) = try lookedUp(settings, by: kind)
    let key = WithdrawalKey(
      issuer: Array((lookup?.name ?? issuer.profile.issuers[0]).utf8), kind: kind, value: Array(value.utf8))
    let target = Target(
      withdrawal: Withdrawal(key, eventMilliseconds: event * 1000), isApple: issuer.isApple,
      isFirstAlone: lookup == nil)
    let place: String
    if let path = command.file {
      place = try write(target, toFile: path)
    } else if let table = command.table {
      place = try write(target, table, command.region)
    } else {
      switch revocation.store {
      case .file(let path):
        place = try write(target, toFile: path.hasBytePrefix("/") ? path : folder + "/" + path)
      case .dynamoDB(let table): place = try write(target, table.name, command.region ?? table.region)
      }
    }
    machine.terminal.answer(Printable.text(place))
    Self.advice(revocation).forEach { machine.terminal.answer($0) }
  }

  private func key() throws(CommandFailure) -> (WithdrawalKey.Kind, String) {
    let given: [(WithdrawalKey.Kind, String?)] = [
      (.subject, command.sub), (.session, command.sid), (.token, command.jti), (.lineage, command.originJti),
    ]
    let keys = given.compactMap { kind, value in value.map { (kind, $0) } }
    guard keys.count == 1, !keys[0].1.isEmpty else {
      throw CommandFailure(options: "give a value for one of --sub, --sid, --jti and --origin-jti")
    }
    return keys[0]
  }

  /// Returns the settings of the configuration, and the folder of its relative paths.
  private func settings() throws(CommandFailure) -> (Settings, folder: String) {
    let path = command.config
    _ = try machine.files.bytes(at: path, limit: JSONLimits.configuration.bytes)
    let source = LocalSource(of: path, machine.environment, machine.files)
    let settings = try Result(catching: source.settings).mapError { error in
      CommandFailure(
        .usage,
        Printable.text("\(path) is invalid" + (error.problems.first.map { ": " + $0.description } ?? "")),
        hint: "authorizer-local config check prints all problems")
    }.get()
    return (settings, source.taskRoot)
  }

  /// Returns how a key is looked up; the lookup is `nil` where `"issuers"` is a list.
  private func lookedUp(
    _ settings: Settings, by kind: WithdrawalKey.Kind
  ) throws(CommandFailure) -> (RevocationSettings, Settings.IssuerSettings, WithdrawalLookup?) {
    let names = settings.issuers.map(\.profile.name)
    guard let issuer = settings.issuers.first(where: { $0.profile.name.hasSameBytes(as: command.issuer) })
    else {
      throw CommandFailure(
        .usage, Printable.text("no issuer has the name \(command.issuer)"),
        hint: Printable.text("one of: " + names.joined(separator: ", ")))
    }
    guard let revocation = settings.revocation else {
      throw notLookedUp("the configuration has no \"revocation\"")
    }
    let id = revocation.issuers.first { settings[$0].profile.name.hasSameBytes(as: command.issuer) }
    guard let id else { throw notLookedUp("tokens of \(command.issuer) are not looked up") }
    let lookup = revocation.lookups.first { $0.issuer == id }
    guard (lookup?.kinds ?? [.subject]).contains(kind) else {
      throw notLookedUp("tokens of \(command.issuer) are not looked up by \(kind.claim)")
    }
    return (revocation, issuer, lookup)
  }

  private func notLookedUp(_ text: String) -> CommandFailure {
    CommandFailure(
      .unmet, Printable.text("withdrawalNotLookedUp: \(text)"),
      hint:
        "name the issuer and the claim in \"revocation\".\"issuers\" and deploy that first (docs/revocation.md)"
    )
  }

  // MARK: Stores

  private func write(_ target: Target, toFile path: String) throws(CommandFailure) -> String {
    try machine.files.locked(path) { () throws(CommandFailure) in try add(target, toFile: path) }
  }

  private func add(_ target: Target, toFile path: String) throws(CommandFailure) -> String {
    var entries: [WithdrawalEntry] = []
    if machine.files.exists(path) {
      let bytes = try machine.files.bytes(at: path, limit: WithdrawalFile.limits.bytes)
      guard let found = WithdrawalFile.entries(parsing: bytes) else {
        throw CommandFailure(.usage, Printable.text("\(path) is not a revocation file: nothing was written"))
      }
      entries = found
    }
    var isLate = false
    for entry in target.entries {
      let others = entries.filter { $0.key != entry.key }
      let same = entries.filter { $0.key == entry.key }
      if command.undo {
        entries = others
      } else if !same.contains(where: { $0.eventMilliseconds >= entry.eventMilliseconds }) {
        entries = others + [entry]
        isLate = true
      }
    }
    let bytes = WithdrawalFile.bytes(of: entries)
    guard bytes.count <= WithdrawalFile.limits.bytes else {
      throw CommandFailure(.usage, Printable.text("\(path) would be too large: use a table"))
    }
    try machine.files.write(bytes, to: path)
    return outcome(isLate, path)
  }

  private func write(_ target: Target, _ table: String, _ region: String?) throws(CommandFailure) -> String {
    let writes = target.writes(at: machine.now(), undo: command.undo)
    guard !writes.isEmpty else {
      throw CommandFailure(
        .usage, "the key has no item", hint: "write \"issuers\" as an object (docs/revocation.md)")
    }
    guard let program = machine.installation.program("call-dynamodb") else {
      throw machine.installation.missing("call-dynamodb", orElse: "write a file with --file FILE")
    }
    let transport = ProcessTransport(executable: program, allowsLoopbackHTTP: true) { name in
      name.hasSameBytes(as: "AWS_REGION") ? region ?? machine.environment[name] : machine.environment[name]
    }
    var client = DynamoDBClient(table: table, transport: transport, pace: SystemPace())
    let deadline = client.deadline(afterMilliseconds: Self.maximumMilliseconds)
    do throws(DynamoDBError) {
      let isLate = try client.withdraw(writes, deadline: deadline)
      return outcome(isLate, "the table \(table)")
    } catch {
      if case .unreachable(let failure) = error, failure.kind == .configuration {
        throw CommandFailure(
          .unavailable, Printable.text("\(failure.text): nothing was written to the table \(table)"),
          hint: "set AWS_REGION and credentials, or write a revocation file of this machine with --file FILE")
      }
      throw CommandFailure(
        .unavailable, Printable.text("\(error.code): \(error.description)"),
        hint: "it is not known to be written: set AWS_REGION and credentials, and run it again")
    }
  }

  /// The time limit of the write in milliseconds: a user waits for it (our own limit).
  private static let maximumMilliseconds: Int64 = 10_000

  private func outcome(_ isLate: Bool, _ place: String) -> String {
    command.undo
      ? "deleted from \(place)"
      : isLate ? "withdrawn in \(place)" : "\(place) has an event that is as late: nothing to write"
  }

  /// What is left to do: the function and API Gateway still have their last answers.
  private static func advice(_ revocation: RevocationSettings) -> [String] {
    let longer =
      revocation.lastKnownSeconds == 0
      ? "" : ", and up to \(revocation.lastKnownSeconds) s longer while it cannot read the store"
    return [
      "The function may use its last result for \(revocation.freshSeconds) s\(longer).",
      "API Gateway may use cached answers for the TTL of its authorizer. To end that, run after these"
        + " \(revocation.freshSeconds) s:",
      "  aws apigateway flush-stage-authorizers-cache --rest-api-id ID --stage-name STAGE   # REST API",
      "  aws apigatewayv2 reset-authorizers-cache --api-id ID --stage-name STAGE            # HTTP API",
      "A WebSocket API has no such cache: the backend must close open connections.",
    ]
  }
}
