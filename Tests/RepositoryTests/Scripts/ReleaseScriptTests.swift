import Foundation
import Testing
import TestSupport

/// `scripts/pack-release` and `scripts/check-release` with made-up programs; `make release` builds the real ones.
@Suite(
  "scripts/pack-release", .timeLimit(.minutes(HangLimit.minutes)),
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git"), "no /usr/bin/git"))
struct ReleaseScriptTests {
  #if os(Linux) && !arch(arm64)
    @Test("the same commit gives the same bytes: in another folder, again, and over an earlier release")
    func reproducible() throws {
      let one = try ReleaseStage("a")
      let run = try one.pack()
      #expect(run.status == 0, "\(run.output)")
      let sums = one.sums
      #expect(sums != nil)
      #expect(
        try one.names(in: "dist/release") == [
          "SHA256SUMS", "api-gateway-authorizer-1.2.3-sar.tar.gz",
          "api-gateway-authorizer-1.2.3-terraform.tar.gz",
          "api-gateway-authorizer-1.2.3.cdx.json", "authorizer-arm64.zip",
          "authorizer-local-1.2.3-linux-x86_64.tar.gz", "authorizer-local-1.2.3.tgz",
          "authorizer-local-linux-x64-1.2.3.tgz", "authorizer-x86_64.zip",
          "authorizer_local-1.2.3-py3-none-manylinux_2_34_x86_64.whl", "identity-arm64.zip",
          "identity-x86_64.zip",
        ])
      #expect(try one.pack().status == 0)
      #expect(one.sums == sums)
      #expect(try one.names(in: "dist").allSatisfy { !$0.hasPrefix(".release") })
      let other = try ReleaseStage("another folder")
      #expect(try other.pack().status == 0)
      #expect(other.sums == sums)
      let later = try other.pack(environment: ["SOURCE_DATE_EPOCH": "1700000000"])
      #expect(later.status == 0 && other.sums != sums, "\(later.output)")
    }

    @Test(
      "ARM64_TOOL gives the tool and the packages for arm64, with a checked tool and its libraries in the SBOM"
    )
    func otherTool() throws {
      let stage = try ReleaseStage()
      // The head of an ELF file for arm64, then the texts of the libraries in a tool.
      let head = #"\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000\267\000"#
      let make = "printf '\(head)' >../tool && sed 1d dist/authorizer-local >>../tool && chmod 755 ../tool;"
      let objdump = #"echo "  NEEDED libc.so.6"; echo "  0x06969197 GLIBC_2.34""#
      try stage.command("objdump", objdump)
      let run = try stage.pack(before: make, environment: ["ARM64_TOOL": "../tool"])
      #expect(run.status == 0, "\(run.output)")
      let names = try stage.names(in: "dist/release")
      for name in [
        "authorizer-local-1.2.3-linux-arm64.tar.gz", "authorizer-local-linux-arm64-1.2.3.tgz",
        "authorizer_local-1.2.3-py3-none-manylinux_2_34_aarch64.whl",
      ] { #expect(names.contains(name), "\(names)") }
      #expect(try stage.text("dist/release/api-gateway-authorizer-1.2.3.cdx.json").contains(#""zlib-arm64""#))
      let programs = try stage.run(
        """
        cd dist && tar -xzf release/authorizer-local-1.2.3-linux-arm64.tar.gz && cd authorizer-local-1.2.3-linux-arm64 &&
          cmp bin/authorizer-local ../../../tool && cmp libexec/authorizer-local/identity ../arm64/identity
        """)
      #expect(programs.status == 0, "\(programs.output)")
      try stage.command("objdump", objdump + "; echo NEEDED libz.so.1")
      let refused = try stage.pack(before: make, environment: ["ARM64_TOOL": "../tool"])
      #expect(refused.status == 69 && refused.output.contains("needs libz.so.1"), "\(refused.output)")
    }

    @Test("check-release accepts the release, and finds what is wrong with it")
    func check() throws {
      let stage = try ReleaseStage.released()
      let folder = "dist/release"
      let check = "\"$SCRIPTS/check-release\" \(folder)"
      let good = try stage.run("cp -R \(folder) other && \(check) other")
      #expect(good.status == 0 && !good.output.contains("FAILED"), "\(good.output)")
      #expect(good.output.contains("skipped the schema of CycloneDX: python3 has no venv"), "\(good.output)")
      #expect(good.output.contains("0 failures, 5 skipped"), "\(good.output)")
      #expect(try stage.run("REQUIRE=1 \(check)").status == 69)
      #expect(try stage.run("\"$SCRIPTS/check-release\" nothing").status == 69)
      #expect(try stage.run("\"$SCRIPTS/check-release\" --all").status == 64)

      let (archive, npm) = ("api-gateway-authorizer-1.2.3-terraform", "authorizer-local-1.2.3")
      let spoiled: [(String, String)] = [
        ("echo more >>\(folder)/identity-arm64.zip", "SHA256SUMS"),
        ("touch \(folder)/more.zip", "SHA256SUMS"),
        ("rm \(folder)/identity-arm64.zip", "SHA256SUMS"),
        (
          "mkdir x && tar -C x -czf \(folder)/\(archive).tar.gz .",
          "\(archive).tar.gz: owners, modes, times and paths"
        ),
        (
          "mkdir -p x/package && touch x/package/a && chmod 666 x/package/a && "
            + "tar -C x --owner=0 --group=0 -czf \(folder)/\(npm).tgz package/a",
          "\(npm).tgz: owners, modes, times and paths"
        ),
        ("sed -i s/2.101.2/2.102.0/ \(folder)/*.cdx.json", "the same versions as other"),
        ("rm \(folder)/*.cdx.json", "the same versions as other"),
        ("sed -i s/file:identity/file:other/ \(folder)/*.cdx.json", "lists all files"),
        ("rm \(folder)/*.cdx.json", "there is an SBOM"),
        ("echo x >>other/SHA256SUMS", "the same bytes as other"),
      ]
      for (change, name) in spoiled {
        let run = try stage.run(
          "rm -rf \(folder) x && cp -R other \(folder) && cp other/SHA256SUMS sums && \(change); \(check) other; "
            + "status=$?; cp sums other/SHA256SUMS; exit $status")
        #expect(run.status == 1, "\(change): \(run.output)")
        #expect(
          run.output.split(separator: "\n").contains { $0.contains("FAILED") && $0.contains(name) }, "\(run)")
      }
    }

    @Test("check-release does not run the tool if a sum or an archive is wrong")
    func damagedTool() throws {
      let stage = try ReleaseStage.released()
      let name = "authorizer-local-1.2.3-linux-x86_64"
      try stage.write(
        "#!/bin/sh\ntouch ran\necho authorizer-local 1.2.3\n", to: "checkout/x/\(name)/bin/authorizer-local")
      let tar = "tar -C x --owner=0 --group=0 --mtime=@0 -czf dist/release/\(name).tar.gz \(name)"
      let sums = "(cd dist/release && rm SHA256SUMS && sha256sum -- * >../sums && mv ../sums SHA256SUMS)"
      // An archive with other bytes; with equal sums, which is run; and with folders.
      for (change, isRun) in [
        ("chmod 755 x/*/bin/*; \(tar)/bin/authorizer-local", false), (sums, true),
        ("\(tar) && \(sums)", false),
      ] {
        let run = try stage.run("rm -f ran; \(change); \"$SCRIPTS/check-release\" dist/release")
        #expect(try stage.names(in: ".").contains("ran") == isRun, "\(change): \(run.output)")
        #expect(run.status == 1, "\(run.output)")
        #expect(run.output.contains("skipped the start of the tool: ") == !isRun, "\(run.output)")
      }
    }

    @Test("the tool's archive is an installation that make uninstall removes; folders keep their permissions")
    func toolArchive() throws {
      let stage = try ReleaseStage()
      // Git ignores `dist`.
      try stage.write("", to: "checkout/docs/dist/notes.md")
      #expect(try stage.pack().status == 0)
      let run = try stage.run(
        """
        mkdir -p prefix/share && chmod 711 prefix && chmod 700 prefix/share && umask 022 &&
          tar -xzf dist/release/authorizer-local-*.tar.gz -C prefix --strip-components=1 &&
          [ ! -e prefix/share/authorizer-local/docs ] &&
          [ "$(stat -c %a prefix prefix/share prefix/bin | paste -s -d ' ' -)" = "711 700 755" ] &&
          prefix/bin/authorizer-local --version && find prefix -name LICENSE.txt &&
          PREFIX="$PWD/prefix" "$SCRIPTS/uninstall" && find prefix -type f
        """)
      #expect(run.status == 0, "\(run.output)")
      #expect(
        run.output.hasPrefix(
          "authorizer-local 1.2.3\nprefix/share/authorizer-local/licenses/swift-nio/LICENSE.txt\nremoved from "
        ))
      #expect(run.output.hasSuffix(" files\n"), "\(run.output)")
    }

    @Test("the SBOM has the linked packages and the libraries of both architectures")
    func bill() throws {
      let stage = try ReleaseStage.unchangedRelease()
      let text = try stage.text("dist/release/api-gateway-authorizer-1.2.3.cdx.json")
      let bill = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let parts = try #require(bill["components"] as? [[String: Any]])
      let addresses = parts.compactMap { $0["purl"] as? String }
      let debian = addresses.filter { $0.hasPrefix("pkg:deb/") }.map { $0.split(separator: "/")[2] }
      #expect(debian.filter { $0.hasPrefix("libssl-dev@3.0.19-1~deb12u2?arch=") }.count == 2, "\(debian)")
      #expect(debian.contains { $0.hasPrefix("libsqlite3-dev@3.40.1-2%2Bdeb12u2?arch=arm64&") }, "\(debian)")
      #expect(debian.contains { $0.hasPrefix("libstdc%2B%2B-12-dev@12.2.0-14%2Bdeb12u1?arch=") }, "\(debian)")
      #expect(debian.filter { $0.hasPrefix("zlib1g-dev@1%3A1.2.13.dfsg-1?arch=") }.count == 1, "\(debian)")
      #expect(addresses.contains("pkg:swift/github.com/apple/swift-nio@2.101.2"))
      #expect(addresses.contains("pkg:generic/icu@76") && addresses.contains("pkg:generic/llhttp@9.3.0"))
      #expect(!text.contains("swift-unused"))
      let metadata = try #require(bill["metadata"] as? [String: Any])
      #expect(metadata["timestamp"] as? String == "2026-11-22T10:00:00Z")
    }

    @Test("a trial may have other versions of a library for arm64; a rebuild is no other version")
    func otherVersions() throws {
      let stage = try ReleaseStage()
      let packages = ".build/arm64/sysroot/.packages"
      #expect(try stage.pack(before: "sed -i 's/2 0$/2+b1 0/' \(packages);").status == 0)
      let run = try stage.pack(
        before: "sed -i s/deb12u2/deb12u1/ \(packages);", environment: ["UNPINNED": "1"])
      #expect(run.status == 0 && run.output.contains("note: openssl has version 3.0.19-1"), "\(run.output)")
    }

    @Test(
      "refuses with an error and leaves the earlier release as it is",
      arguments: [
        ("echo more >>LICENSE", 69, "the checkout has changes that are not committed: LICENSE"),
        ("touch template/authorizer.json", 69, "not committed: template/authorizer.json"),
        ("rm -r .git", 69, "has no commit that git can read"),
        ("rm dist/arm64/identity", 69, "dist/arm64/identity is missing"),
        ("rm .build/tool*/workspace-state.json", 69, "workspace-state.json is missing"),
        ("sed -i s/nio/neo/ .build/tool*/workspace-state.json", 69, "has no version of swift-nio"),
        ("rm -r .build/tool*/release", 69, "Objects.LinkFileList is missing"),
        ("printf '#!/bin/sh\\nexit 1' >../bin/tar", 69, "tar is not GNU tar"),
        ("printf '#!/bin/sh\\nexit 1' >../bin/gzip", 69, ".tar.gz cannot be written"),
        ("printf '#!/bin/sh\\n' >../bin/swift", 69, "swift --version names no version"),
        ("sed -i s/3.0.19/3.0.18/ dist/identity", 69, "bootstrap contains OpenSSL 3.0.19, identity 3.0.18"),
        ("sed -i s/OpenSSL// dist/arm64/*", 69, "bootstrap contains OpenSSL of an unknown version"),
        (
          "sed -i s/3.0.19/3.0.18/ dist/bootstrap dist/identity", 69,
          "but libssl-dev has version 3.0.19-1~deb12u2"
        ),
        (
          "sed -i s/deb12u2/deb12u1/ .build/arm64/sysroot/.packages", 69,
          "openssl has version 3.0.19-1~deb12u2 for x86_64, but 3.0.19-1~deb12u1 for arm64"
        ),
        ("sed -i s/12.2.0$/12.3.0/ dist/authorizer-local", 69, "libstdc++ 12.3.0 is in the program"),
        ("sed -i s/GCC:// dist/authorizer-local", 69, "libstdc++ of an unknown version"),
        ("sed -i s/deflate/text/ dist/authorizer-local", 69, "zlib of an unknown version"),
        ("sed -i s/2.13/2.11/ dist/authorizer-local", 69, "but zlib1g-dev has version 1:1.2.13.dfsg-1"),
        (
          "sed -i s/3.0.19/3.0.18/ dist/authorizer-local", 69,
          "authorizer-local contains OpenSSL 3.0.18, bootstrap 3.0.19"
        ),
        ("export ARM64_TOOL=dist/authorizer-local", 64, "ARM64_TOOL is no program for arm64"),
        ("sed -i s/abc/abd/ dist/arm64/identity", 69, "identity for arm64 does not contain SQLite 3.40.1"),
        (
          "echo \"$PWD/Sources/A.swift\" >>dist/fetch-keys", 69,
          "dist/fetch-keys contains the path of this checkout"
        ),
        ("export SOURCE_DATE_EPOCH=today", 64, "SOURCE_DATE_EPOCH is not a number of seconds: today"),
        // Like a full disk: a write fails after some bytes.
        ("trap '' XFSZ; ulimit -f 0", 69, "cannot be written"),
        ("trap '' XFSZ; ulimit -f 1", 69, "cannot be written"),
      ] as [(String, Int32, String)])
    func refusals(_ change: String, _ status: Int32, _ message: String) throws {
      let stage = try ReleaseStage()
      for name in ["SHA256SUMS", "authorizer-x86_64.zip"] {
        try stage.write("earlier\n", to: "checkout/dist/release/\(name)")
      }
      let sums = stage.sums
      let names = try stage.names(in: "dist/release")
      let run = try stage.pack(before: "\(change); chmod 755 ../bin/*;")
      #expect(run.status == status, "\(run.output)")
      #expect(run.output.contains("error: ") && run.output.contains(message), "\(run.output)")
      #expect(run.output.contains("hint: "), "\(run.output)")
      #expect(stage.sums == sums)
      #expect(try stage.names(in: "dist/release") == names)
      #expect(try stage.names(in: "dist").allSatisfy { !$0.hasPrefix(".release") })
    }
  #endif

  @Test(
    "wrong arguments are usage errors",
    arguments: ["", "--all", "dist/authorizer-local", "--check dist", "a b c", "a b c d e"])
  func arguments(_ arguments: String) throws {
    let stage = try ReleaseStage.unchanged()
    let run = try stage.run("\"$SCRIPTS/pack-release\" \(arguments)")
    #expect(run.status == 64 && run.output.hasPrefix("error: unexpected argument"), "\(run.output)")
    #expect(run.output.contains("\nhint: usage: scripts/pack-release "), "\(run.output)")
  }

  @Test("the version is that of authorizer-local")
  func version() throws {
    let stage = try ReleaseStage()
    #expect(try stage.run("\"$SCRIPTS/pack-release\" --version").output == "1.2.3\n")
    try stage.write("", to: "checkout/Sources/authorizer-local/A/AuthorizerLocal.swift")
    let missing = try stage.run("\"$SCRIPTS/pack-release\" --version")
    #expect(
      missing.status == 69 && missing.output.hasPrefix("error: the version of the project was not found"))
    // The template of this repository has the same version: ApplicationMetadataTests.
    let root = Repository.root.path
    let real = try stage.run("cd '\(root)' && \"$SCRIPTS/pack-release\" --version")
    let application = try Repository.checkedOut.get().files["template/sar.yaml"]
    #expect(application?.contains("SemanticVersion: \(real.output)") == true, "\(real.output)")
  }
}
