@testable import DeploymentChecks
@testable import Templates
import Foundation
import Testing

@Suite struct PackageInspectionTests {
  typealias Code = DeploymentFinding.Code
  typealias File = DeploymentPackage.File

  /// Returns the files of a valid package with the defects that a test needs.
  static func files(_ change: (inout [String: File]) -> Void = { _ in }) -> [String: File] {
    var files = [
      "bootstrap": program { image in
        image.interpreter = nil
        image.isDynamic = false
      }, "fetch-keys": program(),
      "authorizer.json": File(path: "authorizer.json", bytes: Array("{}".utf8), permissions: 0o644),
    ]
    change(&files)
    return files
  }

  static func program(_ mode: Int = 0o755, _ change: (inout ProgramImage) -> Void = { _ in }) -> File {
    File(path: "", bytes: ELFFileTests.image(change), permissions: mode)
  }

  static func codes(
    _ files: [String: File], architecture: String? = "x86_64", fetchesKeys: Bool? = true
  ) throws -> [Code] {
    let package = try DeploymentPackage(
      files: files.map { File(path: $0, bytes: $1.bytes, permissions: $1.permissions) })
    return PackageInspection(package, architecture: architecture, fetchesKeys: fetchesKeys).findings.map(
      \.code)
  }

  /// Folder modes of an archive or a folder.
  @Test(
    arguments: [
      (0o755, []), (0o700, [.fileNotReadable]), (0o750, [.fileNotReadable]), (0o777, [.modeTooWide]),
      (0o1777, [.modeTooWide]),
    ] as [(Int, [Code])])
  func inspectsFolderModes(_ mode: Int, _ codes: [Code]) throws {
    let files = Self.files().map {
      File(path: $0, bytes: $1.bytes, permissions: $1.permissions)
    }
    let package = try DeploymentPackage(files: files, folders: ["keys": mode])
    let findings = PackageInspection(package, architecture: nil, fetchesKeys: true).findings
    #expect(findings.map(\.code) == codes)
    #expect(findings.allSatisfy { $0.place == "keys/" })
  }

  @Test func acceptsAConfigurationThatAVariableNames() throws {
    let files = Self.files { $0["prod/authorizer.json"] = $0.removeValue(forKey: "authorizer.json") }
    let package = try DeploymentPackage(
      files: files.map { File(path: $0, bytes: $1.bytes, permissions: $1.permissions) })
    let inspection = PackageInspection(
      package, architecture: nil, fetchesKeys: true, configurations: ["prod/authorizer.json"])
    #expect(inspection.findings == [])
  }

  @Test(
    arguments: [
      (files(), nil, []), (files(), false, []), (files(), true, [.callDynamoDBMissing]),
      (files { $0["call-dynamodb"] = program() }, true, []),
      (files { $0["call-dynamodb"] = program(0o644) }, false, [.callDynamoDBNotExecutable]),
      (files { $0["bin/call-dynamodb"] = program() }, true, [.callDynamoDBMissing]),
      (
        files { $0["call-dynamodb"] = program { $0.machine = 183 } }, true,
        [.architectureMismatch, .loaderMissing, .processorsDiffer]
      ),
    ] as [([String: File], Bool?, [Code])])
  func aTableNeedsCallDynamoDB(_ files: [String: File], _ needsTable: Bool?, _ codes: [Code]) throws {
    let package = try DeploymentPackage(
      files: files.map { File(path: $0, bytes: $1.bytes, permissions: $1.permissions) })
    let inspection = PackageInspection(
      package, architecture: "x86_64", fetchesKeys: true, needsTable: needsTable)
    #expect(Set(inspection.findings.map(\.code)) == Set(codes))
  }

  @Test(
    arguments: [
      (["authorizer.json": "{}"], .authorizer), (["identity.json": "{}"], .identity),
      (
        ["identity.json": "{}", "authorizer.json": "{}", "bootstrap": "/auth/apple/notifications"], .identity
      ),
      (["bootstrap": "…/auth/apple/notifications…"], .identity),
      (["bootstrap": "AUTHORIZER_CONFIG"], .authorizer),
      ([:], .authorizer), (["keys/identity.json": "{}"], .authorizer),
    ] as [([String: String], ShippedFunction)])
  func detectsThePackagesFunction(_ files: [String: String], _ function: ShippedFunction) throws {
    let package = try DeploymentPackage(
      files: files.map { File(path: $0, bytes: Array($1.utf8), permissions: 0o755) })
    #expect(ShippedFunction(of: package) == function)
  }

