internal import Text
internal import Templates

/// Checks of the user table and of the secret that signs nonces.
extension TemplateIdentityInspection {
  /// Returns the resource of a table by its logical ID or its `TableName`.
  func tableResource(_ name: String) -> LenientTemplate.Resource? {
    survey.resources.first { resource in
      ["AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable", "AWS::Serverless::SimpleTable"].contains(
        resource.type)
        && (resource.name == name || resource["TableName"]?.text == name)
    }
  }

  /// Checks that the table is set up as docs/dynamodb.md describes.
  mutating func inspectTable(_ deployed: DeployedTable) {
    guard let table = tableResource(deployed.name) else { return }
    inspectKey(of: table)
    inspectExpiry(of: table, "used nonces and seen events are never deleted")
    if !["Retain", "RetainExceptOnCreate"].contains(table.deletionPolicy) {
      add(
        .tableNotRetained, table.name, "the table and all its users are deleted with the stack",
        cure: "write DeletionPolicy: Retain and UpdateReplacePolicy: Retain")
    }
  }

  /// Checks a table of used proofs alone. Without its items, proofs count again for the minute that they are valid.
  mutating func inspectProofTable(_ deployed: DeployedTable) {
    guard let table = tableResource(deployed.name) else { return }
    inspectKey(of: table)
    inspectExpiry(of: table, "used proofs are never deleted")
  }

  private mutating func inspectKey(of table: LenientTemplate.Resource) {
    guard let key = Self.key(of: table), key != Self.key else { return }
    add(
      .tableKeyMismatch, table.name, "its key is \(key), but the function needs \(Self.key)",
      cure:
        "write KeySchema and AttributeDefinitions as in template/identity.yaml; a table's key cannot be changed later"
    )
  }

  private static let key = "pk (S, HASH)"
  private static let expiry = "expires"

  /// Returns the table's key as text; `nil` if it cannot be read.
  private static func key(of table: LenientTemplate.Resource) -> String? {
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

  private mutating func inspectExpiry(of table: LenientTemplate.Resource, _ consequence: String) {
    let setting = table["TimeToLiveSpecification"]
    if table.says("TimeToLiveSpecification") {
      guard let setting, let isEnabled = setting["Enabled"]?.text else { return }
      // Without a name there is nothing to compare.
      let name = setting["AttributeName"]?.text ?? Self.expiry
      if isEnabled.lowercased() == "true", name == Self.expiry { return }
    }
    add(
      .tableWithoutExpiry, table.name,
      "no TTL on the attribute \(Self.expiry): \(consequence)",
      cure: "write TimeToLiveSpecification: {AttributeName: \(Self.expiry), Enabled: true}")
  }

  // MARK: Secrets

  mutating func inspectSecrets(_ variables: [String], of function: LenientTemplate.Resource) {
    for variable in variables {
      guard let value = function["Environment"]?["Variables"]?[variable]?.text, !value.isEmpty else {
        continue
      }
      let place = "\(function.name).\(variable)"
      guard let start = value.firstByteRange(of: "{{resolve:") else {
        inspectPlain(value, at: place)
        continue
      }
      // {{resolve:secretsmanager:ID:SecretString:KEY:…}}, "Get a secret value from AWS Secrets Manager".
      let parts = value[start.upperBound...].head(before: "}").splitBytes(
        at: ":", omittingEmptySubsequences: false)
      guard parts.count > 1, parts[0] == "secretsmanager", let secret = survey.resource(String(parts[1]))
      else { continue }
      inspectManaged(secret)
    }
  }

  private static let secretCure =
    "generate it with AWS::SecretsManager::Secret and write {{resolve:secretsmanager:…}}, as in template/identity.yaml"

  private mutating func inspectPlain(_ value: String, at place: String) {
    let name = value.splitBytes(at: ".").first.map(String.init) ?? value
    if survey.resource(name) != nil {
      add(
        .secretInTemplate, place, "the value is the name of the resource \(name), not the secret in it",
        cure: Self.secretCure)
    } else if survey.contains(value) {
      add(
        .secretInTemplate, place,
        "the secret is in the template: anyone who reads the template can create valid nonces",
        cure: Self.secretCure)
    }
  }

  /// Checks a secret that the template defines.
  private mutating func inspectManaged(_ secret: LenientTemplate.Resource) {
    guard secret.type == "AWS::SecretsManager::Secret" else { return }
    if let written = secret["SecretString"]?.text, !written.isEmpty, survey.contains(written) {
      add(
        .secretInTemplate, secret.name,
        "SecretString is in the template: anyone who reads the template can create valid nonces",
        cure: "write GenerateSecretString instead")
    }
    // The default is 32 ("AWS::SecretsManager::Secret GenerateSecretString").
    if let generated = secret["GenerateSecretString"], generated["GenerateStringKey"] == nil,
      let length = Int(generated["PasswordLength"]?.text ?? "32"), length < Self.secretBytes
    {
      add(
        .secretTooShort, secret.name,
        "PasswordLength is \(length), but the secret needs \(Self.secretBytes) bytes: the function does not start",
        cure: "write PasswordLength: 64")
    }
  }

  /// RFC 7518 section 3.2, for HS256.
  private static let secretBytes = 32
}
