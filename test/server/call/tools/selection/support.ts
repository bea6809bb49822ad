/** A list tool over records in memory: cursor pages, a page size, and a log of what was asked. */

import type { CompleteToolResult } from '../../../../../server/call/tools/provider.ts';
import type { UserToolsDependencies } from '../../../../../server/call/tools/user-tools.ts';
import type { Tool } from '../../../../../server/contract/index.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';
import { startHost } from '../../upstream/support.ts';
import { createFixture, type Fixture } from '../support.ts';

export type Item = Readonly<Record<string, unknown>>;

const MEMBERS = {
  id: { type: ['integer', 'null'] },
  name: {},
  email: {},
  emails: { items: {} },
  amount: { type: ['number', 'null'] },
  createdAt: {},
  type: {},
  owner: { properties: { name: {}, team: { properties: { label: {} } } } },
  fields: { items: { properties: { name: {}, value: { properties: { text: {} } } } } },
  data: { description: 'Anything.' },
};

/** Maximum of records on a page. */
const LARGEST = 10;

export const LIST: Tool = fakeTool({
  name: 'library_list',
  input: {
    properties: {
      cursor: { type: 'string' },
      limit: { type: 'integer', minimum: 1, maximum: LARGEST, default: 5 },
      where: { type: 'object' },
      fields: { type: 'array', items: { type: 'string' } },
      sort: { type: 'string' },
      aggregate: { type: 'object' },
      maxItems: { type: 'integer', minimum: 1, maximum: 1000 },
    },
  },
  output: {
    properties: {
      data: { items: { properties: MEMBERS } },
      next: {},
      page: { properties: { nextArguments: { additionalProperties: {} } } },
    },
  },
  more: {
    request: { query: { cursor: 'cursor', limit: 'limit' } },
    gatewayArguments: ['where', 'fields', 'sort', 'aggregate', 'maxItems'],
    page: { argument: 'cursor', next: '/next', queryParameter: null, more: null, items: '/data', size: 'limit' },
  },
});

export interface Asked {
  readonly cursor: number;
  readonly limit: number;
}

export interface Served extends Fixture {
  readonly asked: Asked[];
  list(args: Record<string, unknown>): Promise<CompleteToolResult>;
}

export interface ServeOptions {
  readonly tool?: Tool;
  /** Answers a request itself. Null: with the records. */
  readonly answer?: (asked: Asked) => readonly [status: number, body: unknown] | null;
  readonly changes?: Partial<UserToolsDependencies>;
}

export async function serveItems(items: readonly Item[], options: ServeOptions = {}): Promise<Served> {
  const { tool = LIST, answer = () => null, changes = {} } = options;
  const asked: Asked[] = [];
  const host = await startHost((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://host');
    const one = { cursor: Number(searchParams.get('cursor') ?? 0), limit: Number(searchParams.get('limit') ?? 5) };
    asked.push(one);
    const end = one.cursor + one.limit;
    const records = { data: items.slice(one.cursor, end), next: end < items.length ? String(end) : null };
    const [status, body] = answer(one) ?? [200, records];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const fixture = createFixture({ tools: [tool], origin: host.origin, changes });
  return {
    ...fixture,
    asked,
    list: (args) => fixture.call('library_list', args),
    close: async () => {
      await fixture.close();
      await host.close();
    },
  };
}

export function itemsOf({ structuredContent }: CompleteToolResult): readonly Item[] {
  return structuredContent?.data as readonly Item[];
}

export function idsOf(result: CompleteToolResult): unknown[] {
  return itemsOf(result).map(({ id }) => id);
}

export function nextOf({ structuredContent }: CompleteToolResult): Record<string, unknown> | null | undefined {
  return (structuredContent?.page as { nextArguments: Record<string, unknown> | null } | undefined)?.nextArguments;
}
