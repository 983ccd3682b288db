'use strict';
// A local Amazon API Gateway for tests: `authorizer-local serve`, called as a user with claims and scopes.
const http = require('node:http');
const fs = require('node:fs');
const path = require('node:path');
const { GatewayError, Process, tool } = require('./process.js');

// Milliseconds that an answer may take: more than API Gateway waits for a backend.
const answerTime = 40_000;
// Lines of the log that an error shows: our choice.
const shown = 20;
const samStage = 'Stage';
const requestOptions = ['user', 'scope', 'claims', 'token', 'headers', 'body', 'json', 'api'];
// The gateway keeps as many decisions (docs/harness/console.md).
const kept = 500;
// With an agent of its own, Node.js uses no proxy of the environment.
const agent = new http.Agent({ keepAlive: false });

/** Those of some fields that have a value. */
const given = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

class Response {
  #api;
  #request;
  #decision;

  constructor(api, request, status, headers, body) {
    Object.assign(this, { status, headers, body });
    this.#api = api;
    this.#request = request;
  }

  get text() {
    return this.body.toString('utf8');
  }

  json() {
    return JSON.parse(this.text);
  }

  async decision() {
    if (this.#decision) return this.#decision;
    const own = [this.headers['x-amzn-requestid'], this.headers['apigw-requestid']].filter(Boolean);
    const { decisions } = await this.#api.control('GET', `/dev/decisions?view=summary&limit=${kept}`);
    const entry = decisions.reverse().find((one) => own.includes(one.requestId) || own.includes(one.extendedRequestId));
    if (!entry) throw new GatewayError(`the gateway has no decision, or no longer, of ${this.#request}`);
    const whole = await this.#api.control('GET', `/dev/decisions/${entry.id}`);
    this.#decision = { ...whole, cached: whole.answer === 'cache', rule: whole.ruleText, why: whole.sentence };
    return this.#decision;
  }

  async log() {
    return this.#api.logOf((await this.decision()).requestId);
  }
}

class Gateway {
  #process;
  #bases = new Map();
  #choices = [];
  #api;
  #token;
  last = undefined;

  constructor(running, options) {
    this.#process = running;
    this.#token = options.token;
    this.#api = options.api;
    this.url = running.base;
  }

  static async start(template, options = {}) {
    const args = [...(options.options ?? [])];
    let { cwd } = options;
    if (template !== undefined) {
      const place = path.resolve(cwd ?? '', template);
      const isFolder = fs.statSync(place, { throwIfNoEntry: false })?.isDirectory();
      if (isFolder) cwd ??= place;
      args.unshift('--template', isFolder ? path.join(place, 'template.yaml') : place);
    }
    const api = new Gateway(await Process.start(args, { ...options, cwd }), options);
    try {
      const session = await api.control('GET', '/dev/session');
      const apis = session.apis.filter((one) => one.kind !== 'webSocket');
      // SAM makes the stage `Stage` of a REST API too: it is a choice only for those who name it.
      const own = apis.filter((one) => one.stage !== samStage
        || !apis.some((other) => other.name === one.name && other.stage !== one.stage));
      const name = (one) => (own.filter((other) => other.name === one.name).length === 1 ? one.name : one.base.slice(1));
      api.#choices = own.map(name);
      for (const one of apis) api.#bases.set(one.base.slice(1), one.base);
      for (const one of own.reverse()) api.#bases.set(one.name, one.base);
      if (own.length === 1) api.#api ??= own[0].name;
    } catch (error) {
      await api.close();
      throw error;
    }
    return api;
  }

  close() {
    return this.#process.close();
  }

