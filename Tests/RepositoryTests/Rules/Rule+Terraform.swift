/// Rules about the Terraform module: HashiCorp's standard module structure, and references that `terraform validate`
/// finds only if it can download the providers.
extension Rule {
  static let terraform: [Rule] = [
    Rule(
      "each Terraform module has main.tf, variables.tf, outputs.tf and versions.tf, and a README if it is no example",
      bad: [
        sample(["variables.tf": nil]), sample(["README.md": nil]), sample(["modules/a/outputs.tf": nil]),
        sample(["examples/e/versions.tf": nil]),
      ],
      good: sample()
    ) { repository in
      modules(in: repository).flatMap { module -> [String] in
        let isExample = module.folder.hasPrefix(top + "/examples/")
        return (["main.tf", "variables.tf", "outputs.tf", "versions.tf"] + (isExample ? [] : ["README.md"]))
          .filter { !module.files.contains($0) }.map { "\(module.folder): no \($0)" }
      }
    },
    Rule(
      "each variable of a Terraform module has a description and a type, each output a description",
      bad: [
        sample(["variables.tf": "variable \"a\" {\n  type = string\n}\n"]),
        sample(["variables.tf": "variable \"a\" {\n  description = \"A\"\n}\n"]),
        sample(["outputs.tf": "output \"o\" {\n  value = var.a\n}\n"]),
        sample(["outputs.tf": "output \"o\" {\n  description = \"\"\n  value = var.a\n}\n"]),
      ],
      good: sample()
    ) { repository in
      modules(in: repository).flatMap { module -> [String] in
        let missing = module.blocks("variable").flatMap { block in
          ["description", "type"].filter { block.text(of: $0)?.isEmpty != false }.map { (block, $0) }
        }
        let undescribed = module.blocks("output").filter { $0.text(of: "description")?.isEmpty != false }
        return (missing + undescribed.map { ($0, "description") }).map { block, argument in
          "\(module.folder): \(block.kind) \(block.labels.joined()) has no \(argument)"
        }
      }
    },
    Rule(
      "each reference in a Terraform module has its declaration, and each variable and local value is used",
      bad: [
        sample(["main.tf": "module \"m\" {\n  source = \"./modules/a\"\n  n = var.b\n}\n"]),
        sample(["outputs.tf": "output \"o\" {\n  description = \"O\"\n  value = \"${aws_a.b.arn}/*\"\n}\n"]),
        sample(["outputs.tf": "output \"o\" {\n  description = \"O\"\n  value = one(module.x[*].o)\n}\n"]),
        sample(["outputs.tf": "output \"o\" {\n  description = \"O\"\n  value = data.aws_a.b.json\n}\n"]),
        sample(["variables.tf": variables("a") + variables("unused")]),
        sample(["modules/a/main.tf": "locals {\n  l = var.n\n}\n"]),
      ],
      good: sample([
        "modules/a/main.tf":
          "data \"aws_a\" \"b\" {}\nlocals {\n  l = var.n\n  m = \"${local.l}${local.m}\"\n}\n"
      ])
    ) { repository in
      modules(in: repository).flatMap { module -> [String] in
        let unused = module.declared.subtracting(module.references)
          .filter { $0.hasPrefix("var.") || $0.hasPrefix("local.") }
        return module.references.subtracting(module.declared).map { "\(module.folder): no \($0)" }
          + unused.map { "\(module.folder): \($0) is not used" }
      }.sorted()
    },
    Rule(
      "each call of a Terraform module sets its required variables and no others, and reads its outputs",
      bad: [
        sample(["main.tf": "module \"m\" {\n  source = \"./modules/a\"\n  x = var.a\n  n = var.a\n}\n"]),
        sample(["main.tf": "module \"m\" {\n  source = \"./modules/a\"\n}\n"]),
        sample(["main.tf": "module \"m\" {\n  source = \"./modules/b\"\n  n = var.a\n}\n"]),
        sample(["outputs.tf": "output \"o\" {\n  description = \"O\"\n  value = one(module.m[*].x)\n}\n"]),
      ],
      good: sample()
    ) { repository in
      let all = TerraformModule.all(in: repository, below: top)
      return all.values.flatMap { module in
        module.blocks("module").flatMap { call -> [String] in
          let name = "\(module.folder): module \(call.labels.joined())"
          guard let source = call.text(of: "source"), let called = all[path(source, from: module.folder)]
          else {
            return ["\(name): no such source"]
          }
          let given = Set(call.arguments).subtracting([
            "source", "count", "for_each", "depends_on", "providers",
          ])
          let required = called.blocks("variable").filter { !$0.arguments.contains("default") }
            .compactMap(\.labels.first)
          let read = module.moduleOutputs.map { $0.split(separator: ".").map(String.init) }
            .filter { $0[1] == call.labels.joined() }.map { $0[2] }
          return given.subtracting(called.names("variable")).map { "\(name): no variable \($0)" }
            + required.filter { !given.contains($0) }.map { "\(name): \($0) is not set" }
            + Set(read).subtracting(called.names("output")).map { "\(name): no output \($0)" }
        }
      }.sorted()
    },
    Rule(
      "a variable of a Terraform module that may contain a secret is sensitive",
      bad: [
        sample(["variables.tf": variables("a", description: "Such as a secret")]),
        sample(["variables.tf": variables("environment")]),
        sample(["variables.tf": variables("environment", more: "  sensitive = false\n")]),
      ],
      good: sample(["variables.tf": variables("environment", more: "  sensitive   = true\n")])
    ) { repository in
      modules(in: repository).flatMap { module in
        module.blocks("variable").filter { block in
          let isSecret =
            block.labels == ["environment"] || block.text(of: "description")?.contains("secret") == true
          return isSecret && block.text(of: "sensitive") != "true"
        }.map { "\(module.folder): \($0.labels.joined())" }
      }
    },
    Rule(
      "variables of the same name accept the same values in all parts of the Terraform module",
      bad: [
        sample(["modules/b/variables.tf": variables("n").replacing("string", with: "number")]),
        sample([
          "modules/a/variables.tf": variables("n", more: validation("var.n > 0")),
          "modules/b/variables.tf": variables("n", more: validation("var.n > 1")),
        ]),
      ],
      good: sample([
        "modules/a/variables.tf": variables("n") + variables("configuration", more: validation("true")),
        "modules/b/variables.tf": variables("n", description: "B") + variables("configuration"),
      ])
    ) { repository in
      // The configurations are two different files.
      let blocks = modules(in: repository).filter { $0.folder.hasPrefix(top + "/modules/") }
        .flatMap { $0.blocks("variable") }.filter { $0.labels != ["configuration"] }
      return Dictionary(grouping: blocks) { $0.labels.joined() }.filter { _, same in
        Set(same.map { [$0.text(of: "type") ?? ""] + $0.conditions }).count > 1
      }.keys.sorted()
    },
    Rule(
      "the README of the Terraform module lists its variables and outputs",
      bad: [
        sample(["README.md": "# A\n\n| `a` |\n"]),
        sample(["README.md": "# A\n\n| `o` |\n| `a` |\n| `b` |\n"]),
      ],
      good: sample()
    ) { repository in
      guard let root = TerraformModule.all(in: repository, below: top)[top],
        let readme = repository.files[top + "/README.md"]
      else { return [] }
      let listed = readme.split(separator: "\n").filter {
        $0.hasPrefix("| `") && !$0.hasPrefix("| `examples/")
      }
      .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
      return root.names("variable").union(root.names("output")).symmetricDifference(listed).sorted()
    },
  ]

