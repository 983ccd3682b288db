@testable import GatewayEmulator
import Testing

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

  /// Frames, and what the last one completes.
  struct Sample: Sendable {
    let frames: [WireFrame]
    let outcome: WebSocketAssembly.Outcome

    init(_ frames: [WireFrame], _ outcome: WebSocketAssembly.Outcome) {
      (self.frames, self.outcome) = (frames, outcome)
    }

    init(_ frames: [WireFrame], code: UInt16) {
      self.init(frames, .violation(WebSocketClosure(code: code, reason: "")))
    }
  }

  private static let begun = frame(1, Array("he".utf8), isFinal: false)
  private static let rest = frame(0, Array("llo".utf8))
  private static let fullBegun = frame(1, frameful, isFinal: false)
  private static let fullMore = frame(0, frameful, isFinal: false)

  private static let whole: [Sample] = [
    Sample([frame(1, hello)], .message(hello)), Sample([frame(1)], .message([])),
    // Control frames between two fragments.
    Sample([begun, frame(9, [1])], .ping([1])), Sample([begun, frame(9), frame(10), rest], .message(hello)),
    // A character whose bytes are in two frames.
    Sample([frame(1, [0xC3], isFinal: false), frame(0, [0xA9])], .message([0xC3, 0xA9])),
    Sample([frame(1, frameful)], .message(frameful)),
    Sample(
      [fullBegun, fullMore, fullMore, frame(0, frameful)],
      .message([UInt8](repeating: 0x61, count: 128 << 10))),
    Sample([frame(8)], .closed(.withoutCode)),
    Sample([frame(8, [0x03, 0xE8])], .closed(WebSocketClosure(code: 1000, reason: ""))),
    Sample([frame(8, [0x0F, 0xA0, 0x68, 0x69])], .closed(WebSocketClosure(code: 4000, reason: "hi"))),
    Sample([frame(10, [1])], .incomplete),
  ]

  @Test(arguments: whole) func assembles(_ sample: Sample) {
    #expect(Self.outcome(sample.frames) == sample.outcome)
  }

  private static let broken: [Sample] = [
    Sample([frame(1, hello, isMasked: false)], code: 1002), Sample([frame(1, hello, bits: true)], code: 1002),
    Sample([frame(3)], code: 1002), Sample([frame(11)], code: 1002), Sample([rest], code: 1002),
    Sample([begun, frame(1, hello)], code: 1002), Sample([frame(2, hello)], code: 1003),
    Sample([begun, frame(2, hello)], code: 1003), Sample([frame(1, [0xFF])], code: 1007),
    Sample([frame(1, [0xC3], isFinal: false), frame(0, [0x28])], code: 1007),
    Sample([frame(1, [UInt8](repeating: 0x61, count: (32 << 10) + 1))], code: 1009),
    Sample([fullBegun, fullMore, fullMore, fullMore, frame(0, [0x61])], code: 1009),
    Sample([frame(8, [0x03])], code: 1002), Sample([frame(8, [0x03, 0xED])], code: 1002),
    Sample([frame(8, [0x03, 0xEE])], code: 1002), Sample([frame(8, [0, 1])], code: 1002),
    Sample([frame(8, [0x13, 0x88])], code: 1002), Sample([frame(8, [0x03, 0xE8, 0xFF])], code: 1007),
  ]

  @Test(arguments: broken) func refuses(_ sample: Sample) {
    #expect(Self.outcome(sample.frames) == sample.outcome)
  }

  @Test func splitsALargeMessageIntoFramesOf32KB() {
    let frames = WebSocketLink.Output.message(Self.frameful + Self.frameful + [0x62]).frames
    #expect(frames.map(\.bytes.count) == [32 << 10, 32 << 10, 1])
    #expect(frames.map(\.opcode) == [1, 0, 0])
    #expect(frames.map(\.isFinal) == [false, false, true])
    #expect(WebSocketLink.Output.message([]).frames == [WireFrame(opcode: 1, bytes: [])])
    #expect(WebSocketLink.Output.message([0xFF]).frames.map(\.opcode) == [2])
  }

  private static let closeFrames: [(WebSocketClosure, [UInt8])] = [
    (.withoutCode, []), (.lost, []), (.tooLarge, [0x03, 0xF1]),
    (WebSocketClosure(code: 1001, reason: "hi"), [0x03, 0xE9, 0x68, 0x69]),
  ]

  @Test(arguments: closeFrames) func writesACloseFrame(_ closure: WebSocketClosure, _ bytes: [UInt8]) {
    #expect(WebSocketLink.Output.close(closure).frames == [WireFrame(opcode: 8, bytes: bytes)])
  }
}
