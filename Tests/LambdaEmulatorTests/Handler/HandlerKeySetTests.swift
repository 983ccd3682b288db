@testable import LambdaEmulator
import Foundation
import JSON
import TestSupport
import Testing

/// Handlers that build the address of their issuer's key set themselves.
@Suite(.hangLimit)
struct HandlerKeySetTests {
  /// No server has this name (RFC 2606), so every other answer fails.
  static let address = "https://cognito-idp.eu-west-1.invalid/eu-west-1_a/.well-known/jwks.json"

  static let node = """
    import https, { get } from "https";
    import { createRequire } from "module";
    const require = createRequire(import.meta.url);
    const read = (ask, ...words) => new Promise((done, fail) => {
      ask(...words, (answer) => {
        const parts = [];
        answer.on("data", (part) => parts.push(part));
        answer.on("end", () => done(Buffer.concat(parts).toString()));
      }).on("error", fail).end();
    });
    const attempt = async (work) => { try { return await work(); } catch { return "failed"; } };
    export const handler = async ({ address }) => {
      const { hostname, pathname, search } = new URL(address);
      const path = pathname + search;
      return Promise.all([
        async () => (await fetch(address)).text(),
        async () => (await fetch(new URL(address), { headers: { accept: "a/b" } })).text(),
        async () => (await fetch(new Request(address))).text(),
        () => read(https.request, address), () => read(https.get, new URL(address), { timeout: 60000 }),
        () => read(get, { hostname, path }),
        () => read(require("https").request, { host: hostname, port: 443, path, method: "GET" }),
      ].map(attempt));
    };
    """

  static let python = """
    import ssl, urllib.request

    def handler(event, context):
        address = event["address"]
        asked = urllib.request.Request(address, headers={"Accept": "a/b"})
        ways = [
            lambda: urllib.request.urlopen(address).read().decode(),
            lambda: urllib.request.urlopen(asked, timeout=60, context=ssl.create_default_context()).read().decode(),
        ]
        try:
            import urllib3
            ways.append(lambda: urllib3.PoolManager().request("GET", address, retries=False).data.decode())
        except ImportError:
            pass

        def attempt(way):
            try:
                return way()
            except Exception:
                return "failed"

        return [attempt(way) for way in ways]
    """

  static let files = [("app.mjs", node), ("app.py", python)].filter {
    HandlerWorkplace.has($0.0.hasSuffix(".py") ? .python : .node)
  }

  /// Addresses, and whether the option names them.
  static let addresses: [(text: String, isAnswered: Bool)] = [
    (address, true), (address + "?a=b", false), (address.replacing("_a", with: "_b"), false),
    (address.replacing("jwks", with: "openid"), false), ("https://other.invalid/", false),
  ]

  @Test("the named addresses are answered with the development key set", arguments: files, addresses)
  func answered(_ file: (name: String, text: String), _ address: (text: String, isAnswered: Bool))
    async throws
  {
    let workplace = try HandlerWorkplace([file.name: file.text, "jwks.json": #"{"keys":[]}"#])
    let source = try HandlerSource(path: workplace.folder + "/" + file.name, symbol: "handler")
    let function = try workplace.function(
      source, keySets: AnsweredKeySets(file: workplace.folder + "/jwks.json", addresses: [Self.address]))
    let event = String(decoding: JSONTree.members(["address": .string(address.text)]).bytes(), as: UTF8.self)
    // The second event shows that the answers do not end the process, or keep it from its end.
    let results = try await HandlerWorkplace.results(workplace.settings(function), [event, event])
    for result in results {
      let answers = try JSONTree(parsing: result.payload).elements.compactMap(\.plain)
      #expect(answers.count >= 2, "\(result.text)")
      for answer in answers { #expect(answer == (address.isAnswered ? #"{"keys":[]}"# : "failed")) }
    }
  }
}
