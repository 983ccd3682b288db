import FunctionHost

/// The log and metrics settings of a configuration.
package struct LogSettings: Equatable, Sendable {
  /// The decisions that get a log line.
  package var decisions = DecisionLogScope.all
  /// Where metrics go; `nil` for no metrics.
  package var metrics: MetricsSettings?

  /// A log line for each decision, and no metrics.
  package init() {}
}

extension ObjectReader {
  /// Reads `"decisionLog"` and `"metrics"`.
  mutating func logSettings() -> LogSettings {
    var settings = LogSettings()
    settings.decisions = word("decisionLog", DecisionLogScope.self) ?? .all
    guard var metrics = reader("metrics") else { return settings }
    if let namespace = metrics.text("namespace") {
      settings.metrics = MetricsSettings(namespace: namespace)
      if settings.metrics == nil {
        metrics.add(
          "namespace",
          "at most \(MetricsSettings.namespaceByteLimit) letters, digits, blanks and .-_/#: are expected,"
            + " not beginning with AWS/ or a colon")
      }
    } else if metrics.value("namespace") == nil {
      metrics.add("namespace", "missing")
    }
    metrics.finish()
    return settings
  }
}
