internal import ArgumentParser
internal import TestTokens

/// A word in the place of a command, which no command is called.
struct UnknownCommand {
  let message: String
  let hint: String

  /// The first such word; `nil` where every command that is named exists.
  static func find(
    in arguments: ArraySlice<String>, among commands: [any ParsableCommand.Type]
  ) -> UnknownCommand? {
    guard let word = arguments.first, !word.hasPrefix("-"), word != "help", !commands.isEmpty else {
      return nil
    }
    for command in commands where command._commandName == word {
      // Where a command is taken by default, the word may be its argument.
      if command.configuration.defaultSubcommand != nil { return nil }
      return find(in: arguments.dropFirst(), among: command.configuration.subcommands)
    }
    return UnknownCommand(
      message: "unexpected argument '\(word)': no command is called so",
      hint: NearestName.hint(for: word, among: commands.map { $0._commandName }))
  }
}
