// A TOKEN authorizer with classic mistakes: a policy for one route, Deny for every failure, any audience.

import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const { keys } = JSON.parse(readFileSync(process.env.JWKS_FILE));
const json = (part) => JSON.parse(Buffer.from(part, "base64url"));

function claimsOf(token) {
  const [head, body, signature] = token.split(".");
  const key = createPublicKey({ key: keys.find((one) => one.kid === json(head).kid), format: "jwk" });
  if (!verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"))) throw new Error();
  if (json(body).iss !== "https://id.example.com" || json(body).exp * 1000 < Date.now()) throw new Error();
  return json(body);
}

export const handler = async (event) => {
  let claims = { sub: "nobody" }, Effect = "Deny";
  try {
    claims = claimsOf(event.authorizationToken.replace("Bearer ", ""));
    if (!event.methodArn.includes("/admin/") || claims.role === "admin") Effect = "Allow";
  } catch {}
  const statement = { Action: "execute-api:Invoke", Effect, Resource: event.methodArn };
  const policyDocument = { Version: "2012-10-17", Statement: [statement] };
  return { principalId: claims.sub, policyDocument, context: { role: claims.role ?? "" } };
};
