/// The variables that Lambda sets for a function on `provided.al2023` (AWS Lambda, "Defined runtime environment
/// variables").
package enum LambdaVariables {
  /// The name of the function that the harness runs.
  package static let functionName = "authorizer"
  /// The unpublished version; the harness has no other.
  static let functionVersion = "$LATEST"
  /// The function's ARN, with the region and account of AWS's documentation examples.
  package static let functionARN = arn(ofFunction: functionName)

  /// Returns the ARN of a function in the harness's region and account.
  package static func arn(ofFunction name: String) -> String {
    "arn:aws:lambda:us-east-1:123456789012:function:\(name)"
  }

  /// The memory that a function can have, in MB (Lambda quotas, "Function memory allocation").
  package static let memoryMegabytes = 128...10_240

  /// The names that a template must not set ("Defined runtime environment variables", reserved).
  package static let reserved: Set<String> = [
    "_HANDLER", "_X_AMZN_TRACE_ID", "AWS_DEFAULT_REGION", "AWS_REGION", "AWS_EXECUTION_ENV",
    "AWS_LAMBDA_FUNCTION_NAME", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_LAMBDA_FUNCTION_VERSION",
    "AWS_LAMBDA_INITIALIZATION_TYPE", "AWS_LAMBDA_LOG_GROUP_NAME", "AWS_LAMBDA_LOG_STREAM_NAME",
    "AWS_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
    "AWS_LAMBDA_RUNTIME_API", "LAMBDA_TASK_ROOT", "LAMBDA_RUNTIME_DIR",
  ]

  /// Returns all variables except `AWS_LAMBDA_RUNTIME_API`, which depends on the server's port.
  ///
  /// - Parameters:
  ///   - taskRoot: the folder with the function's files (`/var/task` on AWS).
  ///   - inherited: the harness's own environment, of which only `PATH`, `TZ` and `LANG` are passed on.
  package static func all(taskRoot: String, inherited: [String: String]) -> [String: String] {
    var variables = [
      "_HANDLER": "bootstrap", "LAMBDA_TASK_ROOT": taskRoot, "LAMBDA_RUNTIME_DIR": taskRoot,
      "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1",
      "AWS_LAMBDA_FUNCTION_NAME": functionName, "AWS_LAMBDA_FUNCTION_VERSION": functionVersion,
      "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "128", "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
      "AWS_LAMBDA_LOG_GROUP_NAME": "/aws/lambda/\(functionName)", "AWS_LAMBDA_LOG_STREAM_NAME": "local",
      "AWS_LAMBDA_LOG_FORMAT": "JSON", "AWS_LAMBDA_LOG_LEVEL": "INFO",
      "AWS_XRAY_CONTEXT_MISSING": "LOG_ERROR",
      "TZ": ":UTC", "LANG": "en_US.UTF-8", "PATH": "/usr/local/bin:/usr/bin:/bin",
    ]
    for name in ["PATH", "TZ", "LANG"] {
      if let value = inherited[name] { variables[name] = value }
    }
    return variables
  }
}
