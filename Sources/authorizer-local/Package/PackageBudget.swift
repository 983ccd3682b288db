internal import DeploymentChecks

/// Size limits of a package.
enum PackageBudget {
  static let limitBytes = PackageInspection.budgetBytes
  /// 4 MiB.
  static let aimBytes = 4 << 20

  static func text(_ bytes: Int) -> String {
    let hundredths = (bytes * 100 + 1 << 19) >> 20
    let fraction = hundredths % 100
    return "\(bytes) bytes, \(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) MiB "
      + "(target \(aimBytes >> 20), limit \(limitBytes >> 20))"
  }
}
