import FunctionHost

/// The log and metrics settings of a configuration.
public struct LogSettings: Equatable, Sendable {
  /// The decisions that get a log line.
  public var decisions = DecisionLogScope.all
  /// Where metrics go; `nil` for no metrics.
  public var metrics: MetricsSettings?

  /// A log line for each decision, and no metrics.
  public init() {}

  /// Reads `"decisionLog"` and `"metrics"`.
  init(_ reader: inout ObjectReader) {
    decisions = reader.word("decisionLog", DecisionLogScope.self) ?? .all
    guard var metrics = reader.reader("metrics") else { return }
    if let namespace = metrics.text("namespace") {
      self.metrics = MetricsSettings(namespace: namespace)
      if self.metrics == nil {
        metrics.add(
          "namespace",
          "at most \(MetricsSettings.namespaceByteLimit) letters, digits, blanks and .-_/#: are expected,"
            + " not beginning with AWS/ or a colon")
      }
    } else if metrics.value("namespace") == nil {
      metrics.add("namespace", "missing")
    }
    metrics.finish()
  }
}
