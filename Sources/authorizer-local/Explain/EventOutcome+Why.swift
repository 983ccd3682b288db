internal import AuthorizerContract
internal import LambdaEmulator

extension EventOutcome {
  /// Who decided and why, in one sentence, as `explain` says it of the same event and configuration. `nil` for a function
  /// of another author, and if the function did not decide as `explain` does: a wrong explanation is worse than none.
  func why(_ options: ConfigurationOptions, on machine: Machine) -> String? {
    guard isShipped else { return nil }
    // The keys are those of the function, which trusts the development keys already.
    let configuration = ExplainedConfiguration(
      source: event.configuration.source(options, on: machine), jwks: nil, realKeys: true, machine: machine)
    guard
      let report = try? ExplanationReport(
        subject: .event(event.bytes), configuration: configuration, now: machine.now()),
      report.outcome == evaluation.outcome.rawValue, report.reason == result.decision?.reason
    else { return nil }
    return report.sentence
  }
}
