// Writes the requests of an authorizer to its log, for `authorizer-local test`: without tokens, and with a pseudonym for
// each word that is neither in a route nor in CAPTURE_KEEP.
import { createHmac, randomBytes } from "node:crypto";

const key = randomBytes(32), written = new Set(), words = /[^ !-\/:-@[-^`{-~]+/g;
const keep = new Set(["true", "false", ...((process.env.CAPTURE_KEEP ?? "").match(words) ?? [])]);
const code = (text) => createHmac("sha256", key).update(text).digest("hex").slice(0, 12);
const pseudonym = (word) =>
  keep.has(word) ? word : /^\d+$/.test(word) ? String(parseInt(code(word), 16)) : "x" + code(word);
const hide = (text) => text.replace(words, (word) => pseudonym(word));
const map = (object, change) => Object.fromEntries(Object.entries(object).map(change));
const hidden = (value) =>
  typeof value === "string" ? hide(value)
  : typeof value === "number" ? (keep.has(String(value)) ? value : parseInt(code(String(value)), 16))
  : Array.isArray(value) ? value.map(hidden)
  : value && typeof value === "object" ? map(value, ([name, one]) => [hide(name), hidden(one)]) : value;

function claim(name, value) {
  const isTime = /^(exp|iat|nbf|auth_time)$/.test(name) && typeof value === "number" && Math.abs(value) < 1e12;
  const minutes = isTime && Math.floor((value - Date.now() / 1000) / 60) + 1;
  return isTime ? `${minutes < 0 ? "" : "+"}${minutes}m` : hidden(value);
}

function recipe(token) {
  const [header, claims] = token.split(".", 2).map((part) => JSON.parse(Buffer.from(part, "base64url")));
  if (Object(claims) !== claims || Array.isArray(claims)) throw new Error("no claims");
  const fits = (value, form) => typeof value === "string" && form.test(value);
  const typ = fits(header.typ, /^(at\+)?jwt$/i) ? header.typ : "x";
  const signed = fits(header.alg, /^([RPEH]S(256|384|512)|EdDSA)$/);
  return {
    claims: map(claims, ([name, value]) => [name, claim(name, value)]),
    ...(header.typ ? { header: { typ } } : { omitHeader: "typ" }),
    ...(signed ? { algorithm: header.alg } : { damage: "dropSignature" }),
  };
}

function segment(text) {
  const plain = decodeURIComponent(text);
  return text === plain ? hide(text) : encodeURIComponent(hide(plain));
}

function line(event) {
  const [place, stage, verb, ...rest] = (event.methodArn ?? event.routeArn).split("/");
  const method = event.requestContext?.http?.method ?? event.httpMethod ?? verb;
  const path = event.rawPath ?? event.path ?? "/" + rest.join("/");
  const route = event.resource ?? event.routeKey ?? "";
  for (const word of `${stage} ${route}`.match(words)) keep.add(word);
  const header = Object.entries(event.headers ?? {}).find(([name]) => /^authorization$/i.test(name));
  const sent = event.authorizationToken ?? header?.[1] ?? "";
  const [, scheme = "", token] = /^((?:Bearer|DPoP) +)?(.*)$/is.exec(sent);
  const request = {
    type: event.type ?? "", version: event.version ?? "", method, route, scheme,
    arn: [place.replace(/:\d{12}:/, ":123456789012:"), stage, verb].join("/"),
    path: path.split("/").map(segment).join("/"),
  };
  return JSON.stringify({ captured: 1, request, tokens: token ? { captured: recipe(token) } : {} });
}

export const captured = (handler) => (event, ...rest) => {
  try {
    const text = line(event);
    if (written.size < 1000 && !written.has(text)) written.add(text) && process.stdout.write(text + "\n");
  } catch {
    process.stdout.write("capture: an event was left out\n");
  }
  return handler(event, ...rest);
};
