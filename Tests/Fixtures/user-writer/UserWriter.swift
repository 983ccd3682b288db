// Signs users in one after the other and prints each one that was stored, until it is killed or all are done.
// Everything printed must be in the file, whatever happens to this process. Arguments: database, revocation file,
// prefix, count; optionally the maximum bytes of a file (0: no limit), and the user ID that the process switches to
// first.

import CPOSIX
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import SQLiteStore
import UserStore

@main struct UserWriter {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 5, let count = Int(arguments[4]) else { exit(64) }
    if arguments.count > 5, let bytes = UInt64(arguments[5]), bytes > 0 { limitFiles(to: bytes) }
    if arguments.count > 6, let user = UInt32(arguments[6]), setuid(user) != 0 { exit(77) }
    do throws(StoreError) {
      let store = try SQLiteStore(
        path: arguments[1], revocationFile: arguments[2], deadlineMilliseconds: now() + patience, now: now)
      for number in 0..<count { try keep(arguments[3] + "-\(number)", in: store) }
    } catch {
      say(error.code + ": " + error.detail)
      exit(1)
    }
  }

  /// The time limit of a call in milliseconds.
  private static let patience: Int64 = 600_000

  private static func keep(_ name: String, in store: SQLiteStore) throws(StoreError) {
    var profile = UserProfile()
    profile.email = Array((name + "@example.com").utf8)
    let signIn = SignIn(
      subject: Array(name.utf8), profile: profile, newIdentifier: Array("id-\(name)".utf8), nonce: nil,
      milliseconds: now())
    _ = try store.keep(signIn, deadlineMilliseconds: now() + patience)
    say("user \(name)")
    let event = AccountEvent(
      identifier: Array("jti-\(name)".utf8), subject: Array(name.utf8), kind: .revocation,
      eventMilliseconds: 1_700_000_000_000, receivedMilliseconds: now())
    _ = try store.record(event, deadlineMilliseconds: now() + patience)
    say("revocation \(name)")
  }

  /// Limits the size of files: larger ones fail with EFBIG, as on a full disk (setrlimit(2)).
  private static func limitFiles(to bytes: UInt64) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
    _ = unsafe setrlimit(fileSizeLimit, &limit)
  }

  #if canImport(Glibc)
    private static let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
    private static let fileSizeLimit = RLIMIT_FSIZE
  #endif

  /// One call of write(2) for each line, so that lines are never printed in part.
  private static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
  }

  private static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
