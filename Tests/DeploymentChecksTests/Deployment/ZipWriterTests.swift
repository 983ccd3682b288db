@testable import DeploymentChecks
import Testing

@Suite struct ZipWriterTests {
  static let files: [DeploymentPackage.File] = [
    .init(path: "bootstrap", bytes: (0..<4000).map { UInt8($0 * $0 / 7 % 8) }, permissions: 0o755),
    .init(path: "keys/apple.json", bytes: Array("{}".utf8), permissions: 0o644),
    .init(path: "authorizer.json", bytes: [], permissions: 0o600),
  ]

  @Test func equalFilesGiveEqualBytes() throws {
    let archive = try DeploymentPackage(files: Self.files).archive
    #expect(try DeploymentPackage(files: Self.files.reversed()).archive == archive)
    let read = try DeploymentPackage(parsing: archive)
    #expect(read.files.map(\.path) == ["authorizer.json", "bootstrap", "keys/apple.json"])
    #expect(read.files.map(\.permissions) == [0o600, 0o755, 0o644])
    #expect(read.file("bootstrap")?.bytes == Self.files[0].bytes)
  }

  /// Compares every byte, so that a change of the writer is noticed.
  @Test func archiveHasAFixedTimeAndUnixModes() throws {
    let archive = try DeploymentPackage(files: [.init(path: "a", bytes: [0x78], permissions: 0o644)]).archive
    let fields: [UInt8] = [
      20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0, 0x83, 0x16, 0xDC, 0x8C, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,
    ]
    let local: [UInt8] = [0x50, 0x4B, 3, 4] + fields + [0x61, 0x78]
    let entry: [UInt8] =
      [0x50, 0x4B, 1, 2, 30, 3] + fields + [0, 0, 0, 0, 0, 0, 0, 0, 0xA4, 0x81, 0, 0, 0, 0, 0x61]
    let end: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0, 47, 0, 0, 0, 32, 0, 0, 0, 0, 0]
    #expect(archive == local + entry + end)
  }

  @Test(arguments: [["../a"], ["/a"], ["a//b"], [""], ["a", "a"], ["a\\b"]])
  func refusesInvalidPaths(_ paths: [String]) {
    #expect(throws: DeploymentError.self) {
      try DeploymentPackage(files: paths.map { .init(path: $0, bytes: [], permissions: 0o644) })
    }
  }
}
