import Foundation

/// Rules that keep the functions buildable for arm64 on another machine.
extension Rule {
  static let platforms: [Rule] = [
    Rule(
      "the function's modules do not ask for the operating system",
      bad: ["#if os(Linux)", "  #if !os(macOS)", "#elseif arch(arm64) || os(Linux)"].map {
        ["Sources/JOSE/A.swift": "let a = 1\n\($0)\n#endif\n"]
      },
      good: [
        "Sources/JOSE/A.swift": "// #if os(Linux)\n#if canImport(Darwin)\n#endif\nlet pos = pos(1)\n",
        "Sources/Templates/A.swift": "#if os(Linux)\n#endif\n",
      ]
    ) { repository in
      // `os(Linux)` is false in a build for arm64: its Swift modules are those for no system.
      functionFolders.flatMap { repository.swift(under: $0) }.flatMap { file in
        file.code.text.lines(holding: ["#if", "#elseif"]).filter { _, line in
          let text = line.drop { $0 == " " }
          return ["#if", "#elseif"].contains { text.hasPrefix($0) } && text.holdsWord("os")
        }.map { "\(file.path):\($0.number)" }
      }
    },
    Rule(
      "the Makefile, the toolset and the script name the same sysroot",
      bad: [
        [
          "Makefile": "SYSROOT = .build/arm64/sysroot\n",
          "scripts/arm64-sysroot": "sysroot=.build/arm64/root\n",
          "scripts/arm64-toolset.json": "\"--sysroot=.build/arm64/sysroot\"\n",
        ],
        [
          "Makefile": "SYSROOT = .build/arm64/sysroot\n",
          "scripts/arm64-sysroot": "sysroot=.build/arm64/sysroot\n",
          "scripts/arm64-toolset.json": "\"--sysroot=.build/sysroot\"\n",
        ],
      ],
      good: [
        "Makefile": "SYSROOT = .build/a\n", "scripts/arm64-sysroot": "sysroot=.build/a\n",
        "scripts/arm64-toolset.json": "\"--sysroot=.build/a\"\n",
      ]
    ) { repository in
      let marks = [
        ("Makefile", "SYSROOT = "), ("scripts/arm64-sysroot", "sysroot="),
        ("scripts/arm64-toolset.json", "--sysroot="),
      ]
      let named = marks.compactMap { path, mark in
        repository.files[path].map { text in
          String(text.components(separatedBy: mark).dropFirst().first?.prefix { !"\"\n".contains($0) } ?? "")
        }
      }
      return Set(named).count > 1 ? named : []
    },
  ]
}
