import Foundation
import Testing
import TestSupport

extension Workshop {
  /// Makes the folder the checkout of a copy of the tool, which therefore runs the programs of `dist` in it.
  ///
  /// - Returns: the copy.
  func addTool() throws -> URL {
    try write("", to: "Package.swift")
    try write("", to: "dist/.gitkeep")
    try TestProgram.copy(Self.tool.path, to: ownTool.path)
    return ownTool
  }

  /// The copy of the tool that ``addTool()`` writes.
  var ownTool: URL { folder.appendingPathComponent("dist/authorizer-local") }
}
