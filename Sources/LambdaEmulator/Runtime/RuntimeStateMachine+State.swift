extension RuntimeStateMachine {
  package enum State: Equatable {
    /// There is no process, or one that must end. → `started`
    case stopped
    /// The process runs and has not requested an event. A replacement process initializes in the time of an
    /// invocation. → `ready`, `running`, `initializationFailed`, `stopped`
    case started(since: Moment, serving: Active?)
    /// The process posted `/init/error`; every other call is refused. → `stopped`
    case initializationFailed
    /// These `/next` calls are open. → `running`, `stopped`
    case ready(polls: [Int])
    /// The process has this event. → `responseSent`, `refused`, `stopped`
    case running(Active)
    /// Its answer had an invalid form; as in Lambda, every further call is refused. → `stopped`
    case refused(Active)
    /// The process has answered and not yet requested the next event. → `ready`, `running`, `stopped`
    case responseSent(Active)
    /// The process died in this state; data that it sent before may still be unread. → `stopped`
    indirect case dying(State, Death)
  }

  struct Death: Equatable {
    let exit: ProcessExit
    let isOutOfMemory: Bool
    let at: Moment
  }

  struct Active: Equatable {
    let invocation: Invocation
    let since: Moment
  }
}

extension RuntimeStateMachine.State {
  /// The invocation of the process, from its event to its next `/next`.
  package var current: Invocation? {
    switch self {
    case .running(let active), .refused(let active), .responseSent(let active): active.invocation
    case .stopped, .started, .initializationFailed, .ready, .dying: nil
    }
  }

  /// Lambda's name of the state, as in its error messages.
  var lambdaName: String {
    switch self {
    case .stopped, .started, .dying: "RuntimeStartedState"
    case .initializationFailed: "RuntimeInitErrorState"
    case .ready: "RuntimeReadyState"
    case .running: "RuntimeRunningState"
    case .refused: "RuntimeInvocationResponseState"
    case .responseSent: "RuntimeResponseSentState"
    }
  }
}

extension RuntimeStateMachine.Active {
  var deadlineUnixMilliseconds: Int64 {
    since.unixMilliseconds + Int64(invocation.timeoutMilliseconds)
  }
}
