import Bytes
package import FunctionHost
package import JOSE

/// The secret of an HMAC issuer: the bytes of a text, or the bytes that the text encodes.
package struct SecretConfiguration {
  let path: String
  let environment: String?
  let file: String?
  let encoding: Encoding

  enum Encoding: String, CaseIterable { case text, base64 }

  /// Reads the members of `secret`; reports each unknown member or wrong type as a problem.
  package init(_ reader: ObjectReader) {
    var reader = reader
    path = reader.path
    environment = reader.text("environment")
    file = reader.text("file")
    encoding = reader.word("encoding", Encoding.self) ?? .text
    reader.finish()
  }

  /// 16 KiB: a longer file is not a secret but a wrong file.
  private static let maximumBytes = 16 << 10

  /// Returns the secret. Messages quote nothing, not even the name of a variable or a file, since the secret may have
  /// been written there by mistake.
  package func material(
    _ source: some ConfigurationSource, _ algorithms: [Algorithm]?, _ problems: ProblemList
  ) -> IssuerKeyMaterial? {
    let isHMAC = algorithms?.allSatisfy { $0.isSymmetric } ?? true
    if !isHMAC { problems.add(path, SharedSecret.Flaw.notHMAC.description) }
    guard let text = text(source, problems), !problems.concerns(path + ".encoding") else { return nil }
    // Checked before decoding, so that a secret reference in place of base64 gets its own message.
    if let flaw = UnresolvedSecret(text: text) {
      problems.add(path, flaw.description)
      return nil
    }
    let bytes = encoding == .base64 ? Base64.decode(text) : text
    guard let bytes else {
      problems.add(path, "not base64 (RFC 4648 section 4), although \"encoding\" is \"base64\"")
      return nil
    }
    // HS256 requires the fewest bytes. Of several algorithms, report the one that requires the most.
    let requiring = isHMAC ? algorithms ?? [.hs256] : [.hs256]
    let strictest = requiring.max { $0.minimumSecretBytes < $1.minimumSecretBytes } ?? .hs256
    let secret: SharedSecret
    do throws(SharedSecret.Flaw) {
      secret = try SharedSecret(bytes, for: [strictest] + requiring.filter { $0 != strictest })
    } catch {
      problems.add(path, error.description)
      return nil
    }
    // Repeated base64 may decode to bytes that do not repeat.
    if let flaw = UnresolvedSecret(bytes: bytes) ?? UnresolvedSecret(bytes: text) {
      problems.add(path, flaw.description)
      return nil
    }
    return .secret(secret)
  }

  private func text(_ source: some ConfigurationSource, _ problems: ProblemList) -> [UInt8]? {
    switch (environment, file) {
    case (let name?, nil):
      if let value = source.variable(name), !value.isEmpty { return Array(value.utf8) }
      problems.add(path + ".environment", "the variable is unset or empty")
    case (nil, let file?):
      do throws(FileError) {
        return Self.withoutFinalNewline(try source.file(file, limit: Self.maximumBytes))
      } catch {
        problems.add(path + ".file", error.description)
      }
    default:
      // A member that was reported as wrong is not missing too.
      if problems.concerns(path + ".environment") || problems.concerns(path + ".file") { return nil }
      problems.add(path, "either \"environment\" or \"file\" is expected")
    }
    return nil
  }

  /// Removes the final newline, which editors add and which is not part of the secret.
  private static func withoutFinalNewline(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.last == .lineFeed else { return bytes }
    let line = bytes.dropLast()
    return Array(line.last == .carriageReturn ? line.dropLast() : line)
  }
}
