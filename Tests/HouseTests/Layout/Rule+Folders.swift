/// Rules about folders and files, so that a reader finds code by their names.
extension Rule {
  static let folders: [Rule] = [
    Rule(
      "no dependency cycle between the folders of a module", bad: cyclicTrees, good: tree
    ) { repository in
      let files = Dictionary(grouping: repository.swift(under: "Sources/")) { $0.path.prefixOfParts(2) }
      return files.sorted { $0.key < $1.key }.flatMap { folder, files in
        let module = String(folder.dropFirst("Sources/".count))
        let graph = FolderGraph(
          files.map { (String($0.path.dropFirst(folder.count + 1)), $0.code) }, module: module)
        return graph.cyclicEdges.map { "\(folder): \($0)" }
      }
    },
    Rule(
      "at most \(filesOfFolder) Swift files are side by side",
      bad: ["Sources/A/", "Tests/ATests/B/"].map { crowd(filesOfFolder + 1, in: $0) },
      good: crowd(filesOfFolder, in: "Sources/A/").merging(crowd(filesOfFolder, in: "Sources/A/B/")) { $1 }
    ) { repository in
      Dictionary(grouping: repository.swift(under: "Sources/", "Tests/")) { $0.path.prefixOfParts(-1) }
        .filter { $0.value.count > filesOfFolder }.map { "\($0.key): \($0.value.count) files" }.sorted()
    },
    Rule(
      "a file is named after a type that it declares, or Type+Topic after a type that it extends",
      bad: [
        ["Sources/A/Words.swift": "struct Word {}\n"],
        ["Sources/A/Word.swift": "extension Word {}\n"],
        ["Sources/A/Word+Text.swift": "extension Words {}\n"],
        ["Tests/ATests/WordTests.swift": "// struct WordTests {}\nlet a = \"struct WordTests\"\n"],
        ["Tests/ATests/Placeholder.swift": ""],
      ],
      good: [
        "Sources/A/Word.swift": "public struct Word {}\nstruct Other {}\n",
        "Sources/A/Check.swift": "extension Command {\n  struct Check {}\n}\n",
        "Sources/A/Word+Text.swift": "extension Word {}\n",
        "Sources/A/Check+Text.swift": "extension A.Check {}\n",
        "Sources/A/main.swift": "print(1)\n", "Tests/ATests/WordTests.swift": "@Suite struct WordTests {}\n",
      ]
    ) { repository in
      repository.swift(under: "Sources/", "Tests/").compactMap { file in
        let name = file.path.split(separator: "/").last?.dropLast(".swift".count) ?? ""
        guard name != "main", let type = name.split(separator: "+").first.map(String.init) else { return nil }
        let names = SwiftNames(file.code)
        let isExtended = name.contains("+") && names.extended.contains(type)
        return names.declared.contains(type) || isExtended ? nil : "\(file.path) has no \(type)"
      }
    },
    Rule(
      "no two places share more than \(equalLines) equal lines",
      bad: [
        [
          "Sources/A/A.swift": steps(equalLines + 1),
          "Tests/ATests/B.swift": steps(equalLines + 1, indent: "  "),
        ],
        ["Sources/A/A.swift": steps(equalLines + 1) + "\n}\n" + steps(equalLines + 1)],
      ],
      good: [
        "Sources/A/A.swift": steps(equalLines, first: "// a comment\ninternal import B\n")
          + "    }\n\n  ])\n}\n",
        "Sources/A/B.swift": steps(equalLines, first: "// a comment\ninternal import B\n")
          + "    }\n\n  ])\n}\n",
        "Sources/A/C.swift": String(repeating: "  step()\n", count: 2 * equalLines),
      ]
    ) { repository in
      let files = repository.files(under: "Sources/", "Tests/").filter { $0.path.hasSuffix(".swift") }
      return RepeatedLines(files, limit: equalLines).runs.map(\.description)
    },
  ]

  /// The maximum number of Swift files in one folder: our choice, one look at a listing.
  private static let filesOfFolder = 25
  /// The maximum number of equal lines of two places: our choice, less than a function worth a name.
  private static let equalLines = 8

