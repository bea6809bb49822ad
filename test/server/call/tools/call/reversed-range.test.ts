import { describe, expect, it } from 'vitest';
import type { Tool } from '../../../../../server/contract/index.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';
import { startHost } from '../../upstream/support.ts';
import { createFixture, textOf } from '../support.ts';

const open = closeAfterEach();

const NAMES = ['startingOn', 'endingBefore', 'dateGte', 'dateLte', 'created_after', 'created_before', 'updated_after'];

async function answerTo(args: Record<string, unknown>, data: unknown[] = []): Promise<string> {
  const text = Object.fromEntries(NAMES.map((name) => [name, { type: 'string' }]));
  const numbers = { startIndex: { type: 'integer' }, endIndex: { type: 'integer' } };
  const tool: Tool = fakeTool({
    name: 'library_list',
    input: { properties: { cursor: { type: 'string' }, ...text, ...numbers } },
    more: { page: { argument: 'cursor', next: '/next', queryParameter: null, more: null, items: '/data' } },
  });
  const host = await startHost((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data, next: null }));
  });
  const fixture = createFixture({ tools: [tool], origin: host.origin });
  open.push(host, fixture);
  return textOf(await fixture.call('library_list', args));
}

describe('an empty list', () => {
  it.each<[Record<string, unknown>, string]>([
    [
      { startingOn: '2026-04-01T00:00:00Z', endingBefore: '2026-01-01T00:00:00Z' },
      '"startingOn" is after "endingBefore"',
    ],
    [{ dateGte: '2026-04-01', dateLte: '2026-01-01' }, '"dateGte" is after "dateLte"'],
    [{ created_after: '2026-04-01', created_before: '2026-01-01' }, '"created_after" is after "created_before"'],
    [{ startIndex: 9, endIndex: 3 }, '"startIndex" is after "endIndex"'],
  ])('of %j says that the range is reversed', async (args, want) => {
    expect(await answerTo(args)).toContain(`${want}, so nothing lies between them: exchange them.`);
  });

  it.each<Record<string, unknown>>([
    { dateGte: '2026-01-01', dateLte: '2026-01-01' },
    { dateGte: '2026-01-01T00:00:00+02:00', dateLte: '2025-12-31T23:00:00Z' },
    { updated_after: '2026-04-01', created_before: '2026-01-01' },
    { dateGte: 'tomorrow', dateLte: 'today' },
    { dateGte: '2026-01-01' },
  ])('of %j says nothing about a range', async (args) => {
    expect(await answerTo(args)).not.toContain('is after');
  });
});

it('a list with records says nothing about a reversed range', async () => {
  expect(await answerTo({ dateGte: '2026-04-01', dateLte: '2026-01-01' }, [{ id: 1 }])).not.toContain('is after');
});
