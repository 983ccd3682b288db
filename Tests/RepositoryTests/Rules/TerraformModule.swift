/// One folder of Terraform files, read by the layout that `terraform fmt` gives them: a block begins and ends in the
/// first column, and its arguments are indented by two blanks.
struct TerraformModule {
  struct Block {
    let kind: String
    let labels: [String]
    let body: [String]

    /// The names of the arguments and blocks directly in this block.
    var arguments: [String] {
      body.filter { $0.hasPrefix("  ") && $0.dropFirst(2).first?.isLetter == true }
        .compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    /// The conditions of the validations of a variable.
    var conditions: [String] {
      body.filter { $0.hasPrefix("    condition ") }.map { String($0.drop { $0 == " " }) }
    }

    func text(of argument: String) -> String? {
      body.first { $0.hasPrefix("  \(argument) ") && $0.contains("= ") }.flatMap { line in
        line.split(separator: "=", maxSplits: 1).last.map { $0.drop { $0 == " " }.filter { $0 != "\"" } }
      }
    }
  }

  let folder: String
  /// The names of the files without the folder.
  let files: Set<String>
  let blocks: [Block]

  /// The modules below a folder, by their folders.
  static func all(in repository: Repository, below top: String) -> [String: TerraformModule] {
    let files = repository.files(under: top + "/")
    let folders = Set(files.filter { $0.path.hasSuffix(".tf") }.map { folder(of: $0.path) })
    return Dictionary(
      uniqueKeysWithValues: folders.map { folder in
        (folder, TerraformModule(folder, files.filter { Self.folder(of: $0.path) == folder }))
      })
  }

  private init(_ folder: String, _ files: [(path: String, text: String)]) {
    self.folder = folder
    self.files = Set(files.map { String($0.path.dropFirst(folder.count + 1)) })
    // Without comments.
    let code: [String] = files.filter { $0.path.hasSuffix(".tf") }.flatMap { file in
      file.text.split(separator: "\n").map(String.init).filter { !$0.drop { $0 == " " }.hasPrefix("#") }
    }
    var blocks: [Block] = []
    var open: (words: [String], body: [String])?
    for line in code {
      if let block = open {
        if line == "}" {
          blocks.append(Block(kind: block.words[0], labels: Array(block.words.dropFirst()), body: block.body))
          open = nil
        } else {
          open?.body.append(line)
        }
      } else if line.hasSuffix("{") || line.hasSuffix("{}") {
        let words = line.split { " {}\"".contains($0) }.map(String.init)
        guard !words.isEmpty else { continue }
        if line.hasSuffix("{}") {
          blocks.append(Block(kind: words[0], labels: Array(words.dropFirst()), body: []))
        } else {
          open = (words, [])
        }
      }
    }
    self.blocks = blocks
  }

  private static func folder(of path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }

  func blocks(_ kind: String) -> [Block] { blocks.filter { $0.kind == kind } }

  func names(_ kind: String) -> Set<String> { Set(blocks(kind).compactMap(\.labels.last)) }

  /// What can be referred to, such as `var.name`, `local.tables` or `aws_iam_role.function`.
  var declared: Set<String> {
    var names: Set<String> = []
    for block in blocks {
      switch (block.kind, block.labels.count) {
      case ("variable", 1): names.insert("var." + block.labels[0])
      case ("module", 1): names.insert("module." + block.labels[0])
      case ("resource", 2): names.insert(block.labels.joined(separator: "."))
      case ("data", 2): names.insert("data." + block.labels.joined(separator: "."))
      case ("locals", 0): names.formUnion(block.arguments.map { "local." + $0 })
      default: break
      }
    }
    return names
  }

  /// What is referred to, in the same form. The validation of a variable does not use it.
  var references: Set<String> { Set(references(afterward: 0)) }

  /// The outputs of called modules that are referred to, such as `module.identity.table_name`.
  var moduleOutputs: Set<String> {
    Set(references(afterward: 1).filter { $0.hasPrefix("module.") && $0.split(separator: ".").count == 3 })
  }

  private func references(afterward more: Int) -> [String] {
    blocks.filter { $0.kind != "variable" }.flatMap(\.body).flatMap { line -> [String] in
      // The types in block headers are in quotation marks, so they are other words.
      let words = line.replacing("[*]", with: "").split {
        !($0.isLetter || $0.isNumber || "._-\"".contains($0))
      }
      return words.compactMap { word in
        let parts = word.split(separator: ".").map(String.init)
        guard let first = parts.first else { return nil }
        let isResource = first.hasPrefix("aws_") || first.hasPrefix("random_")
        let count = first == "data" ? 3 : ["var", "local", "module"].contains(first) || isResource ? 2 : 0
        guard count > 0, parts.count >= count else { return nil }
        let reference = parts.prefix(count + more).map { part in
          String(part.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" })
        }
        return reference.joined(separator: ".")
      }
    }
  }
}
