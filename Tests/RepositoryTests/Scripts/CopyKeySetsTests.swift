import Foundation
import Testing

@Suite("scripts/copy-key-sets")
struct CopyKeySetsTests {
  static let good = #"{"keys":[{"kty":"EC","kid":"d","x":"k","y":"A"}]}"#

  @Test(
    "sam build accepts only public key sets",
    arguments: [
      (["a.json": good], 0, ["a.json"]), (["a.json": "{\n\"kid\": \"d\"\n}"], 1, []),
      (
        ["a.json": "\u{feff} {\r\n\"keys\" : [ ],\t\"fetchedAt\": 1.5e3, \"n\": [null, true]}\n"], 0,
        ["a.json"]
      ),
      (["a.json": #"{"keys":[{"kid":"a \"d\": b","n":"\u0022d\u0022:"}]}"#], 0, ["a.json"]),
      (["a.json": good, ".DS_Store": "x"], 0, ["a.json"]), ([:], 0, []),
      (["a.json": good, "b.json": #"{"keys":[{"kty":"EC","d":"A"}]}"#], 1, []),
      (["a.json": "{\"keys\":[{\"kty\":\"oct\",\n\"k\" \n: \"A\"}]}"], 1, []),
      (["a.json": #"{"keys":[{"kty":"EC","\u0064":"A"}]}"#], 1, []),
      (["a.json": #"{"keys":[{"kty":"RSA","\u0064\u0050":"A","dp":"A"}]}"#], 1, []),
      (["a.json": #"{"keys":[{"kty":"RSA","p":"A"}]}"#], 1, []),
      (["a.json": #"{"keys":[],"more":{"deep":[{"qi":"A"}]}}"#], 1, []),
      (["a.json": #"{"keys":[{"pem":"-----BEGIN PRIVATE\u0020KEY-----"}]}"#], 1, []),
      (["a.json": good + "\0" + #"{"d":"A"}"#], 1, []), (["a.json": good + #"{"d":"A"}"#], 1, []),
      (["a.json": ""], 1, []), (["a.json": "[]"], 1, []), (["a.json": #"{"keys":{}}"#], 1, []),
      (["a.json": #"{"keys":[}"#], 1, []), (["a.json": #"{"keys":[01]}"#], 1, []),
      (["a.json": #"{"keys":["\u00g0"]}"#], 1, []), (["a.json": "{\"keys\":[\"a\nb\"]}"], 1, []),
      (["a.json": #"{"keys":["\x"]}"#], 1, []), (["a.json": #"{"keys":[]"#], 1, []),
      (["a.json": String(repeating: "[", count: 17)], 1, []),
      (["a.json": good + String(repeating: " ", count: 262_144)], 1, []),
      (["a.json": "-----BEGIN " + "PRIVATE KEY-----"], 1, []), (["AuthKey.p8": ""], 1, []),
      (["a.json": good, "deep/b.json": good], 1, []), (["a.json": good, "link.json": "->"], 1, []),
    ] as [([String: String], Int32, [String])])
  func script(_ files: [String: String], _ status: Int32, _ copied: [String]) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files.merging(["../elsewhere.json": Self.good], uniquingKeysWith: { $1 }) {
      let file = folder.appending(path: "from/" + name).standardizedFileURL
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      if text == "->" {
        try FileManager.default.createSymbolicLink(
          atPath: file.path, withDestinationPath: folder.appending(path: "elsewhere.json").path)
      } else {
        try Data(text.utf8).write(to: file)
      }
    }
    try FileManager.default.createDirectory(
      at: folder.appending(path: "from"), withIntermediateDirectories: true)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [Repository.root.appending(path: "scripts/copy-key-sets").path, "from", "to"]
    process.currentDirectoryURL = folder
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == status)
    let found = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "to").path)
    #expect((found ?? []).sorted() == copied)
  }
}