  async request(method, target, options = {}) {
    const unknown = Object.keys(options).filter((name) => !requestOptions.includes(name));
    if (unknown.length) throw new TypeError(`unknown option ${unknown.join(', ')}: a request has ${requestOptions.join(', ')}`);
    const { user, scope, claims, headers, json, api = this.#api } = options;
    let { token, body } = options;
    if (typeof token?.then === 'function') {
      token.then(undefined, () => {}); // its own error would end the program
      throw new TypeError('token is a promise: write await api.token(…)');
    }
    if (!target.startsWith('/')) throw new TypeError(`a path begins with a slash: ${target}`);
    const base = this.#bases.get(api);
    if (base === undefined) throw new TypeError(this.#problem(api));
    const sent = { ...headers };
    const named = new Set(Object.keys(sent).map((name) => name.toLowerCase()));
    const hasToken = [user, scope, claims, token].some((field) => field !== undefined);
    if (hasToken && named.has('authorization')) {
      throw new TypeError('headers has authorization: leave it out, or user, scope, claims and token');
    }
    if (hasToken && typeof token !== 'string') {
      token = await this.token(undefined, { ...given({ user, scope, claims }), ...token });
    }
    if (token !== undefined) sent.Authorization = `Bearer ${token}`;
    if (json !== undefined) {
      if (!named.has('content-type')) sent['Content-Type'] = 'application/json';
      body = JSON.stringify(json);
    }
    const answer = await this.#send(method, base + target, sent, body);
    this.last = new Response(this, `${method} ${target}`, ...answer);
    return this.last;
  }

  #problem(api) {
    const choices = this.#choices.join(', ');
    if (!choices) return 'the template has no REST or HTTP API';
    if (api !== undefined) return `api is ${api}, but the template has ${choices}`;
    return `the template has ${choices}: name one, api: '${this.#choices[0]}', in the request or in gateway()`;
  }

  async token(user, fields = {}) {
    const order = { ...this.#token, ...given({ user }), ...fields };
    if (Array.isArray(order.scope)) order.scope = order.scope.join(' ');
    return (await this.control('POST', '/dev/token', order)).access_token;
  }

  async moveClock(by) {
    for (const name of (await this.control('POST', '/dev/clock', { move: by })).unmovedFunctions) {
      process.emitWarning(`${name} uses the clock of this machine: if it is an authorizer, send a token with expires: '-1h'`);
    }
  }

  async flushCache() {
    return (await this.control('POST', '/dev/cache/flush', {})).flushed;
  }

  async reset() {
    await this.flushCache();
    const { offsetSeconds } = await this.control('GET', '/dev/clock');
    if (offsetSeconds) await this.control('POST', '/dev/clock', { move: `${offsetSeconds < 0 ? '+' : ''}${-offsetSeconds}s` });
  }

  mark() {
    return this.#process.lines.length;
  }

  async logSince(mark) {
    await this.last?.log().catch(() => {});
    return this.#process.lines.slice(mark).join('\n');
  }

  async logOf(request) {
    await this.#process.line(request);
    return this.#process.lines.filter((line) => line.includes(request)).join('\n');
  }

  async control(method, target, order) {
    const headers = { 'X-Development-Secret': this.#process.secret, 'Content-Type': 'application/json' };
    const [status, , data] = await this.#send(method, target, headers, order && JSON.stringify(order));
    const answer = JSON.parse(data.toString('utf8'));
    if (status !== 200) throw new GatewayError(`${method} ${target}: ${answer.error ?? status}`);
    return answer;
  }

  async #send(method, target, headers, body) {
    const { hostname, port } = new URL(this.url);
    try {
      return await new Promise((resolve, reject) => {
        // This follows no redirect, so a token goes to the gateway only.
        const request = http.request({ hostname, port, method, path: target, headers, agent, timeout: answerTime });
        request.on('timeout', () => request.destroy(new Error(`no answer within ${answerTime} ms`)));
        request.on('error', reject);
        request.on('response', (answer) => {
          const parts = [];
          answer.on('data', (part) => parts.push(part)).on('error', reject);
          answer.on('end', () => resolve([answer.statusCode, answer.headers, Buffer.concat(parts)]));
        });
        request.end(body);
      });
    } catch (error) {
      const ended = await this.#process.until(() => !this.#process.open, 500);
      const why = ended ? `has ended with ${await this.close()}` : `gave no answer: ${error.message}`;
      throw new GatewayError(
        [`${method} ${target}: the gateway ${why}`, ...this.#process.lines.slice(-shown)].join('\n'), { cause: error });
    }
  }
}

for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
  Gateway.prototype[method.toLowerCase()] = function (target, options) {
    return this.request(method, target, options);
  };
}

const gateway = Gateway.start;

/** Returns a `test` whose bodies get a gateway, the same in all tests of a file. */
function fixture({ test, after, afterAll = after } = {}, template, options) {
  if (typeof test !== 'function' || typeof afterAll !== 'function') {
    throw new TypeError('fixture needs test, and after or afterAll: write fixture({ test, after }, template)');
  }
  let started;
  afterAll(async () => (await started?.catch(() => undefined))?.close());
  const withGateway = (body) => async (...rest) => {
    const api = await (started ??= gateway(template, options));
    await api.reset();
    api.last = undefined;
    const mark = api.mark();
    try {
      await body(api, ...rest);
    } catch (error) {
      if (error instanceof Error) {
        const log = `\nlog of authorizer-local:\n${await api.logSince(mark)}`;
        const stack = error.stack;
        error.message += log;
        error.stack = stack + log;
      }
      throw error;
    }
  };
  // The options of a test, or vitest's timeout, stay where they are.
  const using = (run) => (...args) => run(...args.map((arg) => (typeof arg === 'function' ? withGateway(arg) : arg)));
  const own = using(test);
  for (const kind of ['skip', 'only', 'todo']) if (test[kind]) own[kind] = using(test[kind]);
  return own;
}

module.exports = { Gateway, GatewayError, Response, fixture, gateway, tool };
