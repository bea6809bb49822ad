import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildEnvironment } from '../../../sandbox/connector-rules.ts';
import { loadDescriptor } from '../../../sandbox/descriptor/load.ts';
import type { OpenSandbox } from '../../../sandbox/index.ts';
import { startSandbox } from '../../../sandbox/start.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { connectClient } from '../../support/mcp-client.ts';
import { numRuns } from '../../support/num-runs.ts';
import { findFailure } from '../contract/failure.ts';
import { loadSentAs, type SentAs } from '../contract/sent-as.ts';
import { DESCRIPTOR, type Forms, generateForms } from './forms.ts';

const seed = Number(process.env.CONTRACT_SEED ?? 2026);
const runs = Number(process.env.CONTRACT_RUNS ?? numRuns(25));

const forms: Forms = await generateForms();
const tools = forms.connector.tools.map((tool) => ({ name: tool.name, tool }));

let sandbox: OpenSandbox;
let gateway: RunningGateway;
let client: Client;
let sentAs: ReadonlyMap<string, SentAs>;

beforeAll(async () => {
  const document = await loadDescriptor(DESCRIPTOR);
  const started = await startSandbox({ services: [{ name: 'forms', document }], credential: 'sandbox-key' });
  const env = buildEnvironment(forms.connector, started.origin);
  sandbox = Object.assign(started, { environment: { forms: env } });
  gateway = await startGateway({ connectors: [forms.connector], env, secretOf: () => 'sandbox-key' });
  client = await connectClient(gateway);
  await client.listTools();
  sentAs = loadSentAs(path.join(forms.root, 'generated'), 'forms');
});
afterAll(async () => {
  await client?.close();
  await gateway?.close();
  await sandbox?.close();
  await forms.close();
});

describe('drawn arguments arrive as given', () => {
  test.each(tools)('$name', { timeout: 20_000 + runs * 1000 }, async ({ name, tool }) => {
    const failure = await findFailure({
      tool,
      service: 'forms',
      sentAs: sentAs.get(name)!,
      client,
      sandbox,
      seed,
      runs,
    });
    expect(failure).toBeNull();
  });
});

describe('a value that its parameter cannot carry', () => {
  test.each<[tool: string, args: Record<string, unknown>, want: string]>([
    ['header_text', { xColor: 'a\r\nX-Admin: 1' }, '"xColor" cannot be the header "X-Color": it holds a line break.'],
    ['header_text', { xColor: 'a\u0001' }, '"xColor" cannot be the header "X-Color": it holds a control character.'],
    ['header_array', { xColor: ['a\nb'] }, '"xColor" cannot be the header "X-Color": it holds a line break.'],
    [
      'header_array',
      { xColor: ['a,b'] },
      '"xColor" cannot be the header "X-Color": a comma would split an element in two.',
    ],
    [
      'header_plain_text',
      { xColor: '中' },
      '"xColor" cannot be the header "X-Color": it holds a character beyond Latin-1.',
    ],
    ['cookie_plain_text', { color: 'a; b=c' }, '"color" cannot be the cookie "color": it holds a semicolon,'],
    [
      'cookie_text',
      { color: '\ud800' },
      '"color" cannot be the cookie "color": it holds half of a surrogate pair, which is no text.',
    ],
    [
      'path_label_exploded_array',
      { color: ['', ''] },
      '"color" cannot be the path parameter "color": it would put ".." between two slashes of the path.',
    ],
    ['path_label_text', { color: '.' }, '"color" becomes part of a path and must not be ".".'],
    ['path_simple_object', { color: {} }, '"color" must have at least 1 members (it has 0).'],
    [
      'query_pipe_delimited_array',
      { color: ['a|b'] },
      '"color" cannot be the query parameter "color": a vertical bar would split an element in two.',
    ],
    [
      'query_form_exploded_object',
      { color: { size: '1' } },
      '"color" cannot be the query parameter "color": its member "size" would be sent as a part of the parameter size.',
    ],
  ])('%s %j is an error that the model reads, and nothing is sent', async (name, args, want) => {
    sandbox.clearRequests();
    const { content, isError } = await client.callTool({ name: `forms_${name}`, arguments: args });
    expect(isError).toBe(true);
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    expect(text).toContain(want);
    expect(text).toContain('"code":"invalid_arguments"');
    expect(sandbox.requests()).toEqual([]);
  });
});
