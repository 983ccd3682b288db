/// Which folders of one module mention types of its other folders.
///
/// It compares names, without a compiler:
/// - A name is no mention of another file's type if the same file declares it (a nested type, a generic parameter), if
///   a type that the file declares or extends contains it, or if it follows a period (`Outer.Inner`), except after
///   the name of the module.
/// - Members that an extension or an inferred type brings along are not seen, and neither are global functions.
struct FolderGraph {
  /// A mention of one folder's type in another folder.
  struct Edge: Hashable {
    let from: String
    let to: String
  }

  /// One mention as an example of each edge: `Machine/Gateway.swift mentions GatewayTemplate`.
  private(set) var edges: [Edge: String] = [:]

  /// - Parameters:
  ///   - files: the module's files, by their paths within it.
  ///   - module: its name.
  init(_ files: [(path: String, code: SwiftCode)], module: String) {
    let files = files.map { (path: $0.path, names: SwiftNames($0.code)) }
    var homes: [String: String] = [:]
    var nested: [String: Set<String>] = [:]
    for file in files {
      for name in file.names.shared { homes[name] = file.path }
      nested.merge(file.names.nested) { $0.union($1) }
    }
    for file in files {
      let hidden = file.names.opened.reduce(into: file.names.declared) { $0.formUnion(nested[$1] ?? []) }
      for mention in file.names.mentioned where mention.qualifier == nil || mention.qualifier == module {
        guard let home = homes[mention.name], mention.qualifier == module || !hidden.contains(mention.name),
          let edge = Self.edge(from: file.path, to: home)
        else { continue }
        let example = "\(file.path) mentions \(mention.name)"
        edges[edge] = min(edges[edge] ?? example, example)
      }
    }
  }

  /// Returns the edge between the two neighboring folders that contain the files; `nil` for the same folder.
  ///
  /// The files directly in a folder with subfolders count as one more subfolder, `.`.
  private static func edge(from: String, to: String) -> Edge? {
    var (from, to) = (folders(of: from), folders(of: to))
    var common: [Substring] = []
    while let first = from.first, first == to.first {
      common.append(first)
      (from, to) = (from.dropFirst(), to.dropFirst())
    }
    guard from.first != to.first else { return nil }
    func name(_ rest: ArraySlice<Substring>) -> String {
      (common + [rest.first ?? "."]).joined(separator: "/")
    }
    return Edge(from: name(from), to: name(to))
  }

  private static func folders(of path: String) -> ArraySlice<Substring> {
    path.split(separator: "/").dropLast()
  }

  /// The edges that are part of a cycle, each with its example.
  var cyclicEdges: [String] {
    var reached: [String: Set<String>] = [:]
    for start in Set(edges.keys.map(\.from)) {
      var open = [start]
      while let next = open.popLast() {
        for edge in edges.keys where edge.from == next && reached[start, default: []].insert(edge.to).inserted
        {
          open.append(edge.to)
        }
      }
    }
    return edges.filter { reached[$0.key.to]?.contains($0.key.from) == true }
      .map { "\($0.key.from) → \($0.key.to) (\($0.value))" }.sorted()
  }
}
