internal import Text
internal import Bytes

/// What `--handler` names: `PATH:FUNCTION`, for `serve` also `NAME=PATH:FUNCTION`.
///
/// PATH is a file such as `app.py`, and FUNCTION the name of its function; or PATH is a folder, and FUNCTION a
/// `Handler` as in a template.
struct HandlerOption: Hashable, Sendable {
  /// The name of a function of the template.
  let function: String?
  let path: String
  /// The name of the function.
  let symbol: String

  /// - Throws: `CommandFailure` for a text of another form.
  init(_ text: String) throws(CommandFailure) {
    var rest = text[...]
    // The name of a resource has letters and digits only (CloudFormation, "Resources section structure").
    if let sign = text.unicodeScalars.firstIndex(of: "="), sign > text.startIndex,
      text[..<sign].utf8.allSatisfy(\.isLetterOrDigit)
    {
      function = String(text[..<sign])
      rest = text[sign...].dropFirst(bytes: 1)
    } else {
      function = nil
    }
    guard let colon = rest.unicodeScalars.lastIndex(of: ":"), colon > rest.startIndex,
      case let symbol = rest[colon...].dropFirst(bytes: 1), !symbol.isEmpty
    else {
      throw CommandFailure(
        options: "--handler needs PATH:FUNCTION, such as app.py:handler or .:app.handler, found \(text)")
    }
    path = String(rest[..<colon])
    self.symbol = String(symbol)
  }

  /// Returns the options of a command that takes several, without names.
  static func all(_ texts: [String]) throws(CommandFailure) -> [HandlerOption] {
    var options: [HandlerOption] = []
    for text in texts {
      if let option = try parse([text], named: false).one { options.append(option) }
    }
    return options
  }

  /// Sorts the options of one command line.
  ///
  /// - Parameter named: whether they may name functions of a template.
  static func parse(
    _ texts: [String], named: Bool
  ) throws(CommandFailure) -> (one: HandlerOption?, byName: [String: HandlerOption]) {
    var one: HandlerOption?
    var byName: [String: HandlerOption] = [:]
    for text in texts {
      let option = try HandlerOption(text)
      if let name = option.function {
        guard named else {
          throw CommandFailure(options: "--handler needs PATH:FUNCTION here, without a name, found \(text)")
        }
        guard byName.updateValue(option, forKey: name) == nil else {
          throw CommandFailure(options: "--handler has \(name) twice")
        }
      } else {
        guard one == nil else { throw CommandFailure(options: "give one --handler without a name") }
        one = option
      }
    }
    return (one, byName)
  }
}
