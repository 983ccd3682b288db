import Testing

@testable import Emulator

/// Tests of the template variables that reach a local program.
@Suite struct TemplateVariableTests {
  @Test(arguments: [
    "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "GCONV_PATH", "GLIBC_TUNABLES",
    "LOCPATH",
    "MALLOC_TRACE", "MALLOC_PERTURB_", "HOSTALIASES", "RES_OPTIONS", "LOCALDOMAIN", "NLSPATH", "TMPDIR",
    "TZDIR",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES",
    "CURL_CA_BUNDLE", "CURL_HOME", "QLOGDIR", "http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY",
    "no_proxy",
    "NODE_OPTIONS", "NODE_PATH", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "RUBYOPT", "RUBYLIB",
    "GEM_PATH",
    "PERL5LIB", "PERL5OPT", "PERLLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH",
    "DOTNET_STARTUP_HOOKS", "CORECLR_PROFILER_PATH", "BASH_ENV", "ENV", "BASH_FUNC_x%%", "SHELLOPTS", "IFS",
    "PS4",
    "PATH", "HOME", "ZDOTDIR", "PHPRC", "LUA_INIT", "GIT_SSH_COMMAND", "SWIFT_BACKTRACE", "ASAN_OPTIONS",
    "SQLITE_TMPDIR", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_CA_BUNDLE", "AWS_CONFIG_FILE",
    "LAMBDA_TASK_ROOT", "AWS_LAMBDA_RUNTIME_API", "AWS_LAMBDA_EXEC_WRAPPER", "_LAMBDA_TELEMETRY_LOG_FD",
    "_HANDLER",
    "ld_preload",
  ]) func removesVariablesThatControlAProcess(_ name: String) {
    let variables = TemplateVariables([name: "x", "STAGE": "dev"])
    #expect(variables.leftOut == [name])
    #expect(variables.kept == ["STAGE": "dev"])
  }

  @Test(arguments: [
    "AUTHORIZER_CONFIG", "AUTHORIZER_ISSUER", "AUTHORIZER_KEYS", "AUTHORIZER_DEVELOPMENT", "IDENTITY_CONFIG",
    "NONCE_SECRET", "TABLE_NAME", "LOG_LEVEL", "STAGE", "DB_HOST", "TZ", "LANG", "AWS_REGION",
    "AWS_LAMBDA_LOG_LEVEL",
    "AWS_LAMBDA_MAX_CONCURRENCY", "API_KEY", "OLD_VALUE", "ENVIRONMENT", "BASE_PATH", "CURLY", "PROXY",
  ]) func keepsOtherVariables(_ name: String) {
    #expect(TemplateVariables([name: "x"]).leftOut == [])
    #expect(TemplateVariables([name: "x"]).kept == [name: "x"])
  }
}
