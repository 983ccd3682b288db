// What goes wrong around a gateway, in Node.js.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { GatewayError, fixture, gateway } from 'authorizer-local';

const API = new URL('api', import.meta.url).pathname;
// An API of SAM without OpenApiVersion, which has the stages prod and Stage.
const oneAPI = `
Transform: AWS::Serverless-2016-10-31
Resources:
  Api: { Type: AWS::Serverless::Api, Properties: { StageName: prod } }
  Backend:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: nodejs24.x
      Handler: index.handler
      InlineCode: "exports.handler = async () => ({ statusCode: 200 })"
      Events: { Me: { Type: Api, Properties: { RestApiId: !Ref Api, Method: GET, Path: /me } } }
`;

/** The number of processes whose arguments name a place. */
const running = (place) => fs.readdirSync('/proc').filter((pid) => {
  try {
    return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(place);
  } catch {
    return false;
  }
}).length;

for (const [template, options, message] of [
  ['nothing.yaml', [], /nothing\.yaml/], [API, ['--nonsense'], /unknown option '--nonsense'/],
  [API, ['--config', 'missing.json'], /missing\.json/],
]) {
  test(`a start that fails says why: ${template} ${options}`, async () => {
    await assert.rejects(gateway(template, { options }), (error) => {
      assert.match(error.message, /did not start/);
      assert.match(error.message, message);
      return error instanceof GatewayError;
    });
  });
}

test('a missing tool, and a slow start', async () => {
  await assert.rejects(gateway(API, { tool: '/nothing/authorizer-local' }), /did not start/);
  await assert.rejects(gateway(API, { timeout: 10 }), /did not start within 10 ms/);
});

test('a port that is taken', async () => {
  const server = http.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  await assert.rejects(gateway(API, { options: ['--port', String(server.address().port)] }), /use another port/);
  server.close();
});

test('a gateway that dies', async () => {
  const api = await gateway(API, { api: 'Orders' });
  assert.equal((await api.get('/me', { user: 'alice' })).status, 200);
  execFileSync('pkill', ['-KILL', '-P', String(process.pid), '-f', ' serve ']);
  await assert.rejects(api.get('/me'), /has ended with -9/);
  assert.equal(await api.close(), -9);
});

for (const signal of ['SIGKILL', 'SIGINT', 'SIGTERM']) {
  test(`an interrupted test leaves no process: ${signal}`, async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'interrupted-'));
    for (const name of ['template.yaml', 'authorizer.json']) fs.copyFileSync(path.join(API, name), path.join(folder, name));
    const code = "const a = await (await import('authorizer-local')).gateway(process.env.PLACE); console.log('on'); setTimeout(() => a, 600000)";
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, PLACE: folder }, cwd: path.dirname(API),
    });
    await once(child.stdout, 'data');
    assert.ok(running(folder) >= 2);
    child.kill(signal);
    await once(child, 'exit');
    for (let count = 0; running(folder) && count < 400; count += 1) await new Promise((done) => setTimeout(done, 50));
    assert.equal(running(folder), 0);
    fs.rmSync(folder, { recursive: true });
  });
}

