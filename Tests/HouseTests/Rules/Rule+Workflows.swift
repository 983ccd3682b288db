/// Rules about GitHub workflows, of this repository, of `authorizer-local init` and in documents: what an attacker of an
/// action or of a pull request could use.
extension Rule {
  static let workflows: [Rule] = [
    Rule(
      "each workflow names its actions by full commit IDs, with the release in a comment",
      bad: [
        sample("actions/checkout@v4"), sample("actions/checkout@v4 # v4.2.2"),
        sample("actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683"),
        sample("actions/checkout@11bd719 # v4.2.2"),
        ["docs/guides/ci.md": "# A\n\n```yaml\non: push\njobs:\n  a:\n    - uses: a/b@v1\n```\n"],
        ["template/init/rest/.github/workflows/a.yml": "jobs:\n  a:\n    - uses: a/b@v1\n"],
      ],
      good: sample()
    ) { repository in
      workflowLines(of: repository).flatMap { path, lines in
        lines.filter { !isPinned($0) }.map { "\(path): \($0.trimmed)" }
      }
    },
    Rule(
      "each workflow lists its permissions, and says what concurrent runs do unless others call it",
      bad: [
        sample(without: "permissions:\n  contents: read\n"), sample(without: "concurrency: a\n"),
        sample(without: "  contents: read\n"),
      ],
      good: sample().merging([".github/workflows/b.yml": "on:\n  workflow_call:\npermissions: {}\njobs:\n"]) {
        $1
      }
    ) { repository in
      workflowLines(of: repository).flatMap { path, lines -> [String] in
        let permissions = lines.firstIndex { $0.hasPrefix("permissions:") }
        let next = permissions.map { lines[($0 + 1)...].first ?? "" } ?? ""
        let isListed = permissions.map { next.hasPrefix("  ") || lines[$0].hasSuffix("{}") } == true
        let needsConcurrency = !lines.contains("  workflow_call:")
        return (isListed ? [] : ["\(path): no permissions"])
          + (needsConcurrency && !lines.contains { $0.hasPrefix("concurrency:") }
            ? ["\(path): no concurrency"] : [])
      }
    },
    Rule(
      "a job that may write runs no code of the repository, and no workflow lets all of its jobs write",
      bad: [
        sample(run: "make test\n    permissions:\n      contents: write"),
        sample(run: "make test\n    permissions: write-all"),
        [".github/workflows/b.yml": "on:\npermissions:\n  contents: write\njobs:\n"],
      ],
      good: sample(
        run: "make test\n  c:\n    permissions:\n      contents: write\n    steps:\n      - run: gh")
    ) { repository in
      workflowLines(of: repository).flatMap { path, lines in
        jobs(in: lines).filter { job in
          job.lines.contains { $0.hasSuffix(": write") || $0.hasSuffix(": write-all") }
            && (job.name == nil || job.lines.contains { $0.contains("uses: actions/checkout@") })
        }.map { "\(path): \($0.name ?? "all jobs")" }
      }
    },
    Rule(
      "each job of a workflow that runs steps has a time limit",
      bad: [sample(without: "    timeout-minutes: 5\n")],
      good: sample()
    ) { repository in
      workflowLines(of: repository).flatMap { path, lines -> [String] in
        let jobs = lines.filter { $0.hasPrefix("    runs-on:") }.count
        let limits = lines.filter { $0.hasPrefix("    timeout-minutes:") }.count
        return jobs == limits ? [] : ["\(path): \(jobs) jobs, \(limits) time limits"]
      }
    },
    Rule(
      "no script of a workflow contains texts of callers, who could add commands",
      bad: [
        sample(run: "make ${{ inputs.target }}"), sample(run: "echo \"${{ github.event.issue.title }}\""),
        sample(run: "|\n          git switch ${{ github.head_ref }}"), sample(run: "make ${{inputs.target}}"),
        sample(run: "git switch ${{ github.ref_name }}"),
        sample(run: "echo ${{ vars.A }} ${{ vars.B || inputs.b }}"),
      ],
      good: sample(
        run:
          "make \"$TARGET\" ${{ vars.A }} ${{vars.B}}\n        env:\n          TARGET: ${{ inputs.target }}"
      ).merging([".github/workflows/b.yml": "defaults:\n  run:\n    working-directory: ${{ env.A }}\n"]) {
        $1
      }
    ) { repository in
      // Only who may change the workflow sets a variable of the repository.
      workflowLines(of: repository).flatMap { path, lines in
        scriptLines(in: lines).filter { line in
          expressions(in: line).contains { expression in
            let isName = expression.allSatisfy { $0.isLetter || $0.isNumber || "._".contains($0) }
            return !isName || !expression.hasPrefix("vars.")
          }
        }.map { "\(path): \($0.trimmed)" }
      }
    },
    Rule(
      "no cache of a workflow contains the shipped functions, which would keep old libraries",
      bad: [
        sample(cache: "path: .build"), sample(cache: "path: .build/*"),
        sample(cache: "{ key: a, path: .build }"),
        sample(cache: "path: |\n            .build\n            !.build/function"),
        sample(cache: "path: |\n            a/.build/*\n            !.build/function"),
        sample(saved: "path: .build"),
      ],
      good: sample(cache: "path: |\n            a/.build/*\n            !a/.build/function\n          key: b")
    ) { repository in
      workflowLines(of: repository).flatMap { path, lines in
        (cachedPaths(in: lines, by: "restore") + cachedPaths(in: lines, by: "save")).filter { paths in
          paths.contains { $0.contains(".build") && !$0.hasPrefix("!") && !paths.contains(exclusion(of: $0)) }
        }.map { "\(path): \($0.joined(separator: " "))" }
      }
    },
    Rule(
      "each cache is saved directly after the build that it is for, not at the end, after other code has run",
      bad: [
        sample("actions/cache@5a3ec84eff668545956fd18022155c47e93e2684 # v4.2.3"),
        sample(saved: "path: a/*", after: "make test"),
        sample(saved: "path: a/*", after: "make build\n      - run: npm test"),
        sample(saved: "path: a/*", after: "sh build.sh"),
        sample(
          cacheStep("restore", "path: a/*"),
          run: "make build\n      - uses: \(cacheStep("save", "path: b/*"))"),
      ],
      good: sample(saved: "path: a/*", after: "make -C a build INSTALL=1\n      # Here.")
    ) { repository in
      workflowLines(of: repository).flatMap { path, lines -> [String] in
        let late = lines.filter { $0.contains("uses: actions/cache@") }.map(\.trimmed)
        let saves = lines.indices.filter { lines[$0].contains("uses: actions/cache/save@") }
        let others = saves.filter { !isBuild(lines.step(before: $0)) }.map { lines.step(before: $0) }
        let restored = cachedPaths(in: lines, by: "restore")
        let different = cachedPaths(in: lines, by: "save").filter { !restored.contains($0) }
        return (late + others + different.map { $0.joined(separator: " ") }).map { "\(path): \($0)" }
      }
    },
    Rule(
      "each make command of a workflow exists",
      bad: [sample(run: "make nothing INSTALL=1"), sample(run: "make -C .harness nothing")],
      good: sample(run: "make -C .harness test INSTALL=1 && make test")
    ) { repository in
      let makefile = repository.files["Makefile"] ?? ""
      let targets = Set(
        makefile.split(separator: "\n").compactMap { line in
          line.hasPrefix("## ") ? line.dropFirst(3).split(separator: ":").first.map(String.init) : nil
        })
      return workflowLines(of: repository).flatMap { path, lines in
        scriptLines(in: lines).filter { !$0.contains("apt-get") }.flatMap { line -> [String] in
          var words = line.split(separator: " ").map(String.init)
          guard let make = words.firstIndex(of: "make") else { return [] }
          words.removeFirst(make + 1)
          if words.first == "-C" { words.removeFirst(min(2, words.count)) }
          let goals = words.prefix { $0 != "&&" }.filter { !$0.contains("=") }
          return goals.filter { !targets.contains($0) }.map { "\(path): make \($0)" }
        }
      }
    },
  ]

  /// The lines of each workflow: a file, also of a new project, or a YAML block with jobs in a document.
  private static func workflowLines(of repository: Repository) -> [(path: String, lines: [String])] {
    var workflows: [(path: String, lines: [String])] = []
    for file in repository.files(under: ".github/workflows/", "template/init/")
    where file.path.contains(".github/workflows/") {
      workflows.append((path: file.path, lines: file.text.lines))
    }
    for document in repository.files(under: "docs/", "README.md") where document.path.hasSuffix(".md") {
      for text in document.text.components(after: "```yaml\n", before: "\n```")
      where text.contains("\njobs:\n") {
        workflows.append((path: document.path, lines: text.lines))
      }
    }
    return workflows
  }

  /// Whether a line uses no action, a workflow of the reader's own copy, or an action by its commit ID.
  private static func isPinned(_ line: String) -> Bool {
    let words = line.split(separator: " ").map(String.init)
    guard let uses = words.firstIndex(of: "uses:"), uses + 1 < words.count else { return true }
    let action = words[uses + 1]
    if action.hasPrefix("./") || action.hasSuffix("@COMMIT") { return true }
    let commit = action.split(separator: "@").last ?? ""
    let isCommit = commit.utf8.count == 40 && commit.allSatisfy { $0.isHexDigit }
    return isCommit && words.dropFirst(uses + 2).first == "#" && words.last?.hasPrefix("v") == true
  }

  /// The jobs of a workflow, after the lines before the first one, which have no name.
  private static func jobs(in lines: [String]) -> [(name: String?, lines: [String])] {
    var jobs: [(name: String?, lines: [String])] = [(nil, [])]
    var isInside = false
    for line in lines {
      if line == "jobs:" { isInside = true }
      if isInside, line.hasPrefix("  "), !line.hasPrefix("   "), line.hasSuffix(":") {
        jobs.append((String(line.dropFirst(2).dropLast()), []))
      }
      jobs[jobs.count - 1].lines.append(line)
    }
    return jobs
  }

  /// The lines of `run:` and the lines of its block.
  private static func scriptLines(in lines: [String]) -> [String] {
    var scripts: [String] = []
    var depth: Int?
    for line in lines {
      let indentation = line.prefix { $0 == " " }.count
      if let open = depth, indentation > open || line.isEmpty {
        scripts.append(line)
        continue
      }
      depth = nil
      let step = line.trimmed.hasPrefix("- ") ? String(line.trimmed.dropFirst(2)) : line.trimmed
      // Without a text, these are the settings of all scripts.
      guard step.hasPrefix("run:"), step != "run:" else { continue }
      scripts.append(String(step.dropFirst("run:".count)))
      // The keys of a step are indented by two more than its hyphen.
      depth = line.trimmed.hasPrefix("- ") ? indentation + 2 : indentation
    }
    return scripts
  }

  /// The texts between `${{` and `}}`.
  private static func expressions(in line: String) -> [String] {
    var expressions: [String] = []
    var rest = line[...]
    while let start = rest.firstRange(of: "${{") {
      rest = rest[start.upperBound...]
      let end = rest.firstRange(of: "}}")?.lowerBound ?? rest.endIndex
      expressions.append(rest[..<end].split(separator: " ").joined(separator: " "))
      rest = rest[end...]
    }
    return expressions
  }

  /// Whether a step is a build by make.
  private static func isBuild(_ step: String) -> Bool {
    let words = step.split(separator: " ")
    return words.starts(with: ["-", "run:", "make"]) && words.contains("build")
  }

  /// The paths of each step that restores or saves a cache; all lines of the step if it has no line of paths.
  private static func cachedPaths(in lines: [String], by part: String) -> [[String]] {
    lines.indices.filter { lines[$0].contains("uses: actions/cache/\(part)@") }.map { index in
      let depth = lines[index].indentation
      let step = lines[(index + 1)...].prefix { $0.indentation > depth }.map(\.trimmed)
      guard let start = step.firstIndex(where: { $0.hasPrefix("path:") }) else { return step }
      let path = step[start].dropFirst("path:".count)
      if path != " |" { return [String(path).trimmed] }
      return Array(step[(start + 1)...].prefix { !$0.contains(": ") })
    }
  }

  /// The pattern that takes the functions out of a cached folder of builds. It works only beside `…/*`.
  private static func exclusion(of path: String) -> String {
    path.hasSuffix("/.build/*") || path == ".build/*" ? "!\(path.dropLast())function" : ""
  }

  private static func sample(cache: String) -> [String: String] {
    sample(cacheStep("restore", cache))
  }

  /// Restores the same paths, and saves them after a step.
  private static func sample(saved paths: String, after step: String = "make build") -> [String: String] {
    sample(cacheStep("restore", paths), run: "\(step)\n      - uses: \(cacheStep("save", paths))")
  }

  private static func cacheStep(_ part: String, _ cache: String) -> String {
    "actions/cache/\(part)@5a3ec84eff668545956fd18022155c47e93e2684 # v4.2.3\n        with:\n          \(cache)"
  }

  private static func sample(
    _ action: String = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2",
    run: String = "make test", without part: String = ""
  ) -> [String: String] {
    let text = """
      on:
        push:
      permissions:
        contents: read
      concurrency: a
      jobs:
        a:
          runs-on: ubuntu-24.04
          timeout-minutes: 5
          steps:
            - uses: \(action)
            - run: \(run)
        b:
          uses: ./.github/workflows/b.yml

      """
    let makefile = "## test: all tests\ntest:\n"
    return [
      "Makefile": makefile, ".github/workflows/a.yml": part.isEmpty ? text : text.replacing(part, with: ""),
    ]
  }
}

extension [String] {
  /// The first line of the step before the one that begins at a line.
  fileprivate func step(before line: Int) -> String {
    self[..<line].last { $0.indentation <= self[line].indentation && $0.trimmed.hasPrefix("- ") }?.trimmed
      ?? ""
  }
}

extension String {
  fileprivate var lines: [String] {
    split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  fileprivate var trimmed: String { String(drop { $0 == " " }) }

  fileprivate var indentation: Int { prefix { $0 == " " }.count }

  /// The texts between two marks.
  fileprivate func components(after start: String, before end: String) -> [String] {
    var texts: [String] = []
    var rest = self[...]
    while let first = rest.firstRange(of: start) {
      rest = rest[first.upperBound...]
      guard let last = rest.firstRange(of: end) else { break }
      texts.append(String(rest[..<last.lowerBound]))
      rest = rest[last.upperBound...]
    }
    return texts
  }
}
