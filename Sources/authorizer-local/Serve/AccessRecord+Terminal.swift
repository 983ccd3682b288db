internal import GatewayEmulator
internal import Text

extension AccessRecord {
  /// The line on standard error; on a terminal without date and request ID, and with the status in color.
  func shown(isTerminal: Bool) -> StyledText {
    let parts = line.splitBytes(at: " ", maxSplits: 2).map(String.init)
    let mark = " status=\(status) "
    guard isTerminal, parts.count == 3, let range = parts[2].firstByteRange(of: mark) else {
      return StyledText(line)
    }
    let time = parts[0].splitBytes(at: "T").last.map(String.init) ?? parts[0]
    let color: Terminal.Style = status < 400 ? .green : status < 500 ? .yellow : .red
    return
      "\(time) \(String(parts[2][..<range.lowerBound])) \(String(status), color) \(String(parts[2][range.upperBound...]))"
  }
}
