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

variable "identity_package" {
  description = "Path of the ZIP file of the function for sign-in; null for the one that make package-identity writes to dist"
  type        = string
  default     = null
}

variable "architecture" {
  description = "Architecture of the packages, x86_64 or arm64"
  type        = string
  default     = "x86_64"
}

variable "audiences" {
  description = "Accepted audiences: the app's bundle ID and its Services IDs"
  type        = list(string)
}

variable "deletion_protection" {
  description = "Whether the table of users is protected from deletion"
  type        = bool
  default     = true
}

variable "cache_seconds" {
  description = "Seconds for which API Gateway caches an answer, and for which a revoked token may still be accepted; 0 for no cache"
  type        = number
  default     = 60

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
