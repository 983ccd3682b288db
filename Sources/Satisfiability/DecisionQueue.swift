/// The order in which a search chooses variables: those of the latest conflicts first (Biere and Fröhlich, "Evaluating CDCL
/// Variable Scoring Schemes", 2015).
struct DecisionQueue {
  private var before: [Int32] = []
  private var after: [Int32] = []
  private var times: [Int] = []
  private var time = 0
  private var first: Int32 = -1
  private var last: Int32 = -1
  /// No variable before this one is open.
  private var cursor: Int32 = -1

  /// Adds the next variable at the end.
  mutating func append() {
    let variable = Int32(before.count)
    before.append(last)
    after.append(-1)
    times.append(-before.count)
    if last >= 0 { after[Int(last)] = variable } else { first = variable }
    last = variable
    cursor = first
  }

  /// Returns the first variable whose value is 0.
  mutating func next(among values: [Int8]) -> Int32? {
    while cursor >= 0, values[Int(cursor)] != 0 { cursor = after[Int(cursor)] }
    return cursor >= 0 ? cursor : nil
  }

  /// Says that a variable is open again.
  mutating func reopen(_ variable: Int32) {
    if cursor < 0 || times[Int(variable)] > times[Int(cursor)] { cursor = variable }
  }

  mutating func moveToFront(_ variable: Int32) {
    time += 1
    times[Int(variable)] = time
    guard variable != first else { return }
    let (previous, next) = (before[Int(variable)], after[Int(variable)])
    if cursor == variable { cursor = next }
    after[Int(previous)] = next
    if next >= 0 { before[Int(next)] = previous } else { last = previous }
    before[Int(variable)] = -1
    after[Int(variable)] = first
    before[Int(first)] = variable
    first = variable
  }
}
