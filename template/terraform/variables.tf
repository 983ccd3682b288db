variable "name" {
  description = "Prefix of all resource names"
  type        = string
  default     = "authorizer"
}

variable "package" {
  description = "The deployment package; null for the one that make package writes to dist"
  type        = string
  default     = null
}

variable "architecture" {
  description = "Architecture of the package; make package ARCH=arm64 builds one for arm64"
  type        = string
  default     = "x86_64"

  validation {
    condition     = contains(["x86_64", "arm64"], var.architecture)
    error_message = "Lambda supports x86_64 and arm64."
  }
}

# No default: this overrides an authorizer.json in the package, whose rules a default would drop silently.
variable "configuration" {
  description = "The content of authorizer.json (README, Configure); at most 4 KB with all variables of a function"
  type        = any

  validation {
    condition     = try(length(var.configuration.issuers) > 0, false)
    error_message = "Set at least one issuer, such as { issuers = [{ preset = \"apple\", audiences = [\"com.example.app\"] }] }."
  }
}

variable "allowed_origin" {
  description = "The web origin that may read responses, including 401 and 403"
  type        = string
  default     = "https://app.example.com"
}

variable "backend_url" {
  description = "Backend of the demonstration route of the HTTP APIs"
  type        = string
  default     = "https://example.com/"
}

variable "cache_seconds" {
  description = "Seconds for which API Gateway caches an answer; 0 to 3600"
  type        = number
  default     = 300
}

variable "log_retention_days" {
  type    = number
  default = 30
}

variable "alarm_topics" {
  description = "ARNs of the SNS topics for alarms"
  type        = list(string)
  default     = []
}

variable "rate_limit" {
  description = "Requests per second that an API accepts from all clients together; set it to what the backend can handle"
  type        = number
  default     = 100
}

variable "burst_limit" {
  description = "Burst of requests that an API accepts"
  type        = number
  default     = 200
}
