import { resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openSandbox } from '../../../../sandbox/index.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { IS_QUICK, numRuns } from '../../../support/num-runs.ts';

vi.setConfig({ testTimeout: 300_000 });

const SECRET = 'sandbox-key';
const BRAND = '0c6d2f4e-5b1a-4e83-9d70-3a8f6b2c1e95';
const LISTS = '/v1/brands/{brand_id}/lists';
const CONTACTS = '/v1/brands/{brand_id}/contacts';

let sandbox: Awaited<ReturnType<typeof openSandbox>>;
let gateway: RunningGateway;
beforeAll(async () => {
  const root = resolve(import.meta.dirname, '../../../..');
  sandbox = await openSandbox({ root, services: ['mailer', 'retrieval'], credential: SECRET, world: 20 });
  const connectors = (await loadConnectors())
    .filter(({ name }) => ['mailer', 'retrieval'].includes(name))
    .map(({ caps: _, ...connector }) => connector);
  const env = { UNDO: 'on', ...sandbox.environment.mailer, ...sandbox.environment.retrieval };
  gateway = await startGateway({ connectors, env, secretOf: () => SECRET });
});
afterAll(async () => {
  await gateway.close();
  await sandbox.close();
});

interface Answer {
  readonly content: readonly { readonly text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: the tests inspect raw answers
  readonly structuredContent?: any;
  readonly isError?: boolean;
}

const call = async (name: string, args: object = {}): Promise<Answer> => {
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${gateway.token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  return ((await response.json()) as { result: Answer }).result;
};
const handleIn = ({ content }: Answer) =>
  content.flatMap(({ text }) => /undo_call \{"undo":"(undo_[\w-]{22})"\}$/.exec(text)?.[1] ?? [])[0];

const world = (service: string) => sandbox.services.get(service)!.world!;
const withoutNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, member) => (member === null ? undefined : member)));
type RecordOf = Record<string, unknown>;
const without = (names: readonly string[]) => (record: RecordOf) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
/** What an undo restores: all but ids, times and counts of the upstream. A limit that is null is none. */
const snapshot = () =>
  withoutNulls({
    lists: world('mailer')
      .records(LISTS)
      .map(without(['created'])),
    contacts: world('mailer')
      .records(CONTACTS)
      .map(without(['id', 'created', 'num_soft_bounces', 'num_hard_bounces', 'num_complaints']))
      .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    documents: world('retrieval')
      .records('/documents')
      .map(without(['updated_at'])),
    partitions: world('retrieval')
      .records('/partitions')
      .map(without(['updated_at'])),
  });

const text = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 }).filter((one) => one.trim() === one);
const some = fc.nat();
const op = fc.option(fc.constantFrom('add', 'remove', 'replace'), { nil: undefined });
const fieldValues = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('FIRST_NAME', 'LAST_NAME', 'COMPANY', 'NICK'), string: text }),
  { maxLength: 3, selector: ({ name }) => name },
);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

