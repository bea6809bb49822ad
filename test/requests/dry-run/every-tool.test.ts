import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordedRequest } from '../../../sandbox/request-log.ts';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import { exampleArguments } from '../../support/example-arguments.ts';
import { someOf } from '../../support/some-of.ts';
import { CREDENTIAL, type DryRunAnswer, type DryRunSetting, startDryRuns } from './setting.ts';

const connectors = await loadConnectors();
const most = Math.max(...connectors.map(({ tools }) => tools.length));
const ofEachInTurn = Array.from({ length: most }, (_, at) =>
  connectors.flatMap(({ tools }) => tools.slice(at, at + 1)),
);
const tools = someOf(
  ofEachInTurn.flat().map((tool) => ({ name: tool.name, tool })),
  15,
);

let setting: DryRunSetting;
beforeAll(async () => {
  setting = await startDryRuns(connectors);
});
afterAll(async () => {
  await setting?.close();
});

/** What HTTP itself adds to a request. */
const OF_HTTP = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

type Shown = DryRunAnswer['body']['request'];

const boundaryOf = (mediaType = '') => /boundary=(\S+)/.exec(mediaType)?.[1] ?? 'none';

/** The request as a dry run shows it; boundaries and idempotency keys are those of one call. */
function asShown({ method, url, headers, bytes, body }: RecordedRequest, like: Shown, keyHeader: string | undefined) {
  const own = Object.entries(headers).filter(([name]) => !OF_HTTP.has(name));
  const swap = (text: string) =>
    text.replaceAll(boundaryOf(headers['content-type']), boundaryOf(like.headers['content-type']));
  const shown = own.map(([name, value]) => {
    if (value.includes(CREDENTIAL)) return [name, '(credential)'];
    return [name, name === keyHeader?.toLowerCase() ? '(new for each call)' : swap(value)];
  });
  const isEmpty = bytes.byteLength === 0 && headers['content-type'] === undefined;
  const text = like.body?.text === null ? null : swap(body);
  const shownBody = { media_type: swap(headers['content-type'] ?? '') || null, bytes: bytes.byteLength, text };
  return {
    method,
    url: new URL(like.url).origin + url,
    headers: Object.fromEntries(shown),
    body: isEmpty ? null : shownBody,
  };
}

describe('a dry run shows what the sandbox receives of the same call', () => {
  test.each(tools)('$name', { timeout: 20_000 }, async ({ name, tool }) => {
    for (const which of tool.find === undefined ? (['required', 'all'] as const) : (['required'] as const)) {
      const { clear: _, ...given } = exampleArguments(tool, which);
      const args = tool.find === undefined ? given : { ...given, key: 'Ada' };
      setting.sandbox.clearRequests();
      const { status, body } = await setting.dryRun(name, { arguments: args });
      expect([status, body.result, setting.sandbox.requests()]).toEqual([200, null, []]);
      await setting.client.callTool({ name, arguments: args });
      const [received] = setting.sandbox.requests();
      expect(body.request).toEqual(asShown(received!, body.request, tool.idempotency?.header));
      expect(Object.values(body.request.headers)).toContain('(credential)');
    }
  });
});
