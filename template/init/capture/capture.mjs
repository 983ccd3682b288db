// Writes the requests of an authorizer to its log, for `authorizer-local test`: without tokens, and with a pseudonym for
// each word that is neither in a route nor in CAPTURE_KEEP.
import { createHmac, randomBytes } from "node:crypto";

const key = randomBytes(32), words = /[^ !-\/:-@[-^`{-~]+/g, times = ["exp", "iat", "nbf", "auth_time"];
const keep = new Set(["true", "false", "null", ...((process.env.CAPTURE_KEEP ?? "").match(words) ?? [])]);
const hide = (text) => text.replace(words, (word) => (keep.has(word) ? word : pseudonym(word)));

function pseudonym(word) {
  const code = createHmac("sha256", key).update(word).digest("hex").slice(0, 12);
  return /^\d+$/.test(word) ? String(parseInt(code, 16)) : "x" + code;
}

function claim(name, value) {
  if (!times.includes(name) || typeof value !== "number") return JSON.parse(hide(JSON.stringify(value)));
  const minutes = Math.floor((value - Date.now() / 1000) / 60) + 1;
  return `${minutes < 0 ? "" : "+"}${minutes}m`;
}

function recipe(token) {
  const [header, claims] = token.split(".", 2).map((part) => JSON.parse(Buffer.from(part, "base64url")));
  const kind = header.typ ? { header: { typ: /^(at\+)?jwt$/i.test(header.typ) ? header.typ : "x" } } : { omitHeader: "typ" };
  const signed = /^([RPEH]S(256|384|512)|EdDSA)$/.test(header.alg) ? { algorithm: header.alg } : { damage: "dropSignature" };
  const hidden = Object.entries(claims).map(([name, value]) => [name, claim(name, value)]);
  return { claims: Object.fromEntries(hidden), ...kind, ...signed };
}

function segment(text) {
  const plain = decodeURIComponent(text);
  return text === plain ? hide(text) : encodeURIComponent(hide(plain));
}

function line(event) {
  const arn = (event.methodArn ?? event.routeArn).replace(/:\d{12}:/, ":123456789012:").split("/");
  const route = event.resource ?? event.routeKey;
  for (const word of `${arn[1]} ${route}`.match(words)) keep.add(word);
  arn.splice(3, Infinity, ...arn.slice(3).map(segment));
  const header = Object.entries(event.headers ?? {}).find(([name]) => /^authorization$/i.test(name));
  const sent = event.authorizationToken ?? header?.[1] ?? "";
  const [, scheme = "", token] = /^((?:Bearer|DPoP) +)?(.*)$/is.exec(sent);
  const request = { type: event.type, version: event.version, arn: arn.join("/"), route, scheme };
  return JSON.stringify({ captured: 1, request, tokens: token ? { captured: recipe(token) } : {} });
}

export const captured = (handler) => (event, ...rest) => {
  try {
    process.stdout.write(line(event) + "\n");
  } catch {
    process.stdout.write("capture: an event was left out\n");
  }
  return handler(event, ...rest);
};
