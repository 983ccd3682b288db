extension RegularExpression {
  /// One match: the ranges of the whole and of each group, in scalars.
  package typealias Match = [Range<Int>?]

  /// The search of one text. It follows all ways through the program at once, one character after the other.
  package struct Search {
    private let pattern: RegularExpression
    private let text: [Unicode.Scalar]
    /// Whether only a match of the rest of the text counts.
    private let isWhole: Bool

    package init(_ pattern: RegularExpression, _ text: [Unicode.Scalar], isWhole: Bool = false) {
      self.pattern = pattern
      self.text = text
      self.isWhole = isWhole
    }

    private struct Way {
      let place: Int
      let slots: [Int]
    }

    /// Returns the first match at or behind a position.
    ///
    /// - Parameter units: the remaining work; the search ends without a match when it is used up.
    package func first(from start: Int, _ units: inout Int) -> Match? {
      let slotCount = 2 * (pattern.captureCount + 1)
      var ways: [Way] = []
      // The position at which each instruction was last reached.
      var marks = [Int](repeating: -1, count: pattern.program.count)
      var found: [Int]?
      var position = start
      units -= marks.count / 8
      while position <= text.count, units > 0 {
        // A later start is only of interest without a match so far.
        if found == nil, !isWhole || position == start {
          let fresh = [Int](repeating: -1, count: slotCount)
          units -= slotCount / 8
          add(Way(place: 0, slots: fresh), at: position, to: &ways, &marks, &units)
        }
        if ways.isEmpty, isWhole || found != nil { break }
        var following: [Way] = []
        for way in ways {
          units -= 1 + pattern.program[way.place].ranges / 8
          switch pattern.program[way.place] {
          case .match where !isWhole || position == text.count: found = way.slots
          case .scalar(let set) where position < text.count && set.contains(text[position]):
            let next = Way(place: way.place + 1, slots: way.slots)
            add(next, at: position + 1, to: &following, &marks, &units)
            continue
          default: continue
          }
          // The ways behind a match are less preferred.
          break
        }
        ways = following
        position += 1
      }
      guard let found, units > 0 else { return nil }
      return stride(from: 0, to: slotCount, by: 2).map { slot in
        found[slot] >= 0 && found[slot + 1] >= found[slot] ? found[slot]..<found[slot + 1] : nil
      }
    }

    /// Adds a way and all that it leads to without reading a character, in the order of preference.
    private func add(
      _ way: Way, at position: Int, to ways: inout [Way], _ marks: inout [Int], _ units: inout Int
    ) {
      var waiting = [way]
      while let way = waiting.popLast() {
        guard marks[way.place] != position else { continue }
        marks[way.place] = position
        units -= 1
        switch pattern.program[way.place] {
        case .jump(let target): waiting.append(Way(place: target, slots: way.slots))
        case .split(let first, let second):
          waiting.append(Way(place: second, slots: way.slots))
          waiting.append(Way(place: first, slots: way.slots))
        case .save(let slot):
          var slots = way.slots
          slots[slot] = position
          units -= slots.count / 8
          waiting.append(Way(place: way.place + 1, slots: slots))
        case .assertion(let assertion):
          if holds(assertion, at: position) {
            waiting.append(Way(place: way.place + 1, slots: way.slots))
          }
        case .scalar, .match: ways.append(way)
        }
      }
    }

    private func holds(_ assertion: Assertion, at position: Int) -> Bool {
      switch assertion {
      case .textStart: position == 0
      case .textEnd: position == text.count
      case .textEndBeforeBreak:
        position == text.count || (position == text.count - 1 && text[position] == "\n")
      case .lineStart: position == 0 || text[position - 1] == "\n"
      case .lineEnd: position == text.count || text[position] == "\n"
      case .wordBoundary(let isBoundary):
        (isWord(position - 1) != isWord(position)) == isBoundary
      }
    }

    private func isWord(_ position: Int) -> Bool {
      guard text.indices.contains(position) else { return false }
      switch text[position] {
      case "0"..."9", "A"..."Z", "a"..."z", "_": return true
      default: return false
      }
    }
  }
}

extension RegularExpression.Instruction {
  /// How many ranges a character is compared with.
  fileprivate var ranges: Int { if case .scalar(let set) = self { set.ranges.count } else { 0 } }
}
