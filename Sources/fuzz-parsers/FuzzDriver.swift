internal import CLibFuzzer
internal import Foundation

// Every unsafe use of libFuzzer stands in this file: it hands over a pointer and a count that are good for the length of
// one call, and the bytes are copied before anything else looks at them.

/// Hands libFuzzer's inputs to a parser's properties.
enum FuzzDriver {
  /// What libFuzzer's callback, which takes no context, checks. Written once, before libFuzzer starts.
  nonisolated(unsafe) private static var parser = FuzzedParser.json

  /// Runs libFuzzer with the arguments of this process.
  ///
  /// - Returns: the status to leave with; a trap or a broken property leaves from inside, with the input in a file.
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
      FileHandle.standardError.write(Data("broken property: \(error.property)\n".utf8))
      abort()
    }
  }
}
