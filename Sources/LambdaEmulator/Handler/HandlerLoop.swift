/// A program that calls handlers of one language under the Runtime API, in place of Lambda's own runtime.
///
/// Its text is part of the harness, so that an installed one needs no other file. It is written into a folder for the
/// run: `node -e` would add Node's modules as globals, which a handler does not have on Lambda.
package struct HandlerLoop: Equatable, Sendable {
  package let fileName: String
  package let text: String

  /// The programs of all languages, and their parts.
  package static let all = [python, node, nodePackages, nodeKeySets, nodeStreams]
}
