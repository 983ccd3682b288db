/// The variables of a template for a local program, without those that control which other code or files it uses.
///
/// On Lambda they take effect in the author's own sandbox. Here the program runs with the user's rights, and the
/// template may be a stranger's: `LD_LIBRARY_PATH` alone lets its author run code in every process that loads a
/// library.
public struct TemplateVariables: Equatable, Sendable {
  /// The variables that the program gets.
  public let kept: [String: String]
  /// The names of the variables that it does not get, sorted.
  public let leftOut: [String]

  /// Filters the variables of a template's function.
  public init(_ variables: [String: String]) {
    kept = variables.filter { !Self.isPowerful($0.key) }
    leftOut = variables.keys.filter(Self.isPowerful).sorted()
  }

  /// Whether a variable controls what a process loads, trusts or opens. Case-insensitive, because libcurl also reads
  /// lower-case proxy variables.
  static func isPowerful(_ name: String) -> Bool {
    let name = name.uppercased()
    return names.contains(name) || families.contains { name.hasPrefix($0) } || name.hasSuffix("_PROXY")
  }

  /// The prefixes of whole families.
  private static let families = [
    // Loaders: ld.so(8), dyld(1), and the variables that the GNU C library ignores in setuid programs
    // (sysdeps/generic/unsecvars.h).
    "LD_", "DYLD_", "GCONV_", "GLIBC_", "MALLOC_", "RES_",
    // Trust and traffic: libcurl and OpenSSL (openssl-env(7)), NSS, Kerberos, p11-kit.
    "SSL_CERT_", "SSLKEYLOG", "OPENSSL_", "CURL_", "NSS_", "KRB5", "P11_KIT_", "QLOGDIR",
    // Interpreters.
    "NODE_", "NPM_", "DENO_", "BUN_", "PYTHON", "VIRTUAL_ENV", "RUBY", "GEM_", "BUNDLE_", "PERL", "LUA_",
    "PHP_", "JAVA_",
    "JDK_", "_JAVA_", "DOTNET_", "COMPLUS_", "CORECLR_", "COR_", "BASH_", "SHELL", "ZDOTDIR", "GIT_",
    // Runtimes and sanitizers of compiled programs: SWIFT_BACKTRACE names a program to run.
    "SWIFT_", "ASAN_", "LSAN_", "MSAN_", "TSAN_", "UBSAN_", "LLVM_", "GCOV_",
    // The files of SQLite, and the files and addresses of the AWS tools.
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
    // Lambda's reserved variables ("Defined runtime environment variables").
    "LAMBDA_TASK_ROOT", "LAMBDA_RUNTIME_DIR", "AWS_LAMBDA_RUNTIME_API", "AWS_LAMBDA_EXEC_WRAPPER",
    "_LAMBDA_TELEMETRY_LOG_FD", "_HANDLER",
  ]
}
