import Foundation
import JSON
import Testing
import TestSupport

/// nst/JSONTestSuite: 95 texts every parser must accept, 188 every parser must reject, 35 where RFC 8259 leaves a
/// choice.
@Suite(
  "JSONTestSuite",
  .enabled(if: SharedMaterial.folder(JSONTestSuite.path) != nil, Comment(rawValue: SharedMaterial.absence)))
struct JSONTestSuiteTests {
  @Test("accepts every y_ file without duplicate names")
  func mustAccept() throws {
    let files = JSONTestSuite.files(prefix: "y_")
    #expect(files.count == 95)
    for file in files where !JSONTestSuite.duplicateNames.contains(file.lastPathComponent) {
      #expect(try JSONTestSuite.outcome(of: file) == nil, "\(file.lastPathComponent)")
    }
  }

  @Test("refuses duplicate names although the suite accepts them", arguments: JSONTestSuite.duplicateNames)
  func duplicateNames(name: String) throws {
    let file = try #require(SharedMaterial.folder(JSONTestSuite.path)).appending(path: name)
    #expect(try JSONTestSuite.outcome(of: file) == "duplicateName")
  }

  @Test("refuses every n_ file")
  func mustReject() throws {
    let files = JSONTestSuite.files(prefix: "n_")
    #expect(files.count == 188)
    for file in files {
      #expect(try JSONTestSuite.outcome(of: file) != nil, "\(file.lastPathComponent)")
    }
  }

  @Test("handles each i_ file as documented here")
  func implementationDefined() throws {
    let files = JSONTestSuite.files(prefix: "i_")
    #expect(files.count == 35)
    for file in files {
      let name = file.lastPathComponent
      #expect(try JSONTestSuite.outcome(of: file) == JSONTestSuite.expectedChoice(name), "\(name)")
    }
  }

  @Test("accepts the transform files or refuses them for a documented reason")
  func transforms() throws {
    let files = SharedMaterial.files(in: "JSONTestSuite/test_transform", suffix: ".json")
    #expect(files.count == 22)
    for file in files {
      let outcome = try JSONTestSuite.outcome(of: file)
      switch file.lastPathComponent {
      case let name where name.hasPrefix("object_same_key"): #expect(outcome == "duplicateName", "\(name)")
      case let name where name.contains("escaped_invalid_codepoint"):
        #expect(outcome == "loneSurrogate", "\(name)")
      case let name where name.contains("invalid_codepoint"): #expect(outcome == "invalidUTF8", "\(name)")
      case let name: #expect(outcome == nil, "\(name)")
      }
    }
  }
}

enum JSONTestSuite {
  static let path = "JSONTestSuite/test_parsing"

  /// RFC 8259 says only that names SHOULD be unique. RFC 7515 section 4 requires it, and this parser always requires
  /// it.
  static let duplicateNames = ["y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"]

  static func files(prefix: String) -> [URL] {
    SharedMaterial.files(in: path, suffix: ".json").filter { $0.lastPathComponent.hasPrefix(prefix) }
  }

  /// The code of the refusal; `nil` if the text was accepted.
  static func outcome(of file: URL) throws -> String? {
    do {
      _ = try JSONDocument(parsing: Array(try Data(contentsOf: file)), limits: .event)
      return nil
    } catch let error as JSONError {
      return error.code
    }
  }

  /// Numbers of any size are accepted, because they are stored as text. Invalid UTF-8 is refused.
  static func expectedChoice(_ name: String) -> String? {
    switch name {
    case _ where name.hasPrefix("i_number_"): nil
    case "i_object_key_lone_2nd_surrogate.json": "loneSurrogate"
    case "i_structure_500_nested_arrays.json": "tooDeep"
    case "i_structure_UTF-8_BOM_empty_object.json": "byteOrderMark"
    case "i_string_utf16BE_no_BOM.json", "i_string_utf16LE_no_BOM.json", "i_string_UTF-16LE_with_BOM.json":
      "unexpectedByte"
    case _ where Self.loneSurrogates.contains(name): "loneSurrogate"
    default: "invalidUTF8"
    }
  }

  private static let loneSurrogates: Set<String> = [
    "i_string_1st_surrogate_but_2nd_missing.json", "i_string_1st_valid_surrogate_2nd_invalid.json",
    "i_string_incomplete_surrogate_and_escape_valid.json", "i_string_incomplete_surrogate_pair.json",
    "i_string_incomplete_surrogates_escape_valid.json", "i_string_invalid_lonely_surrogate.json",
    "i_string_invalid_surrogate.json", "i_string_inverted_surrogates_U+1D11E.json",
    "i_string_lone_second_surrogate.json",
  ]
}
