internal import Text
internal import ArgumentParser
internal import TestTokens

/// An argument in the position of a command that is not the name of a command.
struct UnknownCommand {
  let message: String
  let hint: String

  /// Returns the names of the commands at the beginning of a command line, such as `keys fetch`.
  static func path(
    of arguments: ArraySlice<String>, among commands: [any ParsableCommand.Type]
  ) -> [String] {
    guard let word = arguments.first, let command = commands.first(where: { $0._commandName == word }) else {
      return []
    }
    return [word] + path(of: arguments.dropFirst(), among: command.configuration.subcommands)
  }

  /// Returns the first such argument; `nil` if all commands exist.
  static func find(
    in arguments: ArraySlice<String>, among commands: [any ParsableCommand.Type]
  ) -> UnknownCommand? {
    guard let word = arguments.first, !word.hasBytePrefix("-"), word != "help", !commands.isEmpty else {
      return nil
    }
    for command in commands where command._commandName == word {
      // With a default subcommand, the argument may belong to it.
      if command.configuration.defaultSubcommand != nil { return nil }
      return find(in: arguments.dropFirst(), among: command.configuration.subcommands)
    }
    return UnknownCommand(
      message: "unexpected argument '\(word)': there is no such command",
      hint: NearestName.hint(for: word, among: commands.map { $0._commandName }))
  }
}
