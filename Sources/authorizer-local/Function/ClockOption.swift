internal import TestTokens

/// `--clock` of several commands.
enum ClockOption {
  /// - Throws: `CommandFailure` for a text that is no distance with a sign.
  static func seconds(_ text: String) throws(CommandFailure) -> Int64 {
    if let offset = RelativeTime(text) { return offset.seconds }
    let isUnsigned = RelativeTime("+" + text) != nil
    throw CommandFailure(
      options: "--clock must be an offset such as +1h or -10m, found \(text)"
        + (isUnsigned ? "; did you mean +\(text)?" : ""))
  }
}
