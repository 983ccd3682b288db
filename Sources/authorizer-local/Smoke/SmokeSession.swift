internal import DeploymentSmoke
internal import GatewayEmulator
internal import LambdaEmulator
internal import Templates
internal import Foundation

/// One run of `smoke`: the plan, and with `--yes` the requests.
struct SmokeSession {
  let command: SmokeCommand
  let order: SmokeOrder
  let serve: ServeOptions
  let template: String
  let machine: Machine

  /// - Throws: `CommandFailure` if nothing can be asked, and `CommandExit` if the answers are not as predicted.
  func run() async throws {
    for note in order.notes { machine.terminal.note(note) }
    let plan = try plan()
    guard command.yes else { return show(plan) }
    if plan.wait > 0 { machine.terminal.note("note: waits \(plan.wait) s after the first requests") }
    let report = try await report(of: plan)
    if let junit = command.junit { try machine.files.write(Array(report.junit.utf8), to: junit) }
    machine.terminal.answer(json: report.json, if: command.json, else: report.lines.map(Printable.text))
    if report.differences > 0 { throw CommandExit.unmet }
    if report.isIncomplete { throw CommandExit.functionFailed }
  }

  /// Reads the template alone: no key set is fetched, and no function started.
  private func plan() throws(CommandFailure) -> SmokePlan {
    let gateway = try ParsedTemplate(at: template, serve.values, on: machine)
      .gateway(at: template, for: "smoke")
    return try Result { () throws(SmokeRefusal) in
      var targets: [SmokeTarget] = []
      for address in order.addresses {
        targets.append(
          try SmokeTarget(
            address, in: gateway.served, identifiers: command.apiId, hosts: command.host,
            takesWebSockets: command.websocket))
      }
      return try SmokePlan(targets, order.choices)
    }.mapError(SmokeOrder.failure).get()
  }

  private func report(of plan: SmokePlan) async throws -> SmokeReport {
    let session = try ServeSession(serve, template: template, nil, on: machine, reading: machine)
    let authorizers = session.template.calledFunctions(byAuthorizers: true)
    let settings = session.functions.settings.filter { authorizers.contains($0.name) }
    let (clock, rate, terminal) = (try machine.timeouts.clock(), command.rate, machine.terminal)
    let (tokens, base) = (order.tokens, serve.behaviors)
    do {
      return try await session.open(settings[...], [:], showsOutput: false) { functions in
        let predictor = Predictor(base, functions: Set(functions.keys)) { assumptions in
          GatewayService(
            gateway: Gateway(
              session.template.served, settings: assumptions, trust: session.trust,
              keyValues: session.apiKeys.values), functions: functions, clock: clock)
        }
        return try await plan.report(
          by: predictor, tokens: tokens, rate: rate, clock: clock,
          onProgress: { terminal.progress($0, of: plan.requests.count) }
        ) { await DeploymentClient.answer(to: $0, at: $1) }
      }
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.unavailable, "cannot start the authorizer: \(error)")
    }
  }

  private func show(_ plan: SmokePlan) {
    func say(_ line: String) { machine.terminal.answer(Printable.text(line)) }
    let seconds = Int((Double(plan.requests.count) / command.rate).rounded(.up))
    say("plan: \(plan.requests.count) requests, \(plan.withToken) with a token, in \(seconds) s")
    var host = ""
    for request in plan.requests {
      let next = request.target.address.origin
      if next != host { say("  to \(next)") }
      host = next
      say("    \(request.title)")
    }
    if plan.wait > 0 {
      say("  after \(plan.wait) s again those whose token has expired, \(plan.repeatable) at most")
    }
    for skip in plan.skipped { say("  skipped, \(skip.why): \(skip.api) \(skip.route)") }
    say(
      "  \(plan.refused) requests are sent to be refused: alarms on 4xx may ring; "
        + "\(plan.requests.count - plan.refused) may reach a backend")
    if !order.isPlain,
      machine.environment.keys.contains(where: { ["https_proxy", "all_proxy"].contains($0.lowercased()) })
    {
      say("  through the proxy of the environment, which sees the hosts and no token")
    }
    say("nothing was sent: --yes sends it")
  }
}
