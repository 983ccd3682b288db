import Testing

@testable import Emulator

/// The frames of a client that obeys RFC 6455 and the quotas, and of one that does not.
@Suite struct WebSocketAssemblyTests {
  private static func frame(
    _ opcode: UInt8, _ bytes: [UInt8] = [], isFinal: Bool = true, isMasked: Bool = true, bits: Bool = false
  ) -> WireFrame {
    WireFrame(opcode: opcode, isFinal: isFinal, isMasked: isMasked, hasReservedBits: bits, bytes: bytes)
  }

  private static func outcome(_ frames: [WireFrame]) -> WebSocketAssembly.Outcome {
    var assembly = WebSocketAssembly()
    var last = WebSocketAssembly.Outcome.incomplete
    for frame in frames { last = assembly.take(frame) }
    return last
  }

  private static let frameful = [UInt8](repeating: 0x61, count: 32 << 10)
  private static let hello = Array("hello".utf8)

  @Test(arguments: [
    ([frame(1, hello)], WebSocketAssembly.Outcome.message(hello)), ([frame(1)], .message([])),
    ([frame(1, Array("he".utf8), isFinal: false), frame(0, Array("llo".utf8))], .message(hello)),
    // A control frame between two fragments.
    ([frame(1, Array("he".utf8), isFinal: false), frame(9, [1])], .ping([1])),
    (
      [frame(1, Array("he".utf8), isFinal: false), frame(9), frame(10), frame(0, Array("llo".utf8))],
      .message(hello)
    ),
    // A character whose bytes are in two frames.
    ([frame(1, [0xC3], isFinal: false), frame(0, [0xA9])], .message([0xC3, 0xA9])),
    ([frame(1, frameful)], .message(frameful)),
    (
      [frame(1, frameful, isFinal: false)] + [frame(0, frameful, isFinal: false)]
        + [frame(0, frameful, isFinal: false), frame(0, frameful)],
      .message(frameful + frameful + frameful + frameful)
    ),
    ([frame(8)], .closed(.withoutCode)), ([frame(8, [0x03, 0xE8])], .closed(.init(code: 1000, reason: ""))),
    ([frame(8, [0x0F, 0xA0] + hello)], .closed(.init(code: 4000, reason: "hello"))),
    ([frame(10, [1])], .incomplete),
  ]) func assembles(_ frames: [WireFrame], _ expected: WebSocketAssembly.Outcome) {
    #expect(Self.outcome(frames) == expected)
  }

  @Test(arguments: [
    ([frame(1, hello, isMasked: false)], UInt16(1002)), ([frame(1, hello, bits: true)], 1002),
    ([frame(3)], 1002), ([frame(11)], 1002), ([frame(0, hello)], 1002),
    ([frame(1, isFinal: false), frame(1, hello)], 1002), ([frame(2, hello)], 1003),
    ([frame(1, isFinal: false), frame(2, hello)], 1003), ([frame(1, [0xFF])], 1007),
    ([frame(1, [0xC3], isFinal: false), frame(0, [0x28])], 1007), ([frame(1, frameful + [0x61])], 1009),
    (
      [frame(1, frameful, isFinal: false), frame(0, frameful, isFinal: false)]
        + [frame(0, frameful, isFinal: false), frame(0, frameful, isFinal: false), frame(0, [0x61])], 1009
    ),
    ([frame(8, [0x03])], 1002), ([frame(8, [0x03, 0xED])], 1002), ([frame(8, [0x03, 0xEE])], 1002),
    ([frame(8, [0, 1])], 1002), ([frame(8, [0x13, 0x88])], 1002), ([frame(8, [0x03, 0xE8, 0xFF])], 1007),
  ]) func refuses(_ frames: [WireFrame], _ code: UInt16) {
    guard case .violation(let closure) = Self.outcome(frames) else {
      Issue.record("\(Self.outcome(frames))")
      return
    }
    #expect(closure.code == code)
  }

  @Test func splitsALargeMessageIntoFramesOf32KB() {
    let frames = WebSocketLink.Output.message(Self.frameful + Self.frameful + [0x62]).frames
    #expect(frames.map(\.bytes.count) == [32 << 10, 32 << 10, 1])
    #expect(frames.map(\.opcode) == [1, 0, 0])
    #expect(frames.map(\.isFinal) == [false, false, true])
    #expect(WebSocketLink.Output.message([]).frames == [WireFrame(opcode: 1, bytes: [])])
    #expect(WebSocketLink.Output.message([0xFF]).frames.map(\.opcode) == [2])
  }

  @Test(arguments: [
    (WebSocketClosure.withoutCode, [UInt8]()), (.lost, []), (.tooLarge, [0x03, 0xF1]),
    (.init(code: 1001, reason: "Going away"), [0x03, 0xE9] + Array("Going away".utf8)),
  ]) func writesACloseFrame(_ closure: WebSocketClosure, _ bytes: [UInt8]) {
    #expect(WebSocketLink.Output.close(closure).frames == [WireFrame(opcode: 8, bytes: bytes)])
  }
}
