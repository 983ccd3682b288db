internal import IssuerKeys

/// The parts that `authorizer.json` and `identity.json` share.
extension ConfigurationSchema {
  /// The members of `fetch`.
  static let fetchProperties = #"""
    {
      "timeoutMilliseconds": {
        "description": "Longest time of one fetch.",
        "type": "integer", "minimum": 100, "maximum": 8000, "default": \#(FetchSettings.defaultTotalMilliseconds)
      },
      "connectTimeoutMilliseconds": {
        "description": "Longest time to connect, TLS included.",
        "type": "integer", "minimum": 100, "maximum": 8000, "default": \#(FetchSettings.defaultConnectMilliseconds)
      },
      "certificateAuthorities": {
        "description": "PEM file of certificate authorities instead of the system's.",
        "type": "string", "minLength": 1
      },
      "proxy": {
        "description": "Proxy: http://host:port or https://host:port, without user and password. Proxy variables of the environment are ignored.",
        "type": "string", "minLength": 1
      }
    }
    """#

  /// The members of a `secret`.
  static let secretProperties = #"""
    {
      "environment": {"description": "Environment variable that contains the secret. Exactly one of environment and file.", "type": "string", "minLength": 1},
      "file": {"description": "File that contains the secret, at most 16 KiB. A line feed at the end is ignored.", "type": "string", "minLength": 1},
      "encoding": {
        "description": "How the secret is written there. base64 is the alphabet with + and /.",
        "enum": ["text", "base64"], "default": "text"
      }
    }
    """#

  /// The members of `keys` for an issuer that publishes a key set.
  static let publishedKeyProperties = #"""
    "url": {
      "description": "HTTPS address of the issuer's key set. Default: the preset's.",
      "type": "string", "minLength": 1
    },
    "seed": {
      "description": "Key set file of the deployment, used until the first fetch. It needs url or a preset, or pinned.",
      "type": "string", "minLength": 1
    },
    "seedMaximumAgeDays": {
      "description": "Age from which a seed is refreshed before the first decision.",
      "type": "integer", "minimum": 1, "maximum": 3650, "default": \#(KeyLifetimes.defaultSeedMaximumAgeDays)
    },
    "pinned": {"description": "Use the seed only; never fetch.", "type": "boolean", "default": false},
    "graceSeconds": {
      "description": "Stale-while-revalidate: expired keys are used while they are refreshed after a response.",
      "type": "integer", "minimum": 0, "maximum": 86400, "default": \#(KeyLifetimes.defaultGrace)
    },
    "staleOnErrorSeconds": {
      "description": "Stale-if-error: expired keys are used while the issuer cannot be reached.",
      "type": "integer", "minimum": 0, "maximum": 2592000, "default": \#(KeyLifetimes.defaultStaleOnError)
    },
    "minimumRSAExponent": {
      "description": "Smallest accepted public exponent of an RSA key. Lower it only for an issuer whose keys have the exponent 3 or 17.",
      "type": "integer", "minimum": 3, "maximum": 65537, "default": 65537
    }
    """#
}