  @Test func validPackageHasNoFindings() throws { #expect(try Self.codes(Self.files()) == []) }

  @Test(
    arguments: [
      (files { $0["bootstrap"] = nil }, [.bootstrapMissing]),
      (files { $0["dist/bootstrap"] = $0.removeValue(forKey: "bootstrap") }, [.bootstrapMissing]),
      (files { $0["bootstrap"] = program(0o644) }, [.bootstrapNotExecutable]),
      (files { $0["bootstrap"] = program(0o700) }, [.bootstrapNotExecutable]),
      (files { $0["bootstrap"] = program(0) }, [.bootstrapNotExecutable]),
      (files { $0["fetch-keys"] = nil }, [.fetchKeysMissing]),
      (files { $0["fetch-keys"] = program(0o666) }, [.fetchKeysNotExecutable, .modeTooWide]),
      (files { $0["bootstrap"] = program(0o4755) { $0.interpreter = nil } }, [.modeTooWide]),
      (files { $0["bootstrap"] = program(0o2755) }, [.modeTooWide]),
      (files { $0["bootstrap"] = program(0o777) }, [.modeTooWide]),
      (files { $0["bootstrap"] = program(0o775) }, []),
      (files { $0["keys/a.json"] = File(path: "", bytes: [], permissions: 0o646) }, [.modeTooWide]),
      (files { $0["call-dynamodb"] = program() }, []),
      (files { $0["call-dynamodb"] = program(0o644) }, [.callDynamoDBNotExecutable]),
      (
        files { $0["call-dynamodb"] = program { $0.machine = 183 } },
        [.architectureMismatch, .loaderMissing, .processorsDiffer]
      ),
      (files { $0["id_rsa"] = File(path: "", bytes: [], permissions: 0o644) }, [.privateKeyInside]),
      (files { $0["config/authorizer.json"] = $0["authorizer.json"] }, [.configurationMisplaced]),
      (files { $0["Authorizer.JSON"] = $0["authorizer.json"] }, [.configurationMisplaced]),
      (
        files {
          $0["authorizer.json"] = nil
          $0["authorizer.json/a.json"] = File(path: "", bytes: [], permissions: 0o644)
        }, [.configurationMisplaced]
      ),
      (files { $0["fetch-keys"] = program { $0.searchPath = "$ORIGIN" } }, [.librariesFromFolder]),
      (files { $0["keys/a.json"] = File(path: "", bytes: [], permissions: 0o600) }, [.fileNotReadable]),
      (
        files { $0["bootstrap"] = File(path: "", bytes: Array("#!/bin/sh".utf8), permissions: 0o755) },
        [.programInvalid]
      ),
      (
        files { $0["bootstrap"] = File(path: "", bytes: [0x7F, 0x45, 0x4C, 0x46], permissions: 0o755) },
        [.programInvalid]
      ),
      (
        files { $0["bootstrap"] = program { $0.machine = 183 } },
        [.architectureMismatch, .loaderMissing, .processorsDiffer]
      ),
      (
        files { $0["fetch-keys"] = program { $0.versions = [("libc.so.6", ["GLIBC_2.38"])] } },
        [.symbolsTooNew]
      ),
      (
        files { $0["bootstrap"] = program { $0.versions = [("libstdc++.so.6", ["GLIBCXX_3.4.30"])] } },
        [.symbolsTooNew]
      ),
      (files { $0["bootstrap"] = program { $0.libraries = ["libswiftCore.so"] } }, [.libraryMissing]),
      (files { $0["bootstrap"] = program { $0.interpreter = "/lib/ld-musl-x86_64.so.1" } }, [.loaderMissing]),
      (files { $0["bootstrap"] = program { $0.hasSymbolTable = true } }, [.notStripped]),
      (
        files { $0["bootstrap"] = program { $0.text = "OpenSSL 1.1.1w  11 Sep 2023" } }, [.openSSLUnsupported]
      ),
    ] as [([String: File], [Code])])
  func findsProblemsOfPackages(_ files: [String: File], _ codes: [Code]) throws {
    #expect(Set(try Self.codes(files)) == Set(codes))
  }

  @Test func aPackedLibraryIsNotMissing() throws {
    let files = Self.files {
      $0["bootstrap"] = Self.program { $0.libraries = ["libx.so.1"] }
      $0["lib/libx.so.1"] = File(path: "", bytes: [1], permissions: 0o644)
    }
    #expect(try Self.codes(files) == [])
  }

  @Test func comparesOnlyWithTheGivenFacts() throws {
    let other = Self.files {
      $0["bootstrap"] = nil
      $0["fetch-keys"] = nil
    }
    #expect(try Self.codes(other, fetchesKeys: false) == [.bootstrapMissing])
    let arm = Self.files {
      for name in ["bootstrap", "fetch-keys"] {
        $0[name] = Self.program {
          $0.machine = 183
          $0.interpreter = "/lib/ld-linux-aarch64.so.1"
        }
      }
    }
    #expect(try Self.codes(arm, architecture: nil) == [])
    #expect(try Self.codes(arm, architecture: "arm64") == [])
    #expect(try Self.codes(arm, architecture: "x86_64") == [.architectureMismatch, .architectureMismatch])
  }

  @Test(
    arguments: [
      (2_900_000, []), (5 << 20, []), (5 << 20 + 1, [.packageLarge]), (52_428_800, [.packageLarge]),
      (52_428_801, [.uploadTooLarge]), (Int.max, [.uploadTooLarge]),
    ] as [(Int, [Code])])
  func checksTheSize(_ bytes: Int, _ codes: [Code]) {
    #expect(PackageInspection.findings(ofArchiveBytes: bytes).map(\.code) == codes)
  }

  @Test func readsAFolderWithItsModes() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("folder-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("keys"), withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("keys/a.json")
    try Data("{}".utf8).write(to: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path.path)
    let package = try DeploymentPackage(folder: folder.path)
    #expect(package.files == [File(path: "keys/a.json", bytes: Array("{}".utf8), permissions: 0o640)])
    try FileManager.default.createSymbolicLink(
      at: folder.appendingPathComponent("bootstrap"), withDestinationURL: path)
    #expect(package.folders == ["keys"])
    let error = try #require(throws: DeploymentError.self) { try DeploymentPackage(folder: folder.path) }
    #expect(error == .entry("bootstrap", "it is a link or not a regular file"))
  }

  /// Uses a sparse file, so that the test needs no disk space or memory.
  @Test func doesNotReadATooLargeFolder() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("folder-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("bootstrap").path
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.truncate(atOffset: 5 << 30)
    try handle.close()
    let error = try #require(throws: DeploymentError.self) { try DeploymentPackage(folder: folder.path) }
    #expect(error == .tooLarge(limit: DeploymentPackage.maximumUnpackedBytes))
  }
}
