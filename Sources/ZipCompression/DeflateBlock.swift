/// One block of a DEFLATE stream with dynamic Huffman codes (RFC 1951 section 3.2.7).
struct DeflateBlock {
  /// Literals, and lengths with their distances: `length << 16 | distance`. Literals have the distance 0.
  private var symbols: [UInt32] = []
  private var literalCounts = [Int](repeating: 0, count: 286)
  private var distanceCounts = [Int](repeating: 0, count: 30)

  /// The number of symbols in a block: enough to outweigh the size of its codes, few enough for codes that fit the
  /// data.
  private static let maximumSymbols = 32_768
  private static let endOfBlock = 256
  /// The longest codes in bits (sections 3.2.6 and 3.2.7).
  private static let longestCode = 15
  private static let longestCodeOfLengths = 7

  init() { symbols.reserveCapacity(Self.maximumSymbols) }

  var isFull: Bool { symbols.count == Self.maximumSymbols }

  mutating func add(literal: UInt8) {
    symbols.append(UInt32(literal) << 16)
    literalCounts[Int(literal)] += 1
  }

  mutating func add(length: Int, distance: Int) {
    symbols.append(UInt32(length) << 16 | UInt32(distance))
    literalCounts[257 + Self.lengthSymbols[length]] += 1
    distanceCounts[Self.distanceSymbol(distance)] += 1
  }

  func write(isLast: Bool, to output: inout BitWriter) {
    var literalCounts = literalCounts
    var distanceCounts = distanceCounts
    literalCounts[Self.endOfBlock] = 1
    // At least two symbols, so that every code is complete and every decoder accepts it.
    for symbol in 0..<2 where literalCounts[symbol] == 0 { literalCounts[symbol] = 1 }
    for symbol in 0..<2 where distanceCounts[symbol] == 0 { distanceCounts[symbol] = 1 }
    let literals = HuffmanLengths(literalCounts, longest: Self.longestCode)
    let distances = HuffmanLengths(distanceCounts, longest: Self.longestCode)
    output.write(isLast ? 1 : 0, bits: 1)
    output.write(2, bits: 2)
    writeCodes(literals.lengths, distances.lengths, to: &output)
    let literalCodes = literals.codes
    let distanceCodes = distances.codes
    for symbol in symbols {
      let distance = Int(symbol & 0xFFFF)
      guard distance > 0 else {
        output.write(literalCodes[Int(symbol >> 16)], bits: literals.lengths[Int(symbol >> 16)])
        continue
      }
      let length = Int(symbol >> 16)
      let lengthIndex = Self.lengthSymbols[length]
      output.write(literalCodes[257 + lengthIndex], bits: literals.lengths[257 + lengthIndex])
      let (lengthBase, lengthExtra) = Inflate.lengths[lengthIndex]
      output.write(UInt32(length - lengthBase), bits: lengthExtra)
      let index = Self.distanceSymbol(distance)
      output.write(distanceCodes[index], bits: distances.lengths[index])
      let (distanceBase, distanceExtra) = Inflate.distances[index]
      output.write(UInt32(distance - distanceBase), bits: distanceExtra)
    }
    output.write(literalCodes[Self.endOfBlock], bits: literals.lengths[Self.endOfBlock])
  }

  // MARK: Codes

  /// Writes the lengths of both codes, run-length encoded and Huffman-coded.
  private func writeCodes(_ literals: [Int], _ distances: [Int], to output: inout BitWriter) {
    let literalCount = max(257, (literals.lastIndex { $0 > 0 } ?? 0) + 1)
    let distanceCount = max(1, (distances.lastIndex { $0 > 0 } ?? 0) + 1)
    let runs = Self.runs(of: Array(literals[..<literalCount] + distances[..<distanceCount]))
    var counts = [Int](repeating: 0, count: Inflate.lengthOrder.count)
    for run in runs { counts[run.symbol] += 1 }
    for symbol in 0..<2 where counts[symbol] == 0 { counts[symbol] = 1 }
    let code = HuffmanLengths(counts, longest: Self.longestCodeOfLengths)
    let last = Inflate.lengthOrder.lastIndex { code.lengths[$0] > 0 } ?? 3
    let written = max(4, last + 1)
    output.write(UInt32(literalCount - 257), bits: 5)
    output.write(UInt32(distanceCount - 1), bits: 5)
    output.write(UInt32(written - 4), bits: 4)
    for index in 0..<written { output.write(UInt32(code.lengths[Inflate.lengthOrder[index]]), bits: 3) }
    let codes = code.codes
    for run in runs {
      output.write(codes[run.symbol], bits: code.lengths[run.symbol])
      output.write(UInt32(run.value), bits: run.bits)
    }
  }

  private struct Run {
    let symbol: Int
    var value = 0
    var bits = 0
  }

