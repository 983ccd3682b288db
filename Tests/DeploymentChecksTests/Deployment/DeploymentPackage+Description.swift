import DeploymentChecks

/// A run of the tests prints each argument, and the bytes of a program would be a line of 20 MB.
extension DeploymentPackage.File: CustomDebugStringConvertible {
  public var debugDescription: String { "\(path) of \(bytes.count) bytes" }
}