  private static let top = "template/terraform"

  private static func modules(in repository: Repository) -> [TerraformModule] {
    TerraformModule.all(in: repository, below: top).values.sorted { $0.folder < $1.folder }
  }

  private static func path(_ source: String, from folder: String) -> String {
    var parts = folder.split(separator: "/")
    for part in source.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  private static func variables(_ name: String, description: String = "A", more: String = "") -> String {
    "variable \"\(name)\" {\n  description = \"\(description)\"\n  type = string\n\(more)}\n"
  }

  private static func validation(_ condition: String) -> String {
    "\n  validation {\n    condition     = \(condition)\n    error_message = \"No.\"\n  }\n"
  }

  /// A small valid module with a nested module and an example, with some files replaced, or removed by `nil`.
  private static func sample(_ changes: [String: String?] = [:]) -> [String: String] {
    var files = [
      "README.md": "# A\n\n| `a` | an a |\n| `o` | an o |\n", "versions.tf": "terraform {\n}\n",
      "main.tf":
        "# m\nmodule \"m\" {\n  source = \"./modules/a\"\n  count = 1\n\n  n = [\n    var.a,\n  ]\n}\n",
      "variables.tf": variables("a"),
      "outputs.tf": "output \"o\" {\n  description = \"O\"\n  value = one(module.m[*].o)\n}\n",
      "modules/a/README.md": "# A\n", "modules/a/main.tf": "data \"aws_a\" \"b\" {}\n",
      "modules/a/variables.tf": variables("n"), "modules/a/versions.tf": "terraform {\n}\n",
      "modules/a/outputs.tf":
        "output \"o\" {\n  description = \"O\"\n  value = \"${data.aws_a.b.c}#${var.n}\"\n}\n",
      "examples/e/main.tf": "module \"m\" {\n  source = \"../..\"\n  a = \"a\"\n}\n",
      "examples/e/variables.tf": "",
      "examples/e/outputs.tf": "output \"o\" {\n  description = \"O\"\n  value = module.m.o\n}\n",
      "examples/e/versions.tf": "terraform {\n}\n",
    ]
    for (path, text) in changes { files[path] = text }
    return Dictionary(uniqueKeysWithValues: files.map { ("\(top)/\($0.key)", $0.value) })
  }
}
