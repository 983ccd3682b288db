/// The variables that a template gives to a program of this machine, without those that would decide what else it runs,
/// reads or writes.
///
/// On Lambda they meet a sandbox that is the author's own. Here the program and its children are the user's, and a template may
/// be a stranger's: `LD_LIBRARY_PATH` alone is code of its author in each process that loads a library.
public struct TemplateVariables: Equatable, Sendable {
  /// What the program gets.
  public let kept: [String: String]
  /// Names of those that it does not get, in order.
  public let leftOut: [String]

  /// Divides the variables of a template's function.
  public init(_ variables: [String: String]) {
    kept = variables.filter { !Self.isPowerful($0.key) }
    leftOut = variables.keys.filter(Self.isPowerful).sorted()
  }

  /// Whether a variable decides what a process loads, whom it trusts, or which files it opens; in any case, since libcurl reads
  /// proxies in small letters too.
  static func isPowerful(_ name: String) -> Bool {
    let name = name.uppercased()
    return names.contains(name) || families.contains { name.hasPrefix($0) } || name.hasSuffix("_PROXY")
  }

  /// The first characters of whole families.
  private static let families = [
    // Loaders: ld.so(8), dyld(1), and what the GNU C library takes from no program with more rights than its caller
    // (sysdeps/generic/unsecvars.h).
    "LD_", "DYLD_", "GCONV_", "GLIBC_", "MALLOC_", "RES_",
    // Trust and traffic: libcurl and OpenSSL (openssl-env(7)), NSS, Kerberos, p11-kit.
    "SSL_CERT_", "SSLKEYLOG", "OPENSSL_", "CURL_", "NSS_", "KRB5", "P11_KIT_", "QLOGDIR",
    // Interpreters, which their own programs start with.
    "NODE_", "NPM_", "DENO_", "BUN_", "PYTHON", "VIRTUAL_ENV", "RUBY", "GEM_", "BUNDLE_", "PERL", "LUA_",
    "PHP_", "JAVA_",
    "JDK_", "_JAVA_", "DOTNET_", "COMPLUS_", "CORECLR_", "COR_", "BASH_", "SHELL", "ZDOTDIR", "GIT_",
    // Runtimes and sanitizers of compiled programs: SWIFT_BACKTRACE names a program to run.
    "SWIFT_", "ASAN_", "LSAN_", "MSAN_", "TSAN_", "UBSAN_", "LLVM_", "GCOV_",
    // SQLite's files, and those of AWS's own tools and addresses.
    "SQLITE_", "AWS_ENDPOINT_URL", "AWS_CONTAINER_", "AWS_WEB_IDENTITY_",
  ]

  private static let names: Set<String> = [
    "PATH", "HOME", "TMPDIR", "TEMP", "TMP", "PWD", "IFS", "ENV", "CDPATH", "PS4", "PROMPT_COMMAND",
    "GLOBIGNORE",
    "EDITOR", "VISUAL", "PAGER", "BROWSER", "CLASSPATH", "PHPRC", "GETCONF_DIR", "HOSTALIASES", "LOCALDOMAIN",
    "LOCPATH",
    "NLSPATH", "NIS_PATH", "TZDIR", "RESOLV_HOST_CONF", "LANGUAGE", "CTLOG_FILE", "RANDFILE", "TERMINFO",
    "TERMCAP",
    "CHARSETALIASDIR", "AWS_CA_BUNDLE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
    // Lambda's own, which it lets nobody set ("Defined runtime environment variables").
    "LAMBDA_TASK_ROOT", "LAMBDA_RUNTIME_DIR", "AWS_LAMBDA_RUNTIME_API", "AWS_LAMBDA_EXEC_WRAPPER",
    "_LAMBDA_TELEMETRY_LOG_FD", "_HANDLER",
  ]
}