  /// Encodes runs: 16 repeats the previous length 3 to 6 times, 17 writes 3 to 10 zeros, 18 writes 11 to 138.
  private static func runs(of lengths: [Int]) -> [Run] {
    var runs: [Run] = []
    var index = 0
    while index < lengths.count {
      let length = lengths[index]
      let end = lengths[index...].firstIndex { $0 != length } ?? lengths.count
      var count = end - index
      index = end
      if length != 0 {
        runs.append(Run(symbol: length))
        count -= 1
      }
      while count >= 3 {
        let taken: Int
        if length != 0 {
          taken = min(count, 6)
          runs.append(Run(symbol: 16, value: taken - 3, bits: 2))
        } else if count <= 10 {
          taken = count
          runs.append(Run(symbol: 17, value: taken - 3, bits: 3))
        } else {
          taken = min(count, 138)
          runs.append(Run(symbol: 18, value: taken - 11, bits: 7))
        }
        count -= taken
      }
      runs += [Run](repeating: Run(symbol: length), count: count)
    }
    return runs
  }

  /// The symbol of each length from 3 to 258, minus 257. Length 258 has its own symbol, although the one before could
  /// also encode it.
  private static let lengthSymbols: [Int] = (0...258).map { length in
    Inflate.lengths.lastIndex { $0.base <= length } ?? 0
  }

  private static func distanceSymbol(_ distance: Int) -> Int {
    distance <= 256 ? nearSymbols[distance] : farSymbols[(distance - 1) >> 7]
  }

  private static let nearSymbols: [Int] = (0...256).map { distance in
    Inflate.distances.lastIndex { $0.base <= distance } ?? 0
  }

  /// From distance 257 on, every symbol begins at a multiple of 128 plus one.
  private static let farSymbols: [Int] = (0..<256).map { part in
    Inflate.distances.lastIndex { $0.base <= part << 7 + 1 } ?? 0
  }
}

/// The lengths of a length-limited Huffman code.
struct HuffmanLengths {
  /// The bits of each symbol's code; 0 for a symbol that does not occur.
  let lengths: [Int]

  /// - Parameters:
  ///   - counts: how often each symbol occurs; at least two are not 0.
  ///   - longest: the bits of the longest code, enough for all symbols.
  init(_ counts: [Int], longest: Int) {
    // By count, then by symbol, so that the order is deterministic.
    let symbols = counts.indices.filter { counts[$0] > 0 }.sorted { (counts[$0], $0) < (counts[$1], $1) }
    var perLength = [Int](repeating: 0, count: longest + 1)
    for depth in Self.depths(symbols.map { counts[$0] }) { perLength[min(depth, longest)] += 1 }
    // Truncation to the limit made the code too large; lengthening shorter codes corrects it (Kraft's sum must be
    // one).
    var sum = (1...longest).reduce(0) { $0 + perLength[$1] << (longest - $1) }
    while sum > 1 << longest {
      perLength[longest] -= 1
      if let shorter = (1..<longest).last(where: { perLength[$0] > 0 }) {
        perLength[shorter] -= 1
        perLength[shorter + 1] += 2
      }
      sum -= 1
    }
    var lengths = [Int](repeating: 0, count: counts.count)
    var index = 0
    for length in stride(from: longest, through: 1, by: -1) {
      for _ in 0..<perLength[length] {
        lengths[symbols[index]] = length
        index += 1
      }
    }
    self.lengths = lengths
  }

  /// The depth of each count in Huffman's tree; the counts are in ascending order.
  private static func depths(_ counts: [Int]) -> [Int] {
    var weights = counts
    var parents = [Int](repeating: 0, count: counts.count)
    var leaf = 0
    var inner = counts.count
    // Two queues, leaves and inner nodes, both in ascending order.
    func takeLightest() -> Int {
      if leaf < counts.count, inner >= weights.count || weights[leaf] <= weights[inner] {
        leaf += 1
        return leaf - 1
      }
      inner += 1
      return inner - 1
    }
    for _ in 1..<max(2, counts.count) {
      let one = takeLightest()
      let other = takeLightest()
      parents[one] = weights.count
      parents[other] = weights.count
      weights.append(weights[one] + weights[other])
      parents.append(0)
    }
    var depths = [Int](repeating: 0, count: weights.count)
    for node in (0..<weights.count - 1).reversed() { depths[node] = depths[parents[node]] + 1 }
    return Array(depths[..<counts.count])
  }

  /// The codes by symbol, with their first bit lowest (section 3.2.2).
  var codes: [UInt32] {
    let longest = lengths.max() ?? 0
    var next = [UInt32](repeating: 0, count: longest + 2)
    for length in lengths where length > 0 { next[length + 1] += 1 }
    if longest > 0 {
      for length in 1...longest { next[length + 1] = (next[length] + next[length + 1]) << 1 }
    }
    // next[length] is now the first code of this length.
    return lengths.map { length in
      guard length > 0 else { return 0 }
      defer { next[length] += 1 }
      return (0..<length).reduce(0) { $0 | (next[length] >> UInt32($1) & 1) << UInt32(length - 1 - $1) }
    }
  }
}
