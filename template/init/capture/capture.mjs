// Writes the events of an authorizer to its log, as `authorizer-local test` reads them: without tokens, and with a
// pseudonym for each word that is in no route and not in CAPTURE_KEEP.
import { createHmac, randomBytes } from "node:crypto";

const key = randomBytes(32), written = new Set(), words = /[^ !-\/:-@[-^`{-~]+/g;
const keep = new Set(["true", "false", ...((process.env.CAPTURE_KEEP ?? "").match(words) ?? [])]);
const hash = (text) => createHmac("sha256", key).update(text).digest("hex").slice(0, 12);
const pseudonym = (word) => (/^\d+$/.test(word) ? String(parseInt(hash(word), 16)) : "x" + hash(word));
const hide = (text) => text.replace(words, (word) => (keep.has(word) ? word : pseudonym(word)));
const map = (object, change) => Object.fromEntries(Object.entries(object).map(change));
const hidden = (value) =>
  typeof value === "string" ? hide(value)
  : typeof value === "number" ? Number(hide(String(value)))
  : Array.isArray(value) ? value.map(hidden)
  : value && typeof value === "object" ? map(value, ([name, one]) => [hide(name), hidden(one)]) : value;
const segment = (text) =>
  text === decodeURIComponent(text) ? hide(text) : encodeURIComponent(hide(decodeURIComponent(text)));
const path = (text) => text.split("/").map(segment).join("/");
const arn = (text) =>
  text.split("/").map((part, n) => (n > 2 ? segment(part) : part.replace(/:\d{12}:/, ":123456789012:"))).join("/");

function recipe(token) {
  const [header, claims] = token.split(".", 2).map((part) => JSON.parse(Buffer.from(part, "base64url")));
  const time = (seconds) => (seconds < 0 ? "-" : "+") + (Math.floor(Math.abs(seconds) / 60) + 1) + "m";
  const isTime = (name, value) => /^(exp|iat|nbf|auth_time)$/.test(name) && Number.isSafeInteger(value);
  const claim = ([name, value]) => [name, isTime(name, value) ? time(value - Date.now() / 1000) : hidden(value)];
  const signed = /^([RPEH]S(256|384|512)|EdDSA)$/.test(header.alg);
  const type = header.typ ? { header: { typ: /^(at\+)?jwt$/i.test(header.typ) ? header.typ : "x" } } : { omitHeader: "typ" };
  return { claims: map(claims, claim), ...type, ...(signed ? { algorithm: header.alg } : { damage: "dropSignature" }) };
}

// The members that are written, and how. `sign` replaces the token by its placeholder, and anything else by nothing.
const same = (value) => value;
const part = (value, sign) => map(value, ([name, one]) => [name, one ? members[name]?.(one, sign) : members[name] && one]);
const members = {
  __proto__: null, type: same, version: same, httpMethod: same, method: same, resource: same, routeKey: same, apiId: same,
  stage: same, eventType: same, methodArn: arn, routeArn: arn, path, rawPath: path, requestContext: part, http: part,
  identity: part, sourceIp: () => "203.0.113.24", queryStringParameters: () => ({}),
  pathParameters: (value) => map(value, ([name, one]) => [name, path(one)]),
  authorizationToken: (value, sign) => sign(value),
  identitySource: (value, sign) => (Array.isArray(value) ? value.map(sign) : sign(value)),
  headers: (value, sign) => map(value, ([name, one]) => [name, /^authorization$/i.test(name) ? sign(one) : undefined]),
};

function line(event) {
  const headers = Object.entries(event.headers ?? {});
  const sent = event.authorizationToken ?? headers.find(([name]) => /^authorization$/i.test(name))?.[1] ?? "";
  const [, scheme = "", token] = /^((?:Bearer|DPoP) +)?(.*)$/is.exec(sent);
  for (const word of `${event.resource} ${event.routeKey} ${event.requestContext?.stage}`.match(words)) keep.add(word);
  const sign = (value) => (value && value === sent ? scheme + "{{token captured}}" : "");
  return JSON.stringify({ captured: 1, tokens: token ? { captured: recipe(token) } : {}, event: part(event, sign) });
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
