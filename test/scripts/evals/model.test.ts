import { afterEach, describe, expect, test } from 'vitest';
import { createTokenCounter } from '../../../codegen/emit/tool-size.ts';
import { ChatModel, requireModelUrl } from '../../../scripts/evals/model.ts';
import { type ModelEndpoint, type ModelOptions, type Play, startModel } from '../../evals/scripted-model.ts';

const KEY = 'sk-never-print-this';
const ASK = [
  { role: 'system', content: 'Answer.' },
  { role: 'user', content: 'How many?' },
];
const count = await createTokenCounter();
let endpoint: ModelEndpoint | null = null;
afterEach(() => endpoint?.close());

function* just(): Play {
  yield* [];
  return null;
}

/** A model that answers at once. */
async function open(options: Partial<ModelOptions>, maxTokens = 100_000, stop = new AbortController()) {
  endpoint = await startModel({ play: just, ...options });
  const settings = { url: endpoint.url, model: 'm', key: KEY, maxTokens, count, signal: stop.signal, firstWaitMs: 10 };
  const model = new ChatModel(settings, 0);
  return { model, endpoint, complete: () => model.complete(ASK, []) };
}

const NOW = { 'Retry-After': '0' };

describe('a model behind an endpoint', () => {
  test('is asked again after 429 and 503, when the endpoint says', async () => {
    const { complete, endpoint } = await open({
      first: [{ status: 429, headers: NOW }, { status: 503, headers: NOW }, null],
    });
    expect((await complete()).tool_calls).toHaveLength(1);
    expect(endpoint.asked).toHaveLength(3);
    expect(endpoint.authorization()).toBe(`Bearer ${KEY}`);
  });

  test('is given up after five attempts', async () => {
    const { complete, endpoint } = await open({ first: Array(9).fill({ status: 503, headers: NOW }) });
    await expect(complete()).rejects.toThrow('The model endpoint answers 503.');
    expect(endpoint.asked).toHaveLength(5);
  });

  test('is not waited for when the endpoint asks for more than a minute', async () => {
    const { complete, endpoint } = await open({ first: [{ status: 429, headers: { 'Retry-After': '3600' } }] });
    await expect(complete()).rejects.toThrow('The model endpoint answers 429.');
    expect(endpoint.asked).toHaveLength(1);
  });

  test('understands a date in Retry-After', async () => {
    const past = new Date(Date.now() - 5000).toUTCString();
    const { complete, endpoint } = await open({ first: [{ status: 429, headers: { 'Retry-After': past } }] });
    await complete();
    expect(endpoint.asked).toHaveLength(2);
  });

  test('is not asked again after a refusal, whose text is printed without the key', async () => {
    const body = JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}.` } });
    const { complete, endpoint } = await open({ first: [{ status: 401, body }] });
    await expect(complete()).rejects.toThrow('The model endpoint answers 401: Incorrect API key provided: ***.');
    expect(endpoint.asked).toHaveLength(1);
  });

  test('does not follow a redirect, which would give the key to another host', async () => {
    const other = await startModel({ play: just });
    const { complete } = await open({
      first: [{ status: 307, headers: { Location: `${other.url}/chat/completions` } }],
    });
    await expect(complete()).rejects.toThrow('The model endpoint answers 307.');
    expect(other.asked).toHaveLength(0);
    await other.close();
  });

  test.each([['hello'], ['{"choices":[]}'], ['{"choices":[{"message":{"tool_calls":[{"id":1}]}}]}']])(
    'refuses %s as a completion',
    async (body) => {
      const { complete } = await open({ first: [{ status: 200, body }] });
      await expect(complete()).rejects.toThrow('The model endpoint answered with no chat completion.');
    },
  );

  test('counts what the endpoint says that it used, and else what was sent and said', async () => {
    const told = await open({ usage: { prompt_tokens: 700, completion_tokens: 30 } });
    await told.complete();
    expect(told.model.spent).toBe(730);
    await told.endpoint.close();
    const silent = await open({});
    await silent.complete();
    expect(silent.model.spent).toBeGreaterThan(count(ASK[0]) + count(ASK[1]));
    expect(silent.model.spent).toBeLessThan(150);
  });

  test('counts a request as read that got no answer', async () => {
    const { complete, model } = await open({
      first: [{ status: 0 }],
      usage: { prompt_tokens: 100, completion_tokens: 0 },
    });
    await complete();
    expect(model.spent).toBe(100 + count(ASK[0]) + count(ASK[1]));
  });

  test('is not sent what could pass the bound, by its own measure of tokens', async () => {
    const none = await open({}, 8_000);
    await expect(none.complete()).rejects.toThrow('(--max-tokens)');
    expect(none.endpoint.asked).toHaveLength(0);
    await none.endpoint.close();
    const { complete, endpoint, model } = await open(
      { usage: { prompt_tokens: 2_000, completion_tokens: 10 } },
      12_000,
    );
    await complete();
    await expect(complete()).rejects.toThrow('(--max-tokens)');
    expect(endpoint.asked).toHaveLength(1);
    expect(model.spent).toBeLessThan(12_000);
  });

  test('stops waiting when it is stopped', async () => {
    const stop = new AbortController();
    const { complete } = await open({ first: [{ status: 429, headers: { 'Retry-After': '50' } }] }, 100_000, stop);
    setTimeout(() => stop.abort(), 50);
    await expect(complete()).rejects.toThrow('aborted');
  });
});

test.each([
  ['https://api.example.com/v1/', 'https://api.example.com/v1'],
  ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1'],
  ['http://[::1]:80/v1', 'http://[::1]/v1'],
])('takes %s as the base URL of an endpoint', (given, want) => expect(requireModelUrl(given)).toBe(want));

test.each([
  ['http://api.example.com/v1', 'an https URL'],
  ['http://127.0.0.1.example.com/v1', 'an https URL'],
  ['ftp://127.0.0.1/v1', 'an https URL'],
  ['api.example.com', 'an https URL'],
  [`https://user:${KEY}@api.example.com`, 'no user'],
  [`https://api.example.com/v1?key=${KEY}`, 'no user'],
])('refuses %s as the base URL of an endpoint, and does not repeat it', (given, why) => {
  expect(() => requireModelUrl(given)).toThrow(why);
  expect(() => requireModelUrl(given)).not.toThrow(KEY);
});
