import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildEnvironment } from '../../../sandbox/connector-rules.ts';
import { loadDescriptor } from '../../../sandbox/descriptor/load.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/start.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { connectClient } from '../../support/mcp-client.ts';
import { type Forms, generateForms } from './forms.ts';

const DESCRIPTOR = path.join(import.meta.dirname, 'cookie-credential.yaml');
const SECRET = 'raw+secret/with==';

let forms: Forms;
let sandbox: Sandbox;

beforeAll(async () => {
  forms = await generateForms(DESCRIPTOR);
  const document = await loadDescriptor(DESCRIPTOR);
  sandbox = await startSandbox({ services: [{ name: 'forms', document }], credential: SECRET });
});
afterAll(async () => {
  await sandbox?.close();
  await forms?.close();
});

async function call(secret: string, args: Record<string, unknown>): Promise<{ isError: boolean; text: string }> {
  const env = buildEnvironment(forms.connector, sandbox.origin);
  const gateway: RunningGateway = await startGateway({ connectors: [forms.connector], env, secretOf: () => secret });
  const client = await connectClient(gateway);
  try {
    const { isError, content } = await client.callTool({ name: 'forms_list_notes', arguments: args });
    return { isError: isError === true, text: JSON.stringify(content) };
  } finally {
    await client.close();
    await gateway.close();
  }
}

describe('a credential that is a cookie', () => {
  test('is generated as a cookie, compiles, and is not an argument', () => {
    expect(forms.errors).toEqual([]);
    expect(forms.connector.credential.parts).toEqual([
      { id: 'session', type: 'cookie', label: 'API key', name: 'sid' },
    ]);
    expect(Object.keys(forms.connector.tools[0]?.inputSchema.properties ?? {})).toEqual(['theme', 'prefs']);
  });

  test('is sent unchanged, next to the cookies of the call and in place of a forged one', async () => {
    sandbox.clearRequests();
    const args = { theme: 'a;b', prefs: { sid: 'forged', size: '1' } };
    expect(await call(SECRET, args)).toMatchObject({ isError: false });
    expect(sandbox.requests().map(({ headers }) => headers.cookie)).toEqual([`theme=a%3Bb; size=1; sid=${SECRET}`]);
  });

  test('is refused by the service if it is wrong', async () => {
    const { isError, text } = await call('another', {});
    expect(isError).toBe(true);
    expect(text).toContain('refused_once');
  });
});
