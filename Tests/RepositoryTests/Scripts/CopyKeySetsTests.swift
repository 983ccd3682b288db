import Foundation
import TestSupport
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
    let folder = try TemporaryFolder()
    try folder.write(Self.good, to: "elsewhere.json")
    try FileManager.default.createDirectory(atPath: folder.path("from"), withIntermediateDirectories: true)
    for (name, text) in files {
      if text == "->" {
        try FileManager.default.createSymbolicLink(
          atPath: folder.path("from/" + name), withDestinationPath: folder.path("elsewhere.json"))
      } else {
        try folder.write(text, to: "from/" + name)
      }
    }
    let run = try ScriptRun(["copy-key-sets", "from", "to"], in: folder.url)
    #expect(run.status == status)
    let found = try? FileManager.default.contentsOfDirectory(atPath: folder.path("to"))
    #expect((found ?? []).sorted() == copied)
  }
}
