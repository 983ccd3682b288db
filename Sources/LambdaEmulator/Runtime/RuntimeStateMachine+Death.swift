/// The end of a process, by itself or for its memory use.
extension RuntimeStateMachine {
  /// Records that the process has ended. Its last post may be unread in a socket, and is a better answer than the
  /// exit. So posts are still accepted until `drained`, or for `RuntimeAPILimits.drainMilliseconds`.
  mutating func processEnded(_ exit: ProcessExit, outOfMemory: Bool = false, at now: Moment) -> [Action] {
    let death = Death(exit: exit, isOutOfMemory: outOfMemory, at: now)
    let watching: Timer
    switch state {
    case .running(let active) where !outOfMemory: watching = .invocation(active.invocation.requestID)
    case .started(_, serving: let active?): watching = .invocation(active.invocation.requestID)
    case .started(_, serving: nil): watching = .initialization
    default: return bury(death)
    }
    state = .dying(state, death)
    return [.cancelTimer(watching)] + extensions.removeAll().map { .reply(exchange: $0, .gone) } + [
      .startTimer(
        .drain(now.monotonicNanoseconds), milliseconds: RuntimeAPILimits.drainMilliseconds)
    ]
  }

  /// Records that everything from the dead process has been read.
  mutating func drained() -> [Action] {
    guard case .dying(let life, let death) = state else { return [] }
    state = life
    return [.cancelTimer(.drain(death.at.monotonicNanoseconds))] + bury(death)
  }

  /// Ends a dead process whose posts have all been read.
  private mutating func bury(_ death: Death) -> [Action] {
    switch state {
    case .started: return failInitialization(.died(death.exit), at: death.at)
    case .running(let active), .refused(let active):
      let report =
        death.isOutOfMemory ? Self.outOfMemory(active.invocation.requestID, death.exit) : nil
      return stop() + [
        cancel(active), answered(active, report.map { .error($0) } ?? .died(death.exit), at: death.at),
        end(active, .error(type: report?.headerType ?? "Runtime.ExitError"), exit: death.exit, at: death.at),
      ]
    case .responseSent(let active):
      return stop() + [
        cancel(active), end(active, .error(type: "Runtime.ExitError"), exit: death.exit, at: death.at),
      ]
    case .ready, .stopped, .initializationFailed: return stop()
    case .dying: return []
    }
  }

  /// Handles a call. Accepts one state-changing call of a dead process as if it were running, then ends it.
  mutating func hear(
    _ call: (inout RuntimeStateMachine) -> [Action]
  ) -> [Action] {
    guard case .dying(let life, let death) = state else { return call(&self) }
    state = life
    let actions = call(&self)
    let isDone = state != life
    state = .dying(state, death)
    return actions + (isDone ? drained() : [])
  }

  /// Records that the process exceeded its memory limit. On Lambda, Linux would kill it.
  mutating func exceedMemory(at now: Moment) -> [Action] {
    switch state {
    case .running(let active), .refused(let active):
      let report = Self.outOfMemory(active.invocation.requestID, .signal(9))
      return stop() + [
        cancel(active), answered(active, .error(report), at: now),
        end(active, .error(type: report.headerType), at: now), .endProcess,
      ]
    case .responseSent(let active):
      let type = Self.outOfMemory(active.invocation.requestID, .signal(9)).headerType
      return stop() + [cancel(active), end(active, .error(type: type), at: now), .endProcess]
    case .started(_, let serving):
      let report = Self.outOfMemory(serving?.invocation.requestID ?? "", .signal(9))
      return failInitialization(.reported(report), at: now) + [.endProcess]
    case .ready, .stopped, .initializationFailed, .dying: return []
    }
  }
}
