/// The table that users are kept in, and the secret that nonces are signed with.
extension TemplateIdentityInspection {
  /// The resource of a table by its logical id, or by the name that it is given.
  func tableResource(_ name: String) -> TemplateSurvey.Resource? {
    survey.resources.first { resource in
      ["AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable", "AWS::Serverless::SimpleTable"].contains(
        resource.type)
        && (resource.name == name || resource["TableName"]?.text == name)
    }
  }

  /// Whether the table is as docs/dynamodb.md has it.
  mutating func inspectTable(_ deployed: DeployedTable) {
    guard let table = tableResource(deployed.name) else { return }
    if let key = Self.key(of: table), key != Self.key {
      add(
        .tableKeyMismatch, table.name, "its key is \(key), and the function asks for \(Self.key)",
        cure:
          "write KeySchema and AttributeDefinitions as template/identity.yaml does; a table's key never changes"
      )
    }
    inspectExpiry(of: table)
    if !["Retain", "RetainExceptOnCreate"].contains(table.deletionPolicy) {
      add(
        .tableNotRetained, table.name, "it is deleted with the stack, and all users with it",
        cure: "write DeletionPolicy: Retain and UpdateReplacePolicy: Retain")
    }
  }

  private static let key = "pk (S, HASH)"
  private static let expiry = "expires"

  /// `nil` where it cannot be read.
  private static func key(of table: TemplateSurvey.Resource) -> String? {
    if table.type == "AWS::Serverless::SimpleTable" {
      // "AWS::Serverless::SimpleTable", PrimaryKey.
      let name = table.says("PrimaryKey") ? table["PrimaryKey"]?["Name"]?.text : "id"
      let type = table["PrimaryKey"]?["Type"]?.text ?? "String"
      return name.map { "\($0) (\(type.prefix(1)), HASH)" }
    }
    guard let schema = table["KeySchema"]?.list, let definitions = table["AttributeDefinitions"]?.list else {
      return nil
    }
    let parts = schema.map { element -> String? in
      guard let name = element["AttributeName"]?.text, let kind = element["KeyType"]?.text,
        let definition = definitions.first(where: { $0["AttributeName"]?.text == name }),
        let type = definition["AttributeType"]?.text
      else { return nil }
      return "\(name) (\(type), \(kind))"
    }
    return parts.contains(nil) ? nil : parts.compactMap { $0 }.joined(separator: ", ")
  }

  private mutating func inspectExpiry(of table: TemplateSurvey.Resource) {
    let setting = table["TimeToLiveSpecification"]
    if table.says("TimeToLiveSpecification") {
      guard let setting, let isEnabled = setting["Enabled"]?.text else { return }
      // Without a name there is nothing to compare.
      let name = setting["AttributeName"]?.text ?? Self.expiry
      if isEnabled.lowercased() == "true", name == Self.expiry { return }
    }
    add(
      .tableWithoutExpiry, table.name,
      "no time to live by the attribute \(Self.expiry): used nonces and seen events stay for ever",
      cure: "write TimeToLiveSpecification: {AttributeName: \(Self.expiry), Enabled: true}")
  }

  // MARK: Secrets

  /// - Parameter text: the template as it is written.
  mutating func inspectSecrets(
    _ variables: [String], of function: TemplateSurvey.Resource, in text: String
  ) {
    for variable in variables {
      guard let value = function["Environment"]?["Variables"]?[variable]?.text, !value.isEmpty else {
        continue
      }
      let place = "\(function.name).\(variable)"
      guard let start = value.firstRange(of: "{{resolve:") else {
        inspectPlain(value, at: place, in: text)
        continue
      }
      // {{resolve:secretsmanager:ID:SecretString:KEY:…}}, "Get a secret value from AWS Secrets Manager".
      let parts = value[start.upperBound...].prefix { $0 != "}" }.split(
        separator: ":", omittingEmptySubsequences: false)
      guard parts.count > 1, parts[0] == "secretsmanager", let secret = survey.resource(String(parts[1]))
      else { continue }
      inspectManaged(secret, text)
    }
  }

  private static let secretCure =
    "let AWS::SecretsManager::Secret make it, and write {{resolve:secretsmanager:…}}, as template/identity.yaml does"

  private mutating func inspectPlain(_ value: String, at place: String, in text: String) {
    let name = value.split(separator: ".").first.map(String.init) ?? value
    if survey.resource(name) != nil {
      add(
        .secretInTemplate, place, "it is the name of \(name), which is no secret, and not what \(name) holds",
        cure: Self.secretCure)
    } else if text.contains(value) {
      add(
        .secretInTemplate, place,
        "it is written in the template: whoever reads that can make nonces of this function",
        cure: Self.secretCure)
    }
  }

  /// A secret of the template.
  private mutating func inspectManaged(_ secret: TemplateSurvey.Resource, _ text: String) {
    guard secret.type == "AWS::SecretsManager::Secret" else { return }
    if let written = secret["SecretString"]?.text, !written.isEmpty, text.contains(written) {
      add(
        .secretInTemplate, secret.name,
        "SecretString is written in the template: whoever reads that can make nonces of this function",
        cure: "write GenerateSecretString in its place")
    }
    // 32 where nothing is said ("AWS::SecretsManager::Secret GenerateSecretString").
    if let generated = secret["GenerateSecretString"], generated["GenerateStringKey"] == nil,
      let length = Int(generated["PasswordLength"]?.text ?? "32"), length < Self.secretBytes
    {
      add(
        .secretTooShort, secret.name,
        "PasswordLength is \(length), and nonces are signed with \(Self.secretBytes) bytes at least: the function does not start",
        cure: "write PasswordLength: 64")
    }
  }

  /// RFC 7518 section 3.2, for HS256.
  private static let secretBytes = 32
}
