extension HandlerLoop {
  /// Answers a handler's requests for the key sets of issuers with the development key set.
  static let nodeKeySets = HandlerLoop(fileName: "keysets.mjs", text: nodeKeySetsText)

  private static let nodeKeySetsText = #"""
    import fs from "node:fs";
    import http from "node:http";
    import https from "node:https";
    import { syncBuiltinESMExports } from "node:module";

    // The address of what `https.request` gets: a text, a URL, or options.
    function addressOf(target) {
      if (typeof target === "string") return target;
      if (target instanceof URL) return target.href;
      if (typeof target !== "object" || target === null) return "";
      const { host, hostname = host, port, path = "/" } = target;
      return `https://${String(hostname).replace(/:\d+$/, "")}:${port ?? 443}${path}`;
    }

    // Answers requests for these addresses by `fetch` and `https` with the file.
    export async function answerKeySets({ file, addresses }) {
      const server = http.createServer((request, response) => {
        response.writeHead(200, { "Content-Type": "application/json", Connection: "close" });
        response.end(fs.readFileSync(file));
      });
      // It must not keep the process from its end: Lambda would call that a promise that nothing settles.
      server.on("connection", (socket) => socket.unref());
      await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
      server.unref();
      const local = `http://127.0.0.1:${server.address().port}/`;
      const named = new Set(addresses.map((address) => new URL(address).href));
      const isNamed = (address) => {
        try {
          return named.has(new URL(address).href);
        } catch {
          return false;
        }
      };

      const fetchAny = globalThis.fetch;
      globalThis.fetch = (input, init) => fetchAny(isNamed(input?.url ?? String(input)) ? local : input, init);
      for (const method of ["request", "get"]) {
        const original = https[method];
        https[method] = (...words) => {
          if (!isNamed(addressOf(words[0]))) return original(...words);
          return http[method](local, words.find((word) => typeof word === "function"));
        };
      }
      syncBuiltinESMExports();
    }
    """#
}
