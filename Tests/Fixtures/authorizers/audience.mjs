// A TOKEN authorizer that verifies signature, issuer and times of a JWT, and the audience only if AUDIENCE is set.

import crypto from "node:crypto";
import fs from "node:fs";

const keys = JSON.parse(fs.readFileSync(process.env.JWKS_FILE, "utf8")).keys;

function claimsOf(token) {
  const [head, body, signature] = token.split(".");
  const { alg, kid } = JSON.parse(Buffer.from(head, "base64url"));
  const jwk = keys.find((key) => key.kid === kid);
  if (alg !== "RS256" || !jwk) throw new Error("key");
  const key = crypto.createPublicKey({ key: jwk, format: "jwk" });
  const isRight = crypto.verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"));
  const claims = JSON.parse(Buffer.from(body, "base64url"));
  if (!isRight || claims.iss !== process.env.ISSUER || claims.exp * 1000 < Date.now()) throw new Error("token");
  if (process.env.AUDIENCE && ![claims.aud].flat().includes(process.env.AUDIENCE)) throw new Error("audience");
  return claims;
}

export const handler = async (event) => {
  let claims;
  try {
    claims = claimsOf(event.authorizationToken.replace(/^Bearer /, ""));
  } catch {
    throw new Error("Unauthorized");
  }
  const stage = event.methodArn.split("/").slice(0, 2).join("/");
  return {
    principalId: claims.sub,
    policyDocument: {
      Version: "2012-10-17",
      Statement: [{ Action: "execute-api:Invoke", Effect: "Allow", Resource: `${stage}/*` }],
    },
  };
};
