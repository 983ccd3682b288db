import Testing

@testable import authorizer_local

/// Which variables of a template reach a program that is not the template's own.
@Suite struct TemplateVariableTests {
  /// Variables with which loaders, interpreters, version managers, build tools and SDKs choose code and files; and plain
  /// ones, which no rule can tell from them.
  static let names = [
    "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "GCONV_PATH", "GLIBC_TUNABLES", "SSL_CERT_FILE", "OPENSSL_CONF",
    "https_proxy", "NODE_OPTIONS", "NODE_PATH", "PYTHONPATH", "PYTHONSTARTUP", "RUBYOPT", "PERL5LIB",
    "JAVA_TOOL_OPTIONS", "BASH_ENV", "PATH", "HOME", "IFS", "GIT_SSH_COMMAND", "SWIFT_BACKTRACE",
    "PYENV_HOOK_PATH", "PYENV_ROOT", "RBENV_ROOT", "RBENV_HOOK_PATH", "NODENV_ROOT", "ASDF_DATA_DIR",
    "ASDF_CONFIG_FILE", "VOLTA_HOME", "MISE_CONFIG_FILE", "FNM_DIR", "GOFLAGS", "GOTOOLCHAIN", "MAKEFILES",
    "MAKEFLAGS", "RUSTC_WRAPPER", "CARGO_HOME", "MAVEN_OPTS", "GRADLE_OPTS", "UV_PYTHON", "PIP_CONFIG_FILE",
    "AWS_ENDPOINT_URL", "AWS_CONFIG_FILE", "AWS_LAMBDA_EXEC_WRAPPER", "LAMBDA_TASK_ROOT", "_HANDLER",
    "AUTHORIZERS", "identity_config", "TABLE_NAME", "STAGE", "LOG_LEVEL",
  ]

  @Test(arguments: names, TemplateVariables.Receiver.allCases)
  func nothingReachesAProgramThatIsNotTheTemplates(_ name: String, _ receiver: TemplateVariables.Receiver) {
    let variables = TemplateVariables([name: "x"], for: receiver, isTrusted: false)
    #expect(variables.kept == [:])
    #expect(variables.leftOut == [name])
  }

  @Test(arguments: [
    "AUTHORIZER_CONFIG", "AUTHORIZER_ISSUER", "AUTHORIZER_AUDIENCE", "AUTHORIZER_KEYS", "IDENTITY_CONFIG",
  ]) func theFunctionsOfThisProjectGetTheirConfiguration(_ name: String) {
    let own = TemplateVariables([name: "x"], for: .shippedFunction, isTrusted: false)
    #expect(own.kept == [name: "x"] && own.leftOut.isEmpty)
    let other = TemplateVariables([name: "x"], for: .program, isTrusted: false)
    #expect(other.kept.isEmpty && other.leftOut == [name])
  }

  @Test(arguments: TemplateVariables.Receiver.allCases)
  func aTrustedTemplateSetsWhatItSetsForItsOwnFunctions(_ receiver: TemplateVariables.Receiver) {
    let refused = ["AWS_CONFIG_FILE", "AWS_PROFILE", "LAMBDA_TASK_ROOT", "_HANDLER"]
    let variables = TemplateVariables(
      Dictionary(uniqueKeysWithValues: (refused + ["NODE_OPTIONS", "TABLE_NAME"]).map { ($0, "x") }),
      for: receiver, isTrusted: true)
    #expect(variables.kept == ["NODE_OPTIONS": "x", "TABLE_NAME": "x"])
    #expect(variables.leftOut == refused)
  }

  @Test func theStartNamesWhatWasLeftOut() {
    let variables = TemplateVariables(
      ["STAGE": "x", "MODE": "x", "A\u{1B}": "x"], for: .program, isTrusted: false)
    let note = variables.notes(for: "Backend", besides: ["MODE"])
    #expect(
      note == [
        "Backend runs without A\\u{1b}, STAGE of the template: --template-variables passes them on, if you trust the "
          + "template; --env NAME=VALUE sets one"
      ])
    #expect(variables.notes(for: "Backend", besides: ["A\u{1B}", "MODE", "STAGE"]) == [])
  }
}
