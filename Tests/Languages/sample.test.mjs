// Ten tests of an API with node:test: `make check-clients` runs this file and the next one at the same time.
import assert from 'node:assert/strict';
import { test as run, after } from 'node:test';
import { fixture } from 'authorizer-local';

const test = fixture({ test: run, after }, new URL('api', import.meta.url).pathname, { api: 'Orders' });

test('a user is allowed', async (api) => {
  const answer = await api.get('/me', { user: 'alice' });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['x-backend'], 'echo');
  assert.equal((await answer.decision()).outcome, 'allowed');
});

test('a scope is enough', async (api) => {
  const answer = await api.get('/orders', { user: 'alice', scope: 'read:orders' });
  assert.equal(answer.status, 200);
  assert.deepEqual((await answer.decision()).rule.require, { scopes: ['read:orders'] });
});

test('a claim is enough', async (api) => {
  const answer = await api.post('/orders', { user: 'alice', claims: { plan: 'gold' }, json: { item: 1 } });
  assert.equal(answer.status, 200);
  assert.equal(answer.json().event.body, '{"item":1}');
});

test('without a token', async (api) => {
  const answer = await api.get('/me');
  assert.equal(answer.status, 401);
  assert.deepEqual(answer.json(), { message: 'Unauthorized' });
});

test('with another token', async (api) => {
  const answer = await api.get('/me', { token: 'guess' });
  assert.equal(answer.status, 401);
  assert.equal((await answer.decision()).reason, 'malformedToken');
});

test('without the scope', async (api) => {
  const answer = await api.get('/orders', { user: 'alice' });
  const { reason, why } = await answer.decision();
  assert.equal(answer.status, 403);
  assert.equal(reason, 'insufficientScope');
  assert.match(why, /read:orders/);
  assert.match(await answer.log(), /reason=insufficientScope/);
});

test('with another claim', async (api) => {
  await api.post('/orders', { user: 'alice', claims: { plan: 'free' } });
  assert.equal(api.last.status, 403);
  assert.equal((await api.last.decision()).reason, 'claimNotAllowed');
});

test('a token expires', async (api) => {
  const token = await api.token('alice');
  assert.equal((await api.get('/me', { token })).status, 200);
  await api.moveClock('+25h');
  const answer = await api.get('/me', { token });
  assert.equal(answer.status, 401);
  assert.equal((await answer.decision()).reason, 'expired');
});

test('answers are cached', async (api) => {
  const token = await api.token('alice');
  const cached = async () => (await (await api.get('/me', { token })).decision()).cached;
  assert.deepEqual([await cached(), await cached()], [false, true]);
  assert.equal(await api.flushCache(), 1);
  assert.equal(await cached(), false);
  await api.moveClock('+301s');
  assert.equal(await cached(), false);
});

test('another API', async (api) => {
  const answer = await api.get('/me', { user: 'bob', api: 'Users' });
  const { stage, user } = await answer.decision();
  assert.deepEqual([answer.status, stage, user], [200, 'prod', 'bob']);
  assert.equal((await api.get('/me', { api: 'Users/prod' })).status, 401);
});
