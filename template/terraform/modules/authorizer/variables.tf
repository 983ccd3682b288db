variable "name" {
  description = "Name of the function, and prefix of all other names"
  type        = string
  default     = "authorizer"
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]{1,64}$", var.name))
    error_message = "A name has 1 to 64 letters, digits, hyphens and underscores."
  }
}

variable "package" {
  description = "Path of the authorizer's ZIP file"
  type        = string
  nullable    = false

  validation {
    condition     = fileexists(var.package)
    error_message = "This file does not exist; make package writes it."
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

# No default: this overrides an authorizer.json in the package, whose rules a default would drop silently.
variable "configuration" {
  description = "The content of authorizer.json; null if the package has this file"
  type        = any

  validation {
    condition     = var.configuration == null || try(length(var.configuration.issuers) > 0, false)
    error_message = "Set at least one issuer, such as { issuers = [{ preset = \"apple\", audiences = [\"com.example.app\"] }] }."
  }

  # The root module adds rules = null to the members of sign-in.
  validation {
    condition     = try(var.configuration.rules != null, true)
    error_message = "rules must be a list. With sign_in, write rules into configuration: an authorizer.json in the package is not read, so its rules would be lost. Only with sign_in, rules = [] lets every valid token call every route."
  }

  validation {
    condition     = try(length(jsonencode(var.configuration)) <= 4000, true)
    error_message = "All variables of a function have at most 4 KB; pack a larger authorizer.json and set null, without sign_in."
  }
}

variable "environment" {
  description = "Other environment variables of the function, such as the secret of an HMAC issuer"
  type        = map(string)
  sensitive   = true
  default     = {}
  nullable    = false

  validation {
    condition     = !contains(keys(var.environment), "AUTHORIZER_CONFIG")
    error_message = "Write the configuration into the variable configuration."
  }
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
  description = "Timeout of the function in seconds; an HTTP API waits for an authorizer for 10 seconds"
  type        = number
  default     = 10
  nullable    = false

  validation {
    condition     = var.timeout_seconds >= 1 && var.timeout_seconds <= 29
    error_message = "No API waits for an authorizer for more than 29 seconds."
  }
}

variable "reserved_concurrent_executions" {
  description = "Concurrent executions that are reserved for the function; -1 reserves none"
  type        = number
  default     = -1
  nullable    = false

  validation {
    condition     = var.reserved_concurrent_executions == -1 || var.reserved_concurrent_executions >= 1
    error_message = "Reserve at least 1, or -1 for none. With 0 every request would be a 500."
  }
}

variable "invokers" {
  description = "ARNs of the API Gateway authorizers that may invoke the function, such as EXECUTION-ARN/authorizers/*, each under a name of your choice"
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for arn in values(var.invokers) : can(regex("^arn:[a-z-]+:execute-api:[^:]+:[0-9]{12}:.", arn))])
    error_message = "An invoker is an ARN that begins with the execution_arn of an API. Its account has 12 digits: with *, API Gateway could invoke the function for every account."
  }
}

variable "revocation_table" {
  description = "The table in which the function looks up revocations; the function may read only these items. null for none"
  # An object, so that a plan knows whether there is a table before it knows its ARN.
  type = object({
    arn = string
    # Whether revocation.issuers is an object; null to see it in configuration.
    keys = optional(bool)
  })
  default = null
}

variable "proof_table" {
  description = "The table in which the function remembers used DPoP proofs; the function may write only these items. null for none"
  type = object({
    arn = string
  })
  default = null
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
