import Bytes
import FunctionHost

extension Route {
  /// Returns the warning on a segment that begins with a colon and a name: a variable of other routers, but text here.
  /// No problem that prevents the start, because API Gateway allows colons in a path.
  func colonWarning(at path: String) -> ConfigurationProblem? {
    for segment in text.utf8.split(separator: .slash) where Self.isColonName(segment) {
      let written = String(Substring(segment))
      let name = String(Substring(segment.dropFirst()))
      return ConfigurationProblem(
        path: path,
        message: "\(text) matches only the text \(written); if it is a path variable, write {\(name)}",
        warning: .variableWithColon)
    }
    return nil
  }

  private static func isColonName(_ segment: Substring.UTF8View) -> Bool {
    guard segment.first == .colon, let first = segment.dropFirst().first else { return false }
    return !first.isDecimalDigit && segment.dropFirst().allSatisfy { $0.isLetterOrDigit || $0 == .underscore }
  }
}
