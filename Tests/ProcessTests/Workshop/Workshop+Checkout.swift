import Foundation
import Testing
import TestSupport

extension Workshop {
  /// Makes the folder the checkout of the tool at a second path, which therefore runs the programs of `dist` in it.
  ///
  /// - Returns: that path.
  func addTool() throws -> URL {
    try write("", to: "Package.swift")
    try write("", to: "dist/.gitkeep")
    try TestProgram.link(Self.tool.path, to: ownTool.path)
    return ownTool
  }

  /// The path of the tool that ``addTool()`` adds.
  var ownTool: URL { folder.appendingPathComponent("dist/authorizer-local") }
}
