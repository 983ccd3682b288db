variable "name" {
  description = "Name of the function, and prefix of all other names"
  type        = string
  default     = "authorizer-identity"
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]{1,64}$", var.name))
    error_message = "A name has 1 to 64 letters, digits, hyphens and underscores."
  }
}

variable "package" {
  description = "Path of the ZIP file of the function for sign-in"
  type        = string
  nullable    = false

  validation {
    condition     = fileexists(var.package)
    error_message = "This file does not exist; make package-identity writes it."
  }
}

variable "architecture" {
  description = "Architecture of the package, x86_64 or arm64"
  type        = string
  default     = "x86_64"
  nullable    = false

  validation {
    condition     = contains(["x86_64", "arm64"], var.architecture)
    error_message = "Lambda supports x86_64 and arm64."
  }
}

variable "audiences" {
  description = "Accepted audiences: the app's bundle ID and its Services IDs"
  type        = list(string)
  nullable    = false

  validation {
    condition     = length(var.audiences) > 0 && alltrue([for audience in var.audiences : length(audience) > 0])
    error_message = "Set at least one audience, such as com.example.app."
  }
}

variable "configuration" {
  description = "Further members of identity.json, which override those of the module"
  type        = any
  default     = {}
  nullable    = false

  validation {
    condition     = can(keys(var.configuration))
    error_message = "Write the members of identity.json as an object."
  }
}

variable "deletion_protection" {
  description = "Whether the table of users is protected from deletion"
  type        = bool
  default     = true
  nullable    = false
}

variable "memory_size" {
  description = "Memory of the function in MB"
  type        = number
  default     = 128
  nullable    = false

  validation {
    condition     = var.memory_size >= 128 && var.memory_size <= 10240
    error_message = "Lambda functions have 128 to 10240 MB."
  }
}

variable "timeout_seconds" {
  description = "Timeout of the function in seconds"
  type        = number
  default     = 20
  nullable    = false

  validation {
    condition     = var.timeout_seconds >= 1 && var.timeout_seconds <= 29
    error_message = "No API waits for a function for more than 29 seconds."
  }
}

variable "invokers" {
  description = "ARNs of the API Gateway routes that may invoke the function, such as EXECUTION-ARN/*, each under a name of your choice"
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for arn in values(var.invokers) : can(regex("^arn:[a-z-]+:execute-api:[^:]+:[0-9]{12}:.", arn))])
    error_message = "An invoker is an ARN that begins with the execution_arn of an API. Its account has 12 digits: with *, API Gateway could invoke the function for every account."
  }
}

variable "log_retention_days" {
  description = "Days for which CloudWatch keeps the logs"
  type        = number
  default     = 30
  nullable    = false

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.log_retention_days)
    error_message = "CloudWatch Logs has no such retention; 30 and 90 are examples of valid numbers."
  }
}

variable "alarm_topics" {
  description = "ARNs of the SNS topics that the alarms notify"
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.alarm_topics : can(regex("^arn:[a-z-]+:sns:", arn))])
    error_message = "Each topic is the ARN of an SNS topic."
  }
}

variable "tags" {
  description = "Tags of all resources that can have tags"
  type        = map(string)
  default     = {}
  nullable    = false
}
