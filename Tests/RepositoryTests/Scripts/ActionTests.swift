import Foundation
import TestSupport
import Testing

/// The shell step of action.yml, with a made-up tool.
@Suite("action.yml", .hangLimit)
struct ActionTests {
  static let sum = String(repeating: "0a", count: 32)

  @Test(
    "the action runs the tool, and refuses what it cannot check",
    arguments: [
      (["TOOL": "./tool"], 0, "<test> <a folder> <--junit> <R/report.xml>\n"),
      (
        ["TOOL": "./tool", "HANDLER": "a b.py:f", "OPTIONS": "--strict --ttl * 0"], 0,
        "<test> <a folder> <--handler> <a b.py:f> <--strict> <--ttl> <*> <0> <--junit> <R/report.xml>\n"
      ),
      ([:], 64, "::error::give wheel or tool\n"),
      (
        ["TOOL": "./tool", "OPTIONS": "$(touch found)"], 0,
        "<test> <a folder> <$(touch> <found)> <--junit> <R/report.xml>\n"
      ),
      (["TOOL": "./failing"], 1, ""),
      (
        ["WHEEL": "https://example.com/a.whl"], 64,
        "::error::the address of the wheel does not end with #sha256="
      ),
      (
        ["WHEEL": "https://example.com/a.whl#sha256=0a"], 64,
        "::error::the address of the wheel does not end with"
      ),
      (
        ["WHEEL": "https://example.com/a.whl#a=b#sha256=\(sum)"], 64,
        "::error::the address of the wheel does not end with"
      ),
      (["WHEEL": "file:///a.whl#sha256="], 64, "::error::the address of the wheel does not end with"),
      (["WHEEL": "https://example.com/a.whl#sha256=\(sum)"], 1, "python3 -m venv R/python\n"),
      (["WHEEL": "a b.whl", "TOOL": "./tool"], 1, "python3 -m venv R/python\n"),
    ] as [([String: String], Int32, String)])
  func step(_ inputs: [String: String], _ status: Int32, _ beginning: String) throws {
    let text = try #require(try Repository.checkedOut.get().files["action.yml"])
    let script = try #require(
      text.split(separator: "      run: |\n").last?.split(separator: "    - uses:").first)
    let folder = try TemporaryFolder()
    try folder.script("printf '<%s> ' \"$@\" | sed 's/ $//'; echo", to: "tool")
    try folder.script("exit 1", to: "failing")
    try folder.script("echo \"python3 $*\"; exit 1", to: "bin/python3")
    try folder.write("", to: "temp/.keep")
    var environment = [
      "FOLDER": "a folder", "RUNNER_TEMP": folder.path("temp"), "GITHUB_OUTPUT": folder.path("output"),
    ]
    for name in ["WHEEL", "TOOL", "HANDLER", "OPTIONS"] { environment[name] = inputs[name] ?? "" }
    // As GitHub runs a step with `shell: bash`.
    let run = try ScriptRun(
      ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", String(script)], in: folder.url,
      path: folder.path("bin") + ":/usr/bin:/bin", environment: environment)
    #expect(run.status == status, "\(run.output)\(run.errors)")
    // The report is in a new folder, which the upload gets.
    let report = try folder.text("output")
    let place = String(report.dropFirst("report=".count).dropLast("/report.xml\n".count))
    #expect(place.hasPrefix(folder.path("temp/authorizer-local.")), "\(place)")
    let output = run.output.replacing(place, with: "R")
    #expect(output.hasPrefix(beginning), "\(output)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("found")))
  }
}
