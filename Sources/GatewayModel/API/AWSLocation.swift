/// The partition, region, account and stack of a deployment.
package struct AWSLocation: Equatable, Sendable {
  package var partition = "aws"
  package var region = "us-east-1"
  /// The account ID of AWS's documentation samples.
  package var account = "123456789012"
  package var stack = "local"

  package init() {}

  /// What the short form `execute-api:/` of the resources of a resource policy stands for.
  ///
  /// - Parameter identifier: the ID of the API.
  package func policyPrefix(ofAPI identifier: String) -> String {
    "arn:\(partition):execute-api:\(region):\(account):\(identifier)/"
  }
}
