import Foundation
import Testing
import TestSupport

/// The module `COlderGlibc` in a program that needs what it defines: `scripts/check-programs` accepts that program, and
/// it computes and unwinds as with glibc's own functions.
@Suite(
  "COlderGlibc", .hangLimit,
  .enabled(if: LinkedProgram.needsModule, "no clang++ with lld, glibc 2.35 and a static libstdc++"))
struct OlderGlibcTests {
  @Test("with the module a program needs glibc 2.34, without it a later version")
  func version() throws {
    let without = try LinkedProgram.plain.get().run("check")
    #expect(without.status == 1 && without.output.contains("program needs GLIBC_2.3"), "\(without.output)")
    let with = try LinkedProgram.withModule.get().run("check")
    #expect(with.status == 0 && with.output == "make build: program needs GLIBC_2.34\n", "\(with.output)")
  }

  @Test("an exception passes functions, and lengths do not overflow: as with glibc's own functions")
  func behavior() throws {
    let own = try LinkedProgram.withModule.get().run("start")
    #expect(own.status == 0 && own.output == LinkedProgram.output, "\(own.output)")
    #expect(try LinkedProgram.plain.get().run("start").output == own.output)
  }
}

/// A program of C++ with libstdc++ and libgcc in it.
private struct LinkedProgram {
  /// What the program prints.
  static let output = "thrown\n1 1 1 1 1\nno table\n"

  /// Whether this machine links a program that needs glibc 2.35.
  static let needsModule: Bool = {
    guard let program = try? plain.get() else { return false }
    return (try? program.run("check").output.contains("program needs GLIBC_2.3")) == true
  }()

  /// Without COlderGlibc, and with it. The linker takes most of the time.
  static let plain: Result<LinkedProgram, any Error> = Result {
    atexit { LinkedProgram.remove(try? plain.get()) }
    return try LinkedProgram(module: false)
  }

  static let withModule: Result<LinkedProgram, any Error> = Result {
    atexit { LinkedProgram.remove(try? withModule.get()) }
    return try LinkedProgram(module: true)
  }

  private static func remove(_ program: LinkedProgram?) {
    if let program { try? FileManager.default.removeItem(at: program.folder.url) }
  }

  private static let source = """
    #include <cmath>
    #include <cstdio>
    #include <stdexcept>
    #include <unwind.h>
    struct Bases { void *a, *b, *function; };
    extern "C" const void *_Unwind_Find_FDE(void *, Bases *);
    volatile double three = 3, four = 4;
    volatile float nothing = NAN;
    __attribute__((noinline)) void raise(int depth) {
      if (depth == 0) throw std::runtime_error("thrown");
      raise(depth - 1);
      std::fputs("", stderr);
    }
    int main() {
      try { raise(5); } catch (const std::exception &error) { std::puts(error.what()); }
      double large = std::ldexp(1.0, 1020), small = std::ldexp(1.0, -1060);
      std::printf("%d %d %d %d %d\\n", std::hypot(three * large, four * large) == 5 * large,
        std::hypot(three * small, four * small) == 5 * small, std::isinf(std::hypot(8 * large, 15 * large)),
        std::hypot((float)three, (float)four) == 5, std::isinf(std::hypot(INFINITY, nothing)));
      Bases bases = {};
      std::puts(_Unwind_Find_FDE(&bases, &bases) == nullptr ? "no table" : "a table");
    }
    """

  private let folder: TemporaryFolder

  /// - Parameter module: whether it contains COlderGlibc.
  private init(module: Bool) throws {
    folder = try TemporaryFolder()
    try folder.write(Self.source, to: "program.cpp")
    let sources = Repository.root.appending(path: "Sources/COlderGlibc").path
    var commands = [
      "clang++ -O1 program.cpp \(module ? "module.o" : "") -o program -fuse-ld=lld -static-libgcc "
        + "-static-libstdc++ -Wl,--gc-sections"
    ]
    if module {
      commands.insert(
        "clang -Wall -Wextra -Werror -O2 '-I\(sources)/include' -c '\(sources)/COlderGlibc.c' -o module.o",
        at: 0)
    }
    for command in commands {
      let run = try run(command)
      guard run.status == 0 else { throw LinkError(output: run.output) }
    }
  }

  /// Runs a shell command: `check` for scripts/check-programs, `start` for the program.
  func run(_ command: String) throws -> ScriptRun {
    let check = Repository.root.appending(path: "scripts/check-programs").path
    return try ScriptRun(
      ["/bin/sh", "-c", "check() { '\(check)' -- -- program; }; start() { ./program; }; \(command)"],
      in: folder.url, environment: ProcessInfo.processInfo.environment.merging(["PORTABLE": "1"]) { $1 },
      isMerged: true)
  }
}

private struct LinkError: Error {
  let output: String
}