type Write = (pick: (list: string, index: number) => RecordOf) => readonly [tool: string, args: object];
const WRITES: fc.Arbitrary<Write> = fc.oneof(
  text.map(
    (name): Write =>
      () => ['mailer_create_list', { brandId: BRAND, name }],
  ),
  fc.tuple(some, text).map(
    ([at, name]): Write =>
      (pick) => ['mailer_update_list', { brandId: BRAND, listId: pick(LISTS, at).id, name }],
  ),
  fc.tuple(some, optional(fieldValues), optional(fc.boolean())).map(
    ([at, values, unsubscribeAll]): Write =>
      () => [
        'mailer_create_contact',
        { brandId: BRAND, email: `new${at % 1000}@undo.example`, fieldValues: values, unsubscribeAll },
      ],
  ),
  fc.tuple(some, some, op, op, optional(fieldValues), optional(fc.boolean()), optional(some)).map(
    ([at, list, listIdsOp, fieldValuesOp, values, unsubscribeAll, email]): Write =>
      (pick) => [
        'mailer_update_contact',
        {
          brandId: BRAND,
          contactId: at % 2 ? pick(CONTACTS, at).id : pick(CONTACTS, at).email,
          ...(listIdsOp === undefined ? {} : { listIds: [pick(LISTS, list).id], listIdsOp }),
          ...{ fieldValues: values, fieldValuesOp: values && fieldValuesOp, unsubscribeAll },
          ...(email === undefined ? {} : { email: `moved${email % 1000}@undo.example` }),
        },
      ],
  ),
  some.map(
    (at): Write =>
      (pick) => ['mailer_delete_contact', { brandId: BRAND, contactId: pick(CONTACTS, at).id }],
  ),
  text.map(
    (data): Write =>
      () => ['retrieval_create_document_raw', { data, metadata: { by: data } }],
  ),
  fc
    .tuple(
      some,
      fc.dictionary(
        fc.constantFrom('company', 'year', 'a/b~c', 'draft'),
        fc.oneof(text, fc.constant(null), fc.integer()),
        {
          minKeys: 1,
        },
      ),
    )
    .map(
      ([at, metadata]): Write =>
        (pick) => ['retrieval_patch_document_metadata', { documentId: pick('/documents', at).id, metadata }],
    ),
  fc.tuple(some, optional(text), optional(fc.constant(['description']))).map(
    ([at, description, clear]): Write =>
      (pick) => [
        'retrieval_update_partition',
        {
          partitionId: pick('/partitions', at).name,
          description,
          contextAware: true,
          clear: description ? undefined : clear,
        },
      ],
  ),
  fc.tuple(some, fc.nat(50)).map(
    ([at, most]): Write =>
      (pick) => [
        'retrieval_set_partition_limits',
        { partitionId: pick('/partitions', at).name, pagesHostedLimitMax: most, clear: ['mediaHostedLimitMax'] },
      ],
  ),
);

const recordsOf = (list: string) =>
  world(list.startsWith('/v1') ? 'mailer' : 'retrieval')
    .records(list)
    .filter((record) => record.brand_id === undefined || record.brand_id === BRAND);
const pick = (list: string, index: number): RecordOf => {
  const records = recordsOf(list);
  return records[index % records.length]!;
};
const contactOf = ({ contactId }: RecordOf) =>
  recordsOf(CONTACTS).find(({ id, email }) => id === contactId || email === contactId)?.id;

test('undoing random writes in reverse order restores the world, but for what is named', async () => {
  const used = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(WRITES, { minLength: 1, maxLength: 6 }), async (writes) => {
      const before = snapshot();
      const handles: [string, string][] = [];
      const touched = new Set<unknown>();
      for (const write of writes) {
        const [tool, args] = write(pick);
        const id = contactOf(args as RecordOf);
        if (tool === 'mailer_delete_contact' && touched.has(id)) continue;
        touched.add(id);
        const unwritten = snapshot();
        const answer = await call(tool, JSON.parse(JSON.stringify(args)));
        const handle = handleIn(answer);
        if (tool === 'mailer_create_contact') touched.add(answer.structuredContent?.id);
        if (handle === undefined) expect([tool, args, answer, snapshot()]).toEqual([tool, args, answer, unwritten]);
        else handles.push([handle, tool]);
      }
      for (const [handle, tool] of handles.toReversed()) {
        const answer = await call('undo_call', { undo: handle });
        expect([tool, answer.isError, answer.content.at(-1)?.text]).toEqual([
          tool,
          undefined,
          expect.stringMatching(/^Undone\./),
        ]);
        used.add(tool);
      }
      expect(snapshot()).toEqual(before);
    }),
    { numRuns: numRuns(60), endOnFailure: true },
  );
  if (!IS_QUICK) expect(used.size).toBe(9);
});