test('a forgotten gateway does not keep the program running', async () => {
  const code = "await (await import('authorizer-local')).gateway(process.env.PLACE)";
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: 'ignore', env: { ...process.env, PLACE: API }, cwd: path.dirname(API),
  });
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('no proxy and no redirect', async () => {
  const seen = [];
  const server = http.createServer((request, answer) => {
    seen.push(request.url);
    answer.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${server.address().port}`;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'away-'));
  fs.writeFileSync(path.join(folder, 'away.mjs'),
    `export const handler = async () => ({ statusCode: 302, headers: { Location: '${address}' } });\n`);
  for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) process.env[name] = address;
  const api = await gateway(API, { api: 'Orders', options: ['--handler', `Backend=${folder}/away.mjs:handler`] });
  const answer = await api.get('/me', { user: 'alice' });
  assert.deepEqual([answer.status, answer.headers.location, seen], [302, address, []]);
  await api.close();
  server.close();
  fs.rmSync(folder, { recursive: true });
});

test('wrong requests', async () => {
  const api = await gateway(API);
  await assert.rejects(api.get('/me'), /template has Orders, Users: name one, api: 'Orders', in the request or in gateway\(\)/);
  await assert.rejects(api.get('/me', { api: 'Nothing' }), /api is Nothing, but the template has Orders, Users$/);
  await assert.rejects(api.get('http://example.com/me', { api: 'Orders' }), /begins with a slash/);
  await assert.rejects(api.token('alice', { expires: 'later' }), /expires/);
  await assert.rejects(api.get('/me', { api: 'Orders', token: api.token('alice') }), /token is a promise: write await api\.token\(…\)/);
  await assert.rejects(api.get('/me', { users: 'alice' }), /unknown option users: a request has user, scope,.*, api$/);
  await api.close();
});

test('headers in small letters', async () => {
  const api = await gateway(API, { api: 'Orders' });
  const kind = { 'content-type': 'application/merge-patch+json' };
  const sent = (await api.post('/orders', { user: 'alice', claims: { plan: 'gold' }, json: 1, headers: kind })).json().event.headers;
  const types = Object.entries(sent).filter(([name]) => name.toLowerCase() === 'content-type').map(([, value]) => value);
  assert.deepEqual(types, [kind['content-type']]);
  const bearer = { authorization: `Bearer ${await api.token('alice')}` };
  assert.equal((await api.get('/me', { headers: bearer })).status, 200);
  for (const options of [{ user: 'alice' }, { token: 'guess' }]) {
    await assert.rejects(
      api.get('/me', { headers: bearer, ...options }),
      /headers has authorization: leave it out, or user, scope, claims and token/);
  }
  await api.close();
});

test('fields of a token', async () => {
  const api = await gateway(API, { api: 'Orders', token: { user: 'carol', scope: 'read:orders' } });
  const decision = async (target, options) => (await api.get(target, options)).decision();
  assert.equal((await api.get('/orders')).status, 401);
  assert.equal((await decision('/orders', { token: {} })).user, 'carol');
  assert.equal((await decision('/me', { token: { user: 'alice', audience: 'other' } })).reason, 'wrongAudience');
  assert.equal((await decision('/orders', { user: 'bob', token: { user: 'alice' } })).user, 'alice');
  assert.equal((await decision('/orders', { token: { scope: undefined } })).reason, 'insufficientScope');
  assert.equal((await api.get('/orders', { user: 'alice', scope: ['read:orders', 'more'] })).status, 200);
  assert.equal((await api.get('/orders', { token: await api.token('alice', { scope: ['read:orders'] }) })).status, 200);
  await api.close();
});

test('the stage of SAM is no choice', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'stage-'));
  fs.writeFileSync(path.join(folder, 'template.yaml'), oneAPI);
  const api = await gateway(path.join(folder, 'template.yaml'));
  const stage = async (options) => (await (await api.get('/me', options)).decision()).stage;
  assert.deepEqual([await stage(), await stage({ api: 'Api/Stage' })], ['prod', 'Stage']);
  await api.close();
  fs.rmSync(folder, { recursive: true });
});

test('a failure shows the log', async () => {
  const ends = [];
  const bodies = [];
  const own = fixture({ test: (name, body) => bodies.push(body), after: (end) => ends.push(end) }, API, { api: 'Orders' });
  own('fails', async (api) => assert.equal((await api.get('/orders', { user: 'alice' })).status, 200));
  await assert.rejects(bodies[0](), /log of authorizer-local:\n.*GET \/orders.*status=403.*reason=insufficientScope/);
  await ends[0]();
});

test('a fixture passes options and kinds of tests to its runner', async () => {
  const calls = [];
  const run = (kind) => (...args) => calls.push([kind, ...args.map((arg) => (typeof arg === 'function' ? 'body' : arg))]);
  const own = fixture({ test: Object.assign(run('test'), { skip: run('skip'), only: run('only'), todo: run('todo') }), afterAll() {} }, API);
  own('a', { timeout: 1 }, () => {});
  own('b', () => {}, 1);
  own.skip('c', () => {});
  own.only('d', { concurrency: 2 }, () => {});
  own.todo('e');
  assert.deepEqual(calls, [
    ['test', 'a', { timeout: 1 }, 'body'], ['test', 'b', 'body', 1], ['skip', 'c', 'body'],
    ['only', 'd', { concurrency: 2 }, 'body'], ['todo', 'e'],
  ]);
});

test('a fixture without the end of a file', () => {
  for (const runner of [{ test }, undefined]) assert.throws(() => fixture(runner, API), /fixture needs test, and after or afterAll/);
});

test('without the package of the tool', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'alone-'));
  const own = path.dirname(createRequire(import.meta.url).resolve('authorizer-local'));
  for (const name of ['package.json', 'process.js', 'bin.js']) fs.copyFileSync(path.join(own, name), path.join(folder, name));
  const { status, stderr } = spawnSync(process.execPath, [path.join(folder, 'bin.js')], { encoding: 'utf8' });
  assert.equal(status, 69);
  assert.match(stderr, new RegExp(`npm install --save-dev \\./authorizer-local-linux-${process.arch}-\\d.*\\.tgz`));
  fs.rmSync(folder, { recursive: true });
});

test('with a tool that does not start', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'broken-'));
  const own = path.dirname(createRequire(import.meta.url).resolve('authorizer-local'));
  for (const name of ['package.json', 'process.js', 'bin.js']) fs.copyFileSync(path.join(own, name), path.join(folder, name));
  const tool = path.join(folder, 'node_modules', '@authorizer-local', `linux-${process.arch}`);
  fs.mkdirSync(path.join(tool, 'bin'), { recursive: true });
  fs.writeFileSync(path.join(tool, 'package.json'), '{}');
  fs.writeFileSync(path.join(tool, 'bin', 'authorizer-local'), '');
  const { status, stderr } = spawnSync(process.execPath, [path.join(folder, 'bin.js')], { encoding: 'utf8' });
  assert.equal(status, 69);
  assert.match(stderr, /^error: .*authorizer-local cannot be started: .*EACCES\nhint: .*\n$/);
  fs.rmSync(folder, { recursive: true });
});
