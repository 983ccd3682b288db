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
  /** The path of another authorizer-local, and the folder in which it runs. */
  tool?: string;
  cwd?: string;
  env?: Record<string, string>;
  /** Milliseconds that the start may take. */
  timeout?: number;
}

/** The fields of POST /dev/token. */
export interface TokenFields {
  scope?: string;
  claims?: Record<string, unknown>;
  expires?: string;
  audience?: string | string[];
  preset?: string;
  authorizer?: string;
  [field: string]: unknown;
}

export interface RequestOptions {
  /** With `user`, `scope`, `claims` or an object as `token`, the request has a new token of the development issuer. */
  user?: string;
  scope?: string;
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
  requestId: string;
  /** `allowed`, `forbidden`, `unauthorized`, `failure`, `open` and others of the console. */
  outcome: string;
  /** The authorizer's reason code, such as `insufficientScope`. */
  reason: string | null;
  /** The rule of the configuration that decided, and the decision in a sentence. */
  rule: unknown;
  why: string | null;
  /** Whether the authorizer was not called, because its answer was cached. */
  cached: boolean;
  [member: string]: unknown;
}

export class Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  json(): any;
  decision(): Promise<Decision>;
  /** Returns the line of the gateway's log. */
  log(): Promise<string>;
}

/** A running `authorizer-local serve` on a free port. It ends with `close()`, and with this process. */
export class Gateway {
  private constructor();
  readonly url: string;
  last?: Response;
  /** Ends the gateway, and returns its exit code. */
  close(): Promise<number | string>;
  /** Sends a request to a path of an API, without its stage, and follows no redirect. */
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
  get(path: string, options?: RequestOptions): Promise<Response>;
  post(path: string, options?: RequestOptions): Promise<Response>;
  put(path: string, options?: RequestOptions): Promise<Response>;
  patch(path: string, options?: RequestOptions): Promise<Response>;
  delete(path: string, options?: RequestOptions): Promise<Response>;
  token(user?: string, fields?: TokenFields): Promise<string>;
  /** Moves the clock of gateway, issuer and function: `'+1h'`, `'-10m'`. */
  moveClock(by: string): Promise<void>;
  /** Empties the authorizer cache, and returns the number of its answers. */
  flushCache(): Promise<number>;
  /** Empties the cache, and sets the clock to this machine's. */
  reset(): Promise<void>;
  mark(): number;
  logSince(mark: number): Promise<string>;
  logOf(requestId: string): Promise<string>;
  /** Sends an order to a path of /dev, with the secret of the gateway. */
  control(method: string, path: string, order?: unknown): Promise<any>;
}

/** Starts a gateway. The template may be the folder of a project of `init`; without it, the nearest one is served. */
export function gateway(template?: string, options?: GatewayOptions): Promise<Gateway>;

export interface Runner {
  test: (name: string, body: (...rest: any[]) => Promise<void>) => unknown;
  after?: (end: () => Promise<unknown>) => unknown;
  afterAll?: (end: () => Promise<unknown>) => unknown;
}

/**
 * Returns a `test` whose bodies get a gateway, with an empty cache and the time of this machine; the gateway is the same
 * in all tests of a file. The error of a test that fails has the gateway's log.
 */
export function fixture(
  runner: Runner, template?: string, options?: GatewayOptions,
): (name: string, body: (api: Gateway, ...rest: any[]) => unknown) => unknown;
