/// What `authorizer.json` and `identity.json` say alike.
extension ConfigurationSchema {
  /// The members of `fetch`.
  static let fetchProperties = #"""
    {
      "timeoutMilliseconds": {
        "description": "Longest time of one fetch.",
        "type": "integer",
        "minimum": 100,
        "maximum": 8000
      },
      "connectTimeoutMilliseconds": {
        "description": "Longest time until a connection stands.",
        "type": "integer",
        "minimum": 100,
        "maximum": 8000
      },
      "certificateAuthorities": {
        "description": "A file of certificate authorities in the place of the system's.",
        "type": "string",
        "minLength": 1
      },
      "proxy": {
        "description": "http://host:port or https://host:port; no other proxy is ever used.",
        "type": "string",
        "minLength": 1
      }
    }
    """#

  /// The members of a `secret`.
  static let secretProperties = #"""
    {
      "environment": {"description": "The variable that holds it.", "type": "string", "minLength": 1},
      "file": {"description": "The file that holds it.", "type": "string", "minLength": 1},
      "encoding": {
        "description": "How it is written there (default text).",
        "enum": ["text", "base64"]
      }
    }
    """#

  /// The members of `keys` where a key set is published.
  static let publishedKeyProperties = #"""
    "url": {
      "description": "Where the issuer publishes its key set.",
      "type": "string",
      "minLength": 1
    },
    "seed": {
      "description": "A key set file of the deployment, which answers from the first event on.",
      "type": "string",
      "minLength": 1
    },
    "seedMaximumAgeDays": {
      "description": "Age past which a seed is fetched anew before the first verdict (default 30).",
      "type": "integer",
      "minimum": 1,
      "maximum": 3650
    },
    "pinned": {"description": "The seed alone, never fetched.", "type": "boolean"},
    "graceSeconds": {
      "description": "For how long keys past their life answer while they are refreshed after a response (default 300).",
      "type": "integer",
      "minimum": 0,
      "maximum": 86400
    },
    "staleOnErrorSeconds": {
      "description": "For how long they answer while the issuer cannot be reached (default a day).",
      "type": "integer",
      "minimum": 0,
      "maximum": 2592000
    },
    "minimumRSAExponent": {
      "description": "Smallest public exponent of an RSA key (default 65537).",
      "type": "integer",
      "minimum": 3,
      "maximum": 65537
    }
    """#
}
