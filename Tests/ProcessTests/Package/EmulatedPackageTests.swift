import DeploymentChecks
import Foundation
import Testing
import TestSupport

/// The emulators that Linux starts by itself for programs of other processors (binfmt_misc).
private enum KernelEmulators {
  static let areAbsent: Bool = {
    let folder = "/proc/sys/fs/binfmt_misc"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return !names.contains { $0.hasPrefix("qemu-") }
  }()
}

/// Programs for another processor: `package --run-with`, and the refusal to start them without an emulator.
@Suite(
  .needsBootstrap, .enabled(if: KernelEmulators.areAbsent, "there is an emulator in the kernel"), .hangLimit)
struct EmulatedPackageTests {
  private static let other: ELFFile.Machine = ELFFile.Machine.own == .arm ? .x86 : .arm

  /// Creates a folder with copies of the programs that claim to be for the other processor, and an emulator that runs
  /// the real function and records its arguments.
  private static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    for name in ["bootstrap", "fetch-keys", "call-dynamodb"] {
      var bytes = try Data(contentsOf: Workshop.programs.appendingPathComponent(name))
      // `e_machine` of the ELF header.
      bytes[18] = other == .arm ? 183 : 62
      let raw = workshop.folder.appendingPathComponent(name + ".raw")
      try bytes.write(to: raw)
      try TestProgram.copy(raw.path, to: workshop.folder.appendingPathComponent(name).path)
    }
    let record = workshop.folder.appendingPathComponent("arguments").path
    try workshop.write(
      program: "#!/bin/sh\necho \"$PWD\" \"$@\" >>'\(record)'\nexec '\(Workshop.bootstrap)'\n",
      to: "emulators/emulator")
    return workshop
  }

  private static func arguments(_ more: String...) -> [String] {
    [
      "package", "--bootstrap", "bootstrap", "--fetch-keys", "fetch-keys", "--call-dynamodb", "call-dynamodb",
      "--output", ".", "--event", PackageCommandTests.root + "/events/rest-token-good.json",
    ] + more
  }

  @Test func startsThePackedProgramInTheEmulator() throws {
    let workshop = try Self.workshop()
    let started = try workshop.execute(Self.arguments("--run-with", "emulators/emulator -L /"))
    #expect(started.exit == 0, "\(started)")
    #expect(started.output.hasPrefix("./authorizer-\(Self.other.rawValue).zip: "), "\(started)")
    #expect(started.output.contains("rest-token-good.json is allowed"), "\(started)")
    // Lambda starts the function in the folder of its code.
    let record = try String(
      contentsOf: workshop.folder.appendingPathComponent("arguments"), encoding: .utf8)
    #expect(record.hasSuffix(" -L / ./bootstrap\n"), "\(record)")
    #expect(!record.hasPrefix(workshop.folder.path), "\(record)")
  }

  @Test func writesNothingWithoutAnEmulator() throws {
    let workshop = try Self.workshop()
    let answer = try workshop.execute(Self.arguments())
    #expect(answer.exit == 69 && answer.output.isEmpty, "\(answer)")
    #expect(
      answer.errors.contains("error: bootstrap is built for \(Self.other.rawValue), and this machine"),
      "\(answer)")
    #expect(answer.errors.contains("hint: nothing was written; start it in an emulator: --run-with qemu-"))
    let names = try FileManager.default.contentsOfDirectory(atPath: workshop.folder.path)
    #expect(!names.contains { $0.hasSuffix(".zip") })
  }

  @Test(arguments: [("no-such-emulator", 69 as Int32, "not found"), (" ", 64, "--run-with needs a command")])
  func reportsAnEmulatorThatDoesNotStart(_ command: String, _ exit: Int32, _ message: String) throws {
    let answer = try Self.workshop().execute(Self.arguments("--run-with", command))
    #expect(answer.exit == exit && answer.errors.contains(message), "\(answer)")
  }

  @Test func refusesToRunTheProgram() throws {
    let workshop = try Self.workshop()
    let zip = "authorizer-\(Self.other.rawValue).zip"
    #expect(try workshop.execute(Self.arguments("--run-with", "emulators/emulator")).exit == 0)
    let event = PackageCommandTests.root + "/events/rest-token-good.json"
    for (options, hint) in [
      (["--function", "./bootstrap"], "hint: run it in an emulator: --function 'qemu-"),
      (["--zip", zip], "hint: unpack it and run it in an emulator: --function 'qemu-"),
    ] {
      let answer = try workshop.execute(["invoke"] + options + [event])
      #expect(answer.exit == 69, "\(answer)")
      #expect(answer.errors.contains("is built for \(Self.other.rawValue), and this machine"), "\(answer)")
      #expect(answer.errors.contains(hint), "\(answer)")
    }
  }
}
