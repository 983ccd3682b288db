/// Rules about the container image.
extension Rule {
  static let images: [Rule] = [
    Rule(
      "the Dockerfile runs nothing, names the tag of each base image, and starts the function without a shell",
      bad: [
        image("FROM a AS b\nENTRYPOINT [\"/a\"]\n"), image("FROM a:latest\nENTRYPOINT [\"/a\"]\n"),
        image("FROM a:1\n"), image("FROM a:1\nENTRYPOINT /a\n"),
        image("FROM a:1\nADD a b\nENTRYPOINT [\"/a\"]\n"),
        image("FROM a:1\nRUN make\nENTRYPOINT [\"/a\"]\n"),
        image("FROM scratch\nENTRYPOINT [\"/a\"]\nFROM a:1\n"),
      ],
      good: image("# RUN\nFROM scratch AS a\nENTRYPOINT [\"/a\"]\nFROM a.b/c:1 AS d\nENTRYPOINT [\"/a\"]\n")
    ) { repository in
      guard let text = repository.files["template/Dockerfile"] else { return [] }
      let instructions = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
      let bases = instructions.filter { $0.hasPrefix("FROM ") }
      let starts = instructions.filter { $0.hasPrefix("ENTRYPOINT [") }
      let untagged = bases.filter { base in
        let name = base.split(separator: " ")[1]
        return name != "scratch" && (!name.contains(":") || name.hasSuffix(":latest"))
      }
      let refused = instructions.filter { line in ["RUN ", "ADD "].contains { line.hasPrefix($0) } }
      return untagged + refused + (starts.count == bases.count ? [] : ["ENTRYPOINT"])
    },
    Rule(
      "the build context of the image has only the files that the Dockerfile copies",
      bad: [
        image("FROM a:1\nCOPY dist/a /var/task/\n", context: "*\n!dist/b\n"),
        image("FROM a:1\nCOPY dist/a /var/task/\n", context: "!dist/a\n"),
        image("FROM a:1\nCOPY . .\n"), image("FROM a:1\nCOPY dist/a /\n", context: "*\n!dist/a\n!Sources\n"),
      ],
      good: image(
        "ARG PROGRAMS=dist\nFROM a:1\nCOPY --chmod=0755 ${PROGRAMS}/a /var/task/\n# COPY template/keys /var/task/\n",
        context: "# only\n*\n!dist/a\n!template/keys\n!dist/arm64/a\n")
    ) { repository in
      guard let text = repository.files["template/Dockerfile"],
        let context = repository.files["template/Dockerfile.dockerignore"]
      else { return [] }
      let patterns = context.split(separator: "\n").filter { !$0.hasPrefix("#") }
      guard patterns.first == "*" else { return ["the context is not empty at first"] }
      let accepted = Set(patterns.dropFirst().map { String($0.dropFirst()) })
      let copied = Set(
        text.split(separator: "\n").flatMap { line -> [String] in
          let words = line.split(separator: " ").filter { $0 != "#" && !$0.hasPrefix("--") }
          guard words.first == "COPY" else { return [] }
          return words.dropFirst().dropLast().map { word in
            String(word).replacing("${PROGRAMS}", with: "dist").replacing("${FUNCTION}", with: "bootstrap")
          }
        })
      // The same names for another architecture and for the other function.
      let others = copied.map { $0.replacing("dist/", with: "dist/arm64/") }
      let known = copied.union(others).union(
        ["dist/identity", "dist/arm64/identity", "template/identity.json"])
      return copied.subtracting(accepted).sorted() + accepted.subtracting(known).sorted()
    },
  ]

  private static func image(_ text: String, context: String = "*\n") -> [String: String] {
    ["template/Dockerfile": text, "template/Dockerfile.dockerignore": context]
  }
}
