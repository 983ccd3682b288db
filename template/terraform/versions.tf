terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.40"
    }

    # Only for sign_in.
    random = {
      source  = "hashicorp/random"
      version = ">= 3.5"
    }
  }
}
