# The modules below validate these values.

variable "name" {
  description = "Name of the authorizer function, and prefix of all other names"
  type        = string
  default     = "authorizer"
  nullable    = false
}

variable "package" {
  description = "Path of the authorizer's ZIP file"
  type        = string
  nullable    = false
}

variable "architecture" {
  description = "Architecture of the package, x86_64 or arm64"
  type        = string
  default     = "x86_64"
  nullable    = false
}

# No default: this overrides an authorizer.json in the package, whose rules a default would drop silently. sign_in
# overrides the file too, so null is refused with it.
variable "configuration" {
  description = "The content of authorizer.json; null if the package has this file. With sign_in, rules are required, and its members override those of sign-in"
  type        = any
}

variable "environment" {
  description = "Other environment variables of the function, such as the secret of an HMAC issuer"
  type        = map(string)
  sensitive   = true
  default     = {}
  nullable    = false
}

variable "memory_size" {
  description = "Memory of the function in MB"
  type        = number
  default     = 128
  nullable    = false
}

variable "timeout_seconds" {
  description = "Timeout of the function in seconds; an HTTP API waits for an authorizer for 10 seconds"
  type        = number
  default     = 10
  nullable    = false
}

variable "reserved_concurrent_executions" {
  description = "Concurrent executions that are reserved for the function; -1 reserves none"
  type        = number
  default     = -1
  nullable    = false
}

variable "invokers" {
  description = "ARNs of the API Gateway authorizers that may invoke the function, such as EXECUTION-ARN/authorizers/*, each under a name of your choice"
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "proof_table" {
  description = "The DynamoDB table in which the authorizer remembers used DPoP proofs; the authorizer may write only these items. null for none"
  # An object, so that a plan knows whether there is a table before it knows its ARN.
  type = object({
    arn = string
  })
  default = null
}

variable "sign_in" {
  description = "Adds the function for sign-in, its table of users, and revocation: the path of its ZIP file, the accepted audiences, further members of identity.json, and whether the table is protected from deletion. null for none"
  type = object({
    package             = string
    audiences           = list(string)
    configuration       = optional(any, {})
    deletion_protection = optional(bool, true)
  })
  default = null
}

variable "sign_in_invokers" {
  description = "ARNs of the API Gateway routes that may invoke the function for sign-in, such as EXECUTION-ARN/*, each under a name of your choice"
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "log_retention_days" {
  description = "Days for which CloudWatch keeps the logs"
  type        = number
  default     = 30
  nullable    = false
}

variable "alarm_topics" {
  description = "ARNs of the SNS topics that the alarms notify"
  type        = list(string)
  default     = []
  nullable    = false
}

variable "tags" {
  description = "Tags of all resources that can have tags"
  type        = map(string)
  default     = {}
  nullable    = false
}
