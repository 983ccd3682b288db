import Foundation
import Synchronization

/// Threads that start at the same time.
enum Threads {
  /// Runs the body with each number on its own thread; returns the results in order.
  static func run<Result: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> Result) -> [Result] {
    let results = Results<Result>(count)
    let gate = DispatchSemaphore(value: 0)
    let ended = DispatchGroup()
    for index in 0..<count {
      ended.enter()
      Thread {
        gate.wait()
        results.set(body(index), at: index)
        ended.leave()
      }.start()
    }
    for _ in 0..<count { gate.signal() }
    ended.wait()
    return results.all
  }

  private final class Results<Element: Sendable>: Sendable {
    private let elements: Mutex<[Element?]>

    init(_ count: Int) { elements = Mutex(Array(repeating: nil, count: count)) }

    func set(_ element: Element, at index: Int) { elements.withLock { $0[index] = element } }

    var all: [Element] { elements.withLock { $0.compactMap { $0 } } }
  }
}
