import type { IncomingHttpHeaders } from 'node:http';

/** The gateway did not start, has ended, or refused an order. */
export class GatewayError extends Error {}

/** Returns the path of the tool in the package for this processor. */
export function tool(): string;

export interface GatewayOptions {
  /** More arguments of `serve`, such as `['--run-functions']`. */
  options?: string[];
  /** The API of requests that name none. */
  api?: string;
  /** Default fields of tokens, such as `{ audience: 'api' }`. */
  token?: TokenFields;
  /** The path of another authorizer-local, the folder in which it runs, and more variables. */
  tool?: string;
  cwd?: string;
  env?: Record<string, string>;
  /** Milliseconds that the start may take. */
  timeout?: number;
}

/** The fields of POST /dev/token: `scope`, `claims`, `expires`, `audience`, `preset`, `authorizer` and others. */
export type TokenFields = Record<string, unknown>;

export interface RequestOptions {
  /** With `user`, `scope`, `claims` or an object as `token`, the request has a new token of the development issuer. */
  user?: string;
  /** One text, or a list of scopes. */
  scope?: string | readonly string[];
  claims?: Record<string, unknown>;
  token?: string | TokenFields;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  json?: unknown;
  /** The name of an API, or its name and stage: `'Api/prod'`. */
  api?: string;
}

/** A decision, as `GET /dev/decisions/N` of the console returns it. */
export interface Decision {
  /** `allowed`, `forbidden`, `unauthorized`, `failure`, `open` and others of the console. */
  outcome: string;
  /** The authorizer's reason code, such as `insufficientScope`. */
  reason: string | null;
  /** The rule of the configuration that decided, and the decision in a sentence. */
  rule: any;
  why: string | null;
  /** Whether the authorizer was not called, because its answer was cached. */
  cached: boolean;
  [member: string]: any;
}

export class Response {
  private constructor();
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  json(): any;
  decision(): Promise<Decision>;
  /** Returns the line of the gateway's log. */
  log(): Promise<string>;
}

/** Sends a request to a path of an API, without its stage, and follows no redirect. */
type Send = (path: string, options?: RequestOptions) => Promise<Response>;

/** A running `authorizer-local serve` on a free port. It ends with `close()`, and with this process. */
export class Gateway {
  private constructor();
  readonly url: string;
  last?: Response;
  /** Ends the gateway, and returns its exit code, negative for a signal. */
  close(): Promise<number>;
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
  get: Send;
  post: Send;
  put: Send;
  patch: Send;
  delete: Send;
  token(user?: string, fields?: TokenFields): Promise<string>;
  /** Moves the clock of gateway, issuer and function: `'+1h'`, `'-10m'`. */
  moveClock(by: string): Promise<void>;
  /** Empties the authorizer cache, and returns the number of its answers. */
  flushCache(): Promise<number>;
  /** Empties the cache, and sets the clock to this machine's. */
  reset(): Promise<void>;
  /** Returns the place of the log's end, and the log from there on. */
  mark(): number;
  logSince(mark: number): Promise<string>;
  /** Sends an order to a path of /dev, with the secret of the gateway. */
  control(method: string, path: string, order?: unknown): Promise<any>;
}

/**
 * Starts a gateway. The template may be the folder of a project of `init`, in which `serve` then runs; without it, the
 * nearest one is served.
 */
export function gateway(template?: string, options?: GatewayOptions): Promise<Gateway>;

type Body = (api: Gateway, ...rest: any[]) => unknown;

/** A test with a gateway, called as that of the runner; its options are those of the runner. */
interface Run {
  (name: string, body?: Body, timeout?: number): any;
  (name: string, options: object, body?: Body): any;
}

export interface Test extends Run {
  skip: Run;
  only: Run;
  todo: Run;
}

/**
 * Returns a `test` whose bodies get a gateway, with an empty cache and the time of this machine; the gateway is the same
 * in all tests of a file. The error of a test that fails has the gateway's log.
 */
export function fixture(
  runner: { test: (name: string, body: any) => unknown } &
    ({ after: (end: any) => unknown } | { afterAll: (end: any) => unknown }),
  template?: string, options?: GatewayOptions,
): Test;
