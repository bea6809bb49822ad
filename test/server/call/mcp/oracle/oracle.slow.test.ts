import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recognise } from '../../../../../server/call/mcp/recognise.ts';
import { findTool } from '../../../../support/fuller-checks.ts';
import { type ClientMode, connectClient } from '../../../../support/mcp-client.ts';
import { numRuns } from '../../../../support/num-runs.ts';
import { anyRequest, everyChangeOf } from './changes.ts';
import { type Draft, EVERYDAY, FULL, OTHERS, toSent } from './messages.ts';
import { type Answered, type Pair, type Sent, startPair } from './pair.ts';
import { type ClientRecorder, startClientRecorder } from './recorder.ts';

const INSPECTOR = findTool('@modelcontextprotocol/inspector/clients/launcher/build/index.js');

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
});
afterAll(() => pair.close());

const titled = (drafts: readonly Draft[]) => drafts.map((draft) => [toSent(draft).body, toSent(draft)] as const);

/** Except the members of `DIFFERENCES`. */
function comparable({ status, headers, body }: Answered): unknown {
  const { vary, 'content-encoding': coding, ...others } = headers;
  return { status, headers: others, body };
}

async function expectTheSame(sent: Sent): Promise<void> {
  const { fast, sdk } = await pair.ask(sent);
  expect(comparable(fast), `${JSON.stringify(sent.headers)} ${sent.body}`).toEqual(comparable(sdk));
}

const isRecognised = ({ method, headers, body }: Sent): boolean =>
  method === 'POST' && recognise(Object.fromEntries(headers), JSON.parse(body)) !== null;

describe('the fast path', () => {
  it.each(titled(EVERYDAY))('recognises %s', (_title, sent) => {
    expect(isRecognised(sent)).toBe(true);
  });

  it.each(titled([...EVERYDAY, ...OTHERS]))('answers as the SDK does: %s', async (_title, sent) => {
    await expectTheSame(sent);
  });

  it.each(titled(FULL))(
    'answers as the SDK does, with any member or header of %s changed',
    async (_title, sent) => {
      const [draft] = FULL.filter((full) => toSent(full).body === sent.body);
      for (const changed of everyChangeOf(draft!)) await expectTheSame(changed);
    },
    120_000,
  );

  it('answers any drawn request as the SDK does', { timeout: 120_000 }, async () => {
    await fc.assert(fc.asyncProperty(anyRequest, expectTheSame), { numRuns: numRuns(500) });
  });
});

describe('requests of official clients', () => {
  let recorder: ClientRecorder;
  beforeAll(async () => {
    recorder = await startClientRecorder(pair.fast.url);
  });
  afterAll(() => recorder.close());

  async function expectRecorded(rare: readonly RegExp[]): Promise<void> {
    const sent = recorder.sent.splice(0);
    expect(sent.length).toBeGreaterThan(1);
    for (const message of sent) {
      await expectTheSame(message);
      const isRare = message.method !== 'POST' || rare.some((pattern) => pattern.test(message.body));
      expect(isRecognised(message), `${JSON.stringify(message.headers)} ${message.body}`).toBe(!isRare);
    }
  }

  const CALL = { name: 'library_echo', arguments: { text: 'Grüße' } };

  it('are recognised and answered alike: the v1 client', async () => {
    const client = new ClientV1({ name: 'v1', version: '1.0.0' }, { capabilities: { elicitation: {}, roots: {} } });
    await client.connect(new TransportV1(new URL(recorder.url)) as never);
    await client.ping();
    await client.listTools();
    await client.callTool(CALL, undefined, { onprogress: () => undefined });
    await client.callTool({ name: 'library_fails' });
    await expect(client.callTool({ name: 'library_nope' })).rejects.toThrow('Unknown tool');
    await expect(client.listPrompts()).rejects.toThrow();
    await client.close();
    await expectRecorded([/"prompts\/list"/]);
  });

  it.each<[ClientMode]>([['legacy'], ['auto'], ['2026-07-28']])(
    'are recognised and answered alike: the v2 client in mode %s',
    async (mode) => {
      const client = await connectClient({ url: recorder.url, token: 'ada', mode });
      await client.listTools();
      await client.callTool(CALL, { onprogress: () => undefined });
      await expect(client.callTool({ name: 'library_nope' })).rejects.toThrow('Unknown tool');
      await client.close();
      await expectRecorded([]);
    },
  );

  it.skipIf(INSPECTOR === null).each([['legacy'], ['modern']])(
    'are recognised and answered alike: the Inspector, era %s',
    async (era) => {
      const common = [INSPECTOR ?? '', '--cli', recorder.url, '--transport', 'http', '--protocol-era', era];
      const call = ['--method', 'tools/call', '--tool-name', CALL.name, '--tool-args-json', '{"text":"x"}'];
      await promisify(execFile)(process.execPath, [...common, '--method', 'tools/list']);
      await promisify(execFile)(process.execPath, [...common, ...call]);
      await expectRecorded([]);
    },
    60_000,
  );
});

interface Difference {
  readonly title: string;
  readonly reason: string;
  readonly sent: Sent;
  /** The members of an answer that differ. */
  readonly of: (answer: Answered) => unknown;
  readonly fast: unknown;
  readonly sdk: unknown;
}

const legacyCall = (name: string): Sent => ({
  method: 'POST',
  headers: [['content-type', 'application/json']],
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } }),
});
const LIST: Sent = {
  method: 'POST',
  headers: [['content-type', 'application/json']],
  body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
};

const DIFFERENCES: readonly Difference[] = [
  {
    title: 'an answer tells its length',
    reason: 'it is written in one piece',
    sent: legacyCall('library_fails'),
    of: ({ length, text }) => length === String(Buffer.byteLength(text)),
    fast: true,
    sdk: false,
  },
  {
    title: 'a list depends on Accept-Encoding',
    reason: 'it is compressed for clients that can read that',
    sent: LIST,
    of: ({ headers }) => headers.vary,
    fast: 'Origin, Accept-Encoding',
    sdk: 'Origin',
  },
  {
    title: 'the members of an answer stand in another order',
    reason: 'JSON gives them none, and people look for the id first',
    sent: legacyCall('library_fails'),
    of: ({ text }) => text.startsWith('{"jsonrpc":"2.0","id":1,'),
    fast: true,
    sdk: false,
  },
  {
    title: 'a result keeps members that the specification does not know',
    reason: 'the provider makes results, and its own tests hold their shape',
    sent: legacyCall('library_odd'),
    of: ({ text }) => text.includes('x.example/more'),
    fast: true,
    sdk: false,
  },
  {
    title: 'a result that is none is sent',
    reason: 'the same: results are not checked once more on their way out',
    sent: legacyCall('library_invalid'),
    of: ({ body }) => Object.keys(body as object).includes('result'),
    fast: true,
    sdk: false,
  },
];

describe('differences of the fast path from the SDK', () => {
  it.each(DIFFERENCES.map((difference) => [difference.title, difference.reason, difference] as const))(
    '%s, because %s',
    async (_title, _reason, { sent, of, fast, sdk }) => {
      const answers = await pair.ask(sent);
      expect({ fast: of(answers.fast), sdk: of(answers.sdk) }).toEqual({ fast, sdk });
    },
  );
});
