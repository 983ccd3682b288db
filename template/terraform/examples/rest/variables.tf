variable "name" {
  description = "Name of the authorizer function, and prefix of all other names"
  type        = string
  default     = "authorizer"
}

variable "package" {
  description = "Path of the authorizer's ZIP file; null for the one that make package writes to dist"
  type        = string
  default     = null
}

variable "architecture" {
  description = "Architecture of the packages, x86_64 or arm64"
  type        = string
  default     = "x86_64"
}

variable "configuration" {
  description = "The content of authorizer.json; null if the package has this file"
  type        = any
}

variable "allowed_origin" {
  description = "The web origin that may read responses, including 401 and 403"
  type        = string
  default     = "https://app.example.com"

  validation {
    condition     = can(regex("^https?://[^/*']+$", var.allowed_origin))
    error_message = "An origin is a scheme and a host, such as https://app.example.com."
  }
}

variable "cache_seconds" {
  description = "Seconds for which API Gateway caches an answer; 0 for no cache"
  type        = number
  default     = 300

  validation {
    condition     = var.cache_seconds >= 0 && var.cache_seconds <= 3600
    error_message = "API Gateway caches answers for 0 to 3600 seconds."
  }
}

variable "rate_limit" {
  description = "Requests per second that the API accepts from all clients together; set it to what the backend can handle"
  type        = number
  default     = 100

  validation {
    condition     = var.rate_limit > 0
    error_message = "With 0 the API would accept no request."
  }
}

variable "burst_limit" {
  description = "Burst of requests that the API accepts"
  type        = number
  default     = 200

  validation {
    condition     = var.burst_limit > 0
    error_message = "With 0 the API would accept no request."
  }
}
