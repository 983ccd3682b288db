extension HandlerLoop {
  /// Finds the packages of Lambda's own runtimes on this machine, and names packages that Lambda may not have.
  static let nodePackages = HandlerLoop(fileName: "packages.mjs", text: nodePackagesText)

  private static let nodePackagesText = #"""
    import fs from "node:fs";
    import Module, { createRequire } from "node:module";
    import path from "node:path";
    import { pathToFileURL } from "node:url";

    export const onlyIfDeployed = "Lambda has it only if you deploy it with the function";

    export function hint(text) {
      process.stderr.write(`hint: ${text}\n`);
    }

    // What Lambda's runtime includes: the AWS SDK, version 3 from Node.js 18 on and version 2 before.
    export function sdk(version) {
      return version >= 18 ? /^@(aws-sdk|aws-crypto|smithy)\// : /^aws-sdk(\/|$)/;
    }

    // Names the package that an error misses; not the handler's own file.
    export function hintMissing(error, included, root, handlerFile) {
      if (!["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"].includes(error?.code)) return;
      const missing = /(?:module|package) '([^'./][^']*)'/.exec(error.message)?.[1];
      if (!missing || missing === handlerFile) return;
      const [name] = /^(?:@[^/]*\/)?[^/]*/.exec(missing);
      if (!included.test(missing) || !/^[@\w./-]+$/.test(name)) {
        hint(`${missing} is not installed: run npm install in the folder of the function`);
        return;
      }
      hint(
        `${name} is in Lambda's runtime, and not on this machine: run npm install --no-save ${name} in ${root}, `
        + `or npm install --global ${name}`);
    }

    function finder(createRequire, join, included, folders) {
      return (name) => {
        if (!included.test(name)) return undefined;
        for (const folder of folders) {
          try {
            return createRequire(join(folder, "index.js")).resolve(join(folder, name));
          } catch {
            // The next folder may have it.
          }
        }
        return undefined;
      };
    }

    const hooks = `
      import { createRequire } from "node:module";
      import { join } from "node:path";
      import { pathToFileURL } from "node:url";
      ${finder}
      let find;
      export const initialize = ({ included, folders }) => { find = finder(createRequire, join, included, folders); };
      export async function resolve(name, context, next) {
        try {
          return await next(name, context);
        } catch (error) {
          const file = find(name);
          if (!file) throw error;
          return { url: pathToFileURL(file).href, shortCircuit: true };
        }
      }`;

    // Finds what Lambda's runtime includes in these folders, if Node.js does not find it from the function on.
    export function share(included, folders) {
      if (folders.length === 0) return;
      const find = finder(createRequire, path.join, included, folders);
      if (Module.registerHooks) {
        Module.registerHooks({
          resolve(name, context, next) {
            try {
              return next(name, context);
            } catch (error) {
              const file = find(name);
              if (!file) throw error;
              return { url: pathToFileURL(file).href, shortCircuit: true };
            }
          },
        });
        return;
      }
      // Before Node.js 22.15, a hook of its own thread is for ES modules only.
      Module.register?.(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: { included, folders } });
      const resolveFilename = Module._resolveFilename;
      Module._resolveFilename = function (name, ...rest) {
        try {
          return resolveFilename.call(this, name, ...rest);
        } catch (error) {
          const file = error?.code === "MODULE_NOT_FOUND" && find(name);
          if (!file) throw error;
          return file;
        }
      };
    }

    // Names the packages of folders that are not deployed with the function: of a folder above, or of this machine.
    export function notePackages(file, root, handlerName, included) {
      const real = (folder) => fs.realpathSync(folder) + path.sep;
      const layers = (process.env.NODE_PATH ?? "").split(":").filter((folder) => fs.existsSync(folder));
      const own = [root, ...layers].map(real);
      const isOwn = (place) => own.some((folder) => place.startsWith(folder));
      const found = new Map();
      const add = (place) => {
        const match = /^(.*?\/(?:node_modules|(?:share|lib)\/nodejs))\/((?:@[^/]+\/)?[^/]+)/.exec(place);
        if (match && !isOwn(place)) found.set(match[2], match[1]);
      };
      const { cache, resolve } = createRequire(file);
      for (const [place, module] of Object.entries(cache)) {
        if (!module.parent || isOwn(module.parent.filename)) add(place);
      }
      // Packages that are ES modules are not in that cache: look for those of the handler's own file.
      const imports = /(?:from|import)\s*\(?["']((?:@[^/"']+\/)?[^./"'][^/"']*)/g;
      for (const [, name] of fs.readFileSync(file, "utf8").matchAll(imports)) {
        const folder = resolve.paths(name)?.find((folder) => fs.existsSync(path.join(folder, name)));
        if (folder) add(real(path.join(folder, name)));
      }
      const place = real(root);
      for (const [name, folder] of found) {
        if (included.test(`${name}/`)) continue;
        const above = path.dirname(folder);
        const isAbove = folder.endsWith("/node_modules") && place.startsWith(above + path.sep);
        const inside = path.join(path.relative(above, place), handlerName);
        const cure = isAbove ? `; if you deploy the folder ${above}, give --handler ${above}:${inside}` : "";
        hint(`${name} is in ${folder}, outside of the function: ${onlyIfDeployed}${cure}`);
      }
    }
    """#
}
