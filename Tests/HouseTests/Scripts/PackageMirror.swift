import Foundation
import Testing
import TestSupport

/// A folder in which `scripts/debian-packages` runs with an apt of the test, whose only package is `a`.
struct PackageMirror {
  let folder = FileManager.default.temporaryDirectory.appending(path: "mirror \(UUID().uuidString)")

  init() throws {
    for name in ["bin", "package/usr/lib", "work"] {
      try FileManager.default.createDirectory(at: place(name), withIntermediateDirectories: true)
    }
    for tool in [
      "cat", "cp", "find", "flock", "grep", "head", "ln", "ls", "mkdir", "mv", "readlink", "rm", "sed", "sh",
      "sort", "tail", "tar",
    ] {
      let real = try #require(
        ["/usr/bin/\(tool)", "/bin/\(tool)"].first { FileManager.default.isExecutableFile(atPath: $0) })
      try FileManager.default.createSymbolicLink(
        at: place("bin/\(tool)"), withDestinationURL: URL(filePath: real))
    }
    try write("", to: "keys")
    try write("ID=debian\nVERSION_CODENAME=bookworm\n", to: "debian")
    try write("ID=\"debian\"\nVERSION_CODENAME='trixie'\n", to: "trixie")
    try write("ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\n", to: "ubuntu")
    try write("ID=debian\nVERSION_CODENAME=bookworm\necho >ran\n", to: "work/.program")
    try write(
      """
      http://mirror.example/debian/|bookworm|main|Debian
      http://mirror.example/debian/|bookworm|contrib|Debian
      http://mirror.example/debian/|trixie|main|Debian
      http://mirror.example/security/|bookworm-security|main|$(ORIGIN)
      http://other.example/debian/|bookworm|main|Other
      cdrom:[Debian]/|bookworm|main|Debian

      """, to: "targets")
    try write("the library\n", to: "package/usr/lib/a.so")
    try FileManager.default.createSymbolicLink(
      atPath: place("package/usr/lib/absolute.so").path, withDestinationPath: "/usr/lib/a.so")
    let tar = try ScriptRun(
      ["/bin/sh", "-c", "cd package && tar -cf ../a.deb ./usr"], in: folder, path: "/usr/bin:/bin")
    try #require(tar.status == 0, "\(tar)")
    try fakes()
  }

  private func fakes() throws {
    // A file fail-STEP makes a step fail; the file signal has the signal that ends the script during `update`. Debian has
    // not signed a source whose address contains a word of the file foreign.
    try fake(
      "apt-get",
      """
      here='\(folder.path)'
      [ "$1" = indextargets ] && exec cat "$here/targets"
      echo "$*" >>"$here/log"
      [ ! -e "$here/fail-$1" ] || { echo 'output of apt'; cat "$here/fail-$1"; exit 100; }
      work=${APT_CONFIG%/*}
      case "$1" in
        update)
          cp "$work/sources.list" "$work/apt.conf" "$here/"
          if [ -e "$here/foreign" ] && grep -qFf "$here/foreign" "$work/sources.list"; then
            echo 'W: GPG error: NO_PUBKEY 0'
            exit 100
          fi
          if [ -e "$here/signal" ]; then kill -"$(cat "$here/signal")" "$PPID"; fi ;;
        install | download) [ -e "$here/fail-nothing" ] || cp "$here/a.deb" "$work/cache/archives/" ;;
      esac
      """)
    try fake("apt-cache", "printf '%s\\n' libgcc-9-dev libgcc-12-dev libgcc-12-dev-arm64-cross")
    try fake(
      "apt-config",
      """
      cat <<'END'
      Acquire::http::Proxy "http://proxy.example:3128";
      Acquire::http::Timeout "1";
      Acquire::AllowWeakRepositories "true";
      APT::Update::Post-Invoke:: "false";
      END
      """)
    try fake(
      "dpkg-deb",
      """
      case "$1" in
        --show) [ ! -e '\(folder.path)/fail-show' ] && echo 'a 1.0-2 arm64' ;;
        --fsys-tarfile) [ ! -e '\(folder.path)/fail-unpack' ] && cat "$2" ;;
      esac
      """)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  func run(
    _ target: String, _ packages: String..., options: [String] = [], variables: [String: String] = [:],
    starter: [String] = []
  ) throws -> ScriptRun {
    try run(words: options + ["arm64", target] + packages, variables, starter: starter)
  }

  /// Runs the script in the folder `work`.
  ///
  /// - Parameters:
  ///   - variables: names of files of this mirror; those with a dot at the start are not changed.
  ///   - starter: a command that starts the script.
  func run(words: [String], _ variables: [String: String] = [:], starter: [String] = []) throws -> ScriptRun {
    let files = ["DEBIAN_PACKAGES_OS_RELEASE": "debian", "DEBIAN_KEYRING": "keys"].merging(variables) { $1 }
      .mapValues { $0 == "none" || $0.hasPrefix(".") ? $0 : place($0).path }
    return try ScriptRun(
      starter + ["/bin/bash", Repository.root.appending(path: "scripts/debian-packages").path] + words,
      in: place("work"), path: place("bin").path, environment: files)
  }

  /// The names in the folder `work`, except those of the test and of locks.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place("work").path).filter {
      !$0.hasPrefix(".") && !$0.hasSuffix(".lock")
    }
  }

  /// The text of a file in `work`, or else in the folder.
  func text(_ path: String) throws -> String {
    let file = place("work/\(path)")
    let isThere = FileManager.default.fileExists(atPath: file.path)
    return try String(contentsOf: isThere ? file : place(path), encoding: .utf8)
  }

  func link(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: place("work/\(path)").path)
  }

  /// The commands of apt-get except for the question for its sources.
  func commands() throws -> [String] {
    guard FileManager.default.fileExists(atPath: place("log").path) else { return [] }
    return try text("log").split(separator: "\n").map(String.init)
  }

  func write(_ text: String, to path: String) throws {
    try text.write(to: place(path), atomically: true, encoding: .utf8)
  }

  func removeFile(_ path: String) throws { try FileManager.default.removeItem(at: place(path)) }

  private func place(_ path: String) -> URL { folder.appending(path: path) }

  private func fake(_ name: String, _ script: String) throws {
    try TestProgram.write("#!/bin/sh\n\(script)\n", to: place("bin/\(name)").path)
  }
}
