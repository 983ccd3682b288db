variable "name" {
  description = "Begins the names of everything here"
  type        = string
  default     = "authorizer"
}

variable "package" {
  description = "The deployment package; null for what make package leaves in dist"
  type        = string
  default     = null
}

variable "architecture" {
  description = "Of the machine that built the package; make does not cross-compile"
  type        = string
  default     = "x86_64"

  validation {
    condition     = contains(["x86_64", "arm64"], var.architecture)
    error_message = "Lambda has x86_64 and arm64."
  }
}

# No default: this counts in place of an authorizer.json in the package, whose rules a default would drop without a word.
variable "configuration" {
  description = "What authorizer.json would hold (README, Configure); at most 4 KB with all variables of a function"
  type        = any

  validation {
    condition     = try(length(var.configuration.issuers) > 0, false)
    error_message = "At least one issuer, such as { issuers = [{ preset = \"apple\", audiences = [\"com.example.app\"] }] }."
  }
}

variable "allowed_origin" {
  description = "The web origin that may read answers, 401 and 403 included"
  type        = string
  default     = "https://app.example.com"
}

variable "backend_url" {
  description = "What the demonstration route of the HTTP APIs passes requests to"
  type        = string
  default     = "https://example.com/"
}

variable "cache_seconds" {
  description = "How long API Gateway keeps an answer; 0 to 3600"
  type        = number
  default     = 300
}

variable "log_retention_days" {
  type    = number
  default = 30
}

variable "alarm_topics" {
  description = "ARNs of the SNS topics that hear of failures"
  type        = list(string)
  default     = []
}

variable "rate_limit" {
  description = "Requests a second that an API takes of all clients together; set it to what the backend bears"
  type        = number
  default     = 100
}

variable "burst_limit" {
  description = "Requests that an API takes at once"
  type        = number
  default     = 200
}
