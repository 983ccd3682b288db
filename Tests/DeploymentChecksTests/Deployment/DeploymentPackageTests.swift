@testable import DeploymentChecks
import Foundation
import TestSupport
import Testing
import ZipCompression

@Suite struct DeploymentPackageTests {
  /// A ZIP file with the defects that a test needs.
  struct Archive {
    struct Entry {
      var name = "bootstrap"
      var contents = Array("#!/bin/sh\n".utf8)
      var packed: [UInt8]?
      var method = 0
      var flags = 0
      var mode = 0o100755
      var localName: String?
      var checksum: UInt32?
      var size: Int?
    }

    var entries: [Entry] = [Entry()]
    var comment = ""
    var count: Int?
    var directoryShift = 0
    var disk = 0

    var bytes: [UInt8] {
      var bytes: [UInt8] = []
      var directory: [UInt8] = []
      for entry in entries {
        let offset = bytes.count
        let packed = entry.packed ?? entry.contents
        let sizes =
          Self.number(Int(entry.checksum ?? Deflate.crc32(entry.contents)), 4)
          + Self.number(packed.count, 4) + Self.number(entry.size ?? entry.contents.count, 4)
        let head =
          Self.number(20, 2) + Self.number(entry.flags, 2) + Self.number(entry.method, 2)
          + Self.number(0, 4) + sizes
        let local = Array((entry.localName ?? entry.name).utf8)
        let name = Array(entry.name.utf8)
        bytes += Self.number(0x0403_4B50, 4) + head + Self.number(local.count, 2) + Self.number(0, 2)
        bytes += local + packed
        directory += Self.number(0x0201_4B50, 4) + Self.number(0x031E, 2) + head
        directory += Self.number(name.count, 2) + Self.number(0, 8) + Self.number(entry.mode << 16, 4)
        directory += Self.number(offset, 4) + name
      }
      let count = count ?? entries.count
      let end =
        Self.number(0x0605_4B50, 4) + Self.number(disk, 2) + Self.number(0, 2) + Self.number(count, 2)
        + Self.number(count, 2) + Self.number(directory.count, 4)
        + Self.number(bytes.count + directoryShift, 4) + Self.number(comment.utf8.count, 2)
      return bytes + directory + end + Array(comment.utf8)
    }

    static func number(_ value: Int, _ length: Int) -> [UInt8] {
      (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
  }

  static func archive(_ change: (inout Archive) -> Void) -> [UInt8] {
    var archive = Archive()
    change(&archive)
    return archive.bytes
  }

  static func entry(_ change: (inout Archive.Entry) -> Void) -> [UInt8] {
    archive { archive in change(&archive.entries[0]) }
  }

  @Test func unpacksFilesWithTheirModes() throws {
    let bytes = Self.archive { archive in
      archive.comment = "PK\u{5}\u{6} is no end"
      archive.entries += [
        .init(name: "lib/", contents: [], mode: 0o040755),
        .init(name: "lib/keys.json", contents: Array("{}".utf8), mode: 0o100644),
        .init(name: "empty", contents: [], packed: [3, 0], method: 8, mode: 0),
      ]
    }
    let package = try DeploymentPackage(parsing: bytes)
    #expect(package.files.map(\.path) == ["bootstrap", "lib/keys.json", "empty"])
    #expect(package.files.map(\.isExecutable) == [true, false, false])
    #expect(package.folders == ["lib"])
    #expect(package.entrypointProblem == nil)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("package-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try package.unpack(into: folder.path)
    #expect(FileManager.default.isExecutableFile(atPath: folder.path + "/bootstrap"))
    #expect(try String(contentsOfFile: folder.path + "/lib/keys.json", encoding: .utf8) == "{}")
  }

  @Test(arguments: [
    ([], "archive"), (Array("PK".utf8), "archive"), (Array(archive { _ in }.dropLast()), "archive"),
    (Array(archive { _ in }.dropFirst()), "archive"), (archive { $0.count = 2 }, "archive"),
    (archive { $0.count = 0 }, "archive"), (archive { $0.count = 0xFFFF }, "archive"),
    (archive { $0.directoryShift = 1 }, "archive"), (archive { $0.disk = 1 }, "archive"),
    (archive { $0.entries.append(.init()) }, "entry"), (entry { $0.name = "../bootstrap" }, "entry"),
    (entry { $0.name = "/etc/passwd" }, "entry"), (entry { $0.name = "a/../../b" }, "entry"),
    (entry { $0.name = "../\u{301}a" }, "entry"), (entry { $0.name = "../\u{FE0F}/../\u{301}a" }, "entry"),
    (entry { $0.name = "/\u{301}etc" }, "entry"), (entry { $0.name = "a/\u{301}/./\u{301}b" }, "entry"),
    (entry { $0.name = "a//b" }, "entry"), (entry { $0.name = "a\\b" }, "entry"),
    (entry { $0.name = "./a" }, "entry"), (entry { $0.name = "a\u{0}b" }, "entry"),
    (entry { $0.name = "" }, "archive"), (entry { $0.localName = "other" }, "entry"),
    (entry { $0.name = "a\u{7F}" }, "entry"), (entry { $0.name = "/" }, "entry"),
    (entry { $0.name = "a/" + String(repeating: "n", count: 256) }, "entry"),
    // The same name as a file and a folder, by name or by mode; a pipe, a device; a folder with contents.
    (archive { $0.entries.append(.init(name: "bootstrap/a")) }, "entry"),
    (archive { $0.entries.insert(.init(name: "bootstrap/a"), at: 0) }, "entry"),
    (archive { $0.entries.append(.init(name: "bootstrap/", contents: [], mode: 0o040755)) }, "entry"),
    (entry { $0.mode = 0o040755 }, "entry"), (entry { $0.mode = 0o010644 }, "entry"),
    (entry { $0.mode = 0o020644 }, "entry"), (entry { $0.name = "a/" }, "entry"),
    (archive { $0.entries.append(.init(name: "a/", mode: 0o040755)) }, "entry"),
    (entry { $0.mode = 0o120777 }, "entry"), (entry { $0.flags = 1 }, "entry"),
    (entry { $0.method = 12 }, "entry"), (entry { $0.checksum = 1 }, "entry"),
    (entry { $0.size = 3 }, "entry"), (entry { $0.method = 8 }, "entry"),
    (entry { $0.size = DeploymentPackage.maximumUnpackedBytes + 1 }, "tooLarge"),
  ]) func refusesInvalidArchives(_ bytes: [UInt8], _ code: String) throws {
    let error = try #require(throws: DeploymentError.self) { try DeploymentPackage(parsing: bytes) }
    #expect(caseName(error) == code, "\(error)")
  }

  @Test func keepsSetuidBitsForTheInspection() throws {
    let package = try DeploymentPackage(parsing: Self.entry { $0.mode = 0o106755 })
    #expect(package.files.map(\.permissions) == [0o6755])
  }

  @Test(arguments: [
    ("bootstrap", 0o100644, "not executable"), ("dist/bootstrap", 0o100755, "it is dist/bootstrap"),
    ("main", 0o100755, "no bootstrap at the top"),
  ]) func reportsEntrypointProblems(_ name: String, _ mode: Int, _ text: String) throws {
    let package = try DeploymentPackage(
      parsing: Self.entry { entry in
        entry.name = name
        entry.mode = mode
      })
    #expect(package.entrypointProblem?.contains(text) == true)
  }
}
