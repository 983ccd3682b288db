internal import CLibFuzzer
internal import Foundation

// Every unsafe use of libFuzzer is in this file. Its pointer and count are valid during one call, and the bytes are
// copied first.

/// Checks a parser's properties with libFuzzer's inputs.
enum FuzzDriver {
  /// The parser for libFuzzer's callback, which has no context argument. Written once, before libFuzzer starts.
  nonisolated(unsafe) private static var parser = FuzzedParser.json

  /// Runs libFuzzer with the arguments of this process.
  ///
  /// - Returns: the exit status. A trap or a violated property ends the process, with the input saved in a file.
  static func run(_ parser: FuzzedParser) -> Int32 {
    unsafe Self.parser = parser
    clibfuzzer_catch_traps()
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
    return unsafe LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
      unsafe FuzzDriver.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
      return 0
    }
  }

  private static func check(_ bytes: [UInt8]) {
    do throws(Finding) {
      unsafe try parser.check(bytes)
    } catch {
      FileHandle.standardError.write(Data("violated property: \(error.property)\n".utf8))
      abort()
    }
  }
}