  /// Folders whose names look like those of a cycle.
  private static let tree = [
    // Machine mentions Model and Server mentions both, in one direction.
    "Sources/A/Model/Route.swift":
      "public struct Route<Failure> {\n  enum Kind { case a }\n}\nenum Verdict {}\n",
    "Sources/A/Model/Text.swift": "// Gateway\nlet a = \"Gateway\"\nstruct Text { struct Gateway { } }\n",
    "Sources/A/Gateway/Machine/Gateway.swift": "struct Gateway { let a: Route; struct Refusal {} }\n",
    "Sources/A/Gateway/Server/Server.swift": "extension Gateway { func serve(_ route: Route) {} }\n",
    "Sources/A/Gateway/Refusal.swift": "enum Refusal { case one(Gateway) }\n",
    // Names that collide: nested types, generic parameters, members.
    "Sources/A/Issuer/Issuer.swift":
      "struct Issuer { struct Refusal: Error {}\n  func a() throws(Refusal) -> Other.Server { .Server } }\n",
    "Sources/A/Issuer/Issuer+Text.swift": "extension Issuer { var problem: Refusal? { nil } }\n",
    "Sources/A/Gateway/Machine/Use.swift": "func f<Server>(_ a: Server, _ b: Issuer, _ c: A.Verdict) {}\n",
    // Private types, and types of other modules.
    "Sources/A/Model/Part.swift": "private final class Part {}\n",
    "Sources/A/Gateway/Server/Part.swift": "fileprivate struct Part { let a: Route }\n",
    "Sources/B/Gateway/Part.swift": "struct Part { let a: Bench }\n",
    "Sources/B/Model/Route.swift": "struct Bench {}\n",
  ]

  private static let cyclicTrees: [[String: String]] = [
    [
      "Sources/A/Model/Route.swift": "struct Route { let gateway: Gateway }\n",
      "Sources/A/Gateway/Gateway.swift": "struct Gateway { let route: Route }\n",
    ],
    // Over a third folder, by an extension, a generic argument and the name of the module.
    [
      "Sources/A/Model/Route.swift": "struct Route { let gateways: [Gateway] }\n",
      "Sources/A/Gateway/Gateway.swift": "struct Gateway { let text = \"\\(Text.self)\" }\n",
      "Sources/A/Text/Text.swift": "enum Text {}\nextension A.Route {}\n",
    ],
    // Between a folder and the files above it.
    [
      "Sources/A/Route.swift": "struct Route { let gateway: Gateway? }\n",
      "Sources/A/Gateway/Gateway.swift": "protocol Gateway { associatedtype Kind: Route }\n",
    ],
    // Between folders of different depth: Gateway and Model.
    [
      "Sources/A/Gateway/Machine/Gateway.swift": "struct Gateway { let route: Route }\n",
      "Sources/A/Gateway/Server/Server.swift": "struct Server {}\n",
      "Sources/A/Model/Route.swift": "struct Route { let server: Server }\n",
    ],
    // Between two folders of one folder.
    [
      "Sources/A/Gateway/Machine/Gateway.swift": "indirect enum Gateway { case server(Server) }\n",
      "Sources/A/Gateway/Server/Server.swift": "final class Server { func f<T: Gateway>(_: T) {} }\n",
    ],
  ]

  private static func crowd(_ count: Int, in folder: String) -> [String: String] {
    Dictionary(uniqueKeysWithValues: (1...count).map { ("\(folder)T\($0).swift", "struct T\($0) {}\n") })
  }

  private static func steps(_ count: Int, indent: String = "", first: String = "") -> String {
    first + (1...count).map { "\(indent)step(\($0))\n" }.joined()
  }
}

extension String {
  /// The first components of a path; with a negative number, all but the last ones.
  fileprivate func prefixOfParts(_ count: Int) -> String {
    let parts = split(separator: "/")
    return (count < 0 ? parts.dropLast(-count) : parts.prefix(count)).joined(separator: "/")
  }
}
