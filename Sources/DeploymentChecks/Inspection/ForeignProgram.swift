internal import LambdaEmulator
internal import Foundation

/// A program for another processor, which this machine cannot start.
package struct ForeignProgram: Equatable, Sendable {
  package let path: String
  /// The processor that it is built for.
  package let machine: ELFFile.Machine

  /// Examines a program; `nil` if it is for this processor, if this machine starts it nevertheless, or if it is no
  /// program for Lambda.
  ///
  /// Linux starts programs of other processors if an emulator is registered for them (binfmt_misc). So such a program
  /// is tried: it is started without arguments and variables, and killed.
  package init?(at path: String) {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let bytes = try? file.read(upToCount: ELFHeader.bytes),
      let header = try? ELFHeader(ELFReader(Array(bytes))), header.machine != ELFFile.Machine.own
    else { return nil }
    if let process = try? FunctionProcess(FunctionCommand(executable: path, environment: [:])) {
      process.kill()
      return nil
    }
    (self.path, machine) = (path, header.machine)
  }

  /// The program of QEMU's user mode that runs it.
  package var emulator: String {
    switch machine {
    case .x86: "qemu-x86_64-static"
    case .arm: "qemu-aarch64-static"
    }
  }
}

extension ELFFile.Machine {
  /// The processor of this machine; `nil` for one that Lambda does not support.
  package static var own: Self? {
    #if arch(x86_64)
      return .x86
    #elseif arch(arm64)
      return .arm
    #else
      return nil
    #endif
  }
}
