internal import Emulator
internal import Foundation

/// How many times as long as in the cloud things may take here: for machines that are slow or busy, as those of CI often are.
enum Patience {
  static let variable = "AUTHORIZER_LOCAL_PATIENCE"

  /// What the names of this program's own variables begin with. A function never gets them.
  static let variables = "AUTHORIZER_LOCAL_"

  /// At 90 the 10 s that a function has by default are Lambda's own limit.
  private static let factors = 1...90

  /// The factor; 1 where nothing is set.
  ///
  /// - Throws: `CommandFailure` for a value that is none.
  static func factor() throws(CommandFailure) -> Int {
    let text = ProcessInfo.processInfo.environment[variable] ?? ""
    guard !text.isEmpty else { return 1 }
    guard let factor = Int(text), factors.contains(factor) else {
      throw CommandFailure(
        .usage,
        "\(variable) must be a whole number from 1 to \(factors.upperBound), found \(Printable.text(text))",
        hint:
          "6 gives a function one minute where Lambda gives it 10 seconds; unset it for Lambda's own limits")
    }
    return factor
  }

  /// The machine's clocks, by which limits that no option sets are that many times as long.
  static func clock() throws(CommandFailure) -> LambdaClock { .system.patient(try factor()) }

  /// A limit of a function that no option sets, made longer, up to the most that Lambda allows.
  static func milliseconds(_ milliseconds: Int) throws(CommandFailure) -> Int {
    max(milliseconds, min(milliseconds * (try factor()), mostMilliseconds))
  }

  /// AWS Lambda quotas, "Function timeout".
  private static let mostMilliseconds = 900_000
}
