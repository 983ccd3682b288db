/// A target in the text of the manifest.
struct PackageTarget {
  let name: String
  /// The folder of its files, with a slash at the end.
  let folder: String
  /// The name in imports.
  var module: String { name.replacing("-", with: "_") }
  /// The targets of the package on which it depends.
  let dependencies: Set<String>

  /// The targets of a manifest that are written with a literal as their name.
  static func all(in manifest: String) -> [PackageTarget] {
    // A product of another package may be called like a target.
    let text = manifest.replacing(/\/\/[^\n]*|\/\*[^*]*\*\//, with: "").replacing(
      /\.product\([^)]*\)/, with: "")
    let starts = text.matches(
      of: /(functionModule|tests|[tT]arget|systemLibrary)\(\s*(?:name: )?"([\w-]+)"/)
    return starts.indices.map { index in
      let start = starts[index]
      let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : text.endIndex
      let rest = text[start.range.upperBound..<end]
      let name = String(start.2)
      // The dependencies end with the next argument, those of the last target with its paragraph.
      let list = rest.replacing("dependencies:", with: "").split(separator: /\w:|\n\n/).first ?? ""
      let path = rest.firstMatch(of: /path: "([^"]+)"/).map { String($0.1) }
      return PackageTarget(
        name: name, folder: (path ?? "\(start.1 == "tests" ? "Tests" : "Sources")/\(name)") + "/",
        dependencies: Set(list.matches(of: /"([\w-]+)"/).map { String($0.1) }))
    }
  }
}
