/** The file of requests, and whether one was answered rightly: what its expectation asks of the world is compared with what came back. */

import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import type { OpenSandbox } from '../../sandbox/index.ts';
import { UsageError } from '../../shared/cli/run.ts';
import { select, TEST_NAMES } from './select.ts';

/** The keys of which an expectation has exactly one: a question, or the fate of the records of `where`. */
const KINDS = ['take', 'count', 'max', 'min', 'sum', 'average', 'gone', 'becomes'] as const;
const path = z.string().min(1).optional();
const values = z.record(z.string(), z.unknown()).optional();
const condition = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.partialRecord(z.enum(TEST_NAMES), z.unknown()),
]);
const expectSchema = z
  .strictObject({
    list: z.string().regex(/^\S+ \/\S*$/, 'is a service and the path of a list, such as crm /v2/persons'),
    path: values,
    where: z.record(z.string(), condition).optional(),
    becomes: values,
    take: path,
    max: path,
    min: path,
    sum: path,
    average: path,
    by: path,
    count: z.literal(true).optional(),
    gone: z.literal(true).optional(),
  })
  .refine(
    (one) => KINDS.filter((kind) => one[kind] !== undefined).length === 1,
    `has exactly one of ${KINDS.join(', ')}`,
  );
const fileSchema = z.looseObject({
  /** People of the world. */
  world: z.int().min(1).max(5000).default(1000),
  /** Tokens of answers that one request may read. */
  limit: z.int().min(1).default(25_000),
  requests: z.array(z.looseObject({ ask: z.string().min(1), expect: expectSchema })).min(1),
});

export type EvalFile = z.infer<typeof fileSchema>;
export type EvalRequest = EvalFile['requests'][number];
type Expectation = EvalRequest['expect'];

/** @throws {UsageError} naming the first fault of the file. */
export async function readRequests(file: string): Promise<EvalFile> {
  try {
    const read = fileSchema.parse(parse(await readFile(file, 'utf8'), { merge: true }));
    const asks = new Set(read.requests.map(({ ask }) => ask));
    if (asks.size < read.requests.length) throw new Error('two requests have the same ask');
    return read;
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const fault = issue === undefined ? (error as Error).message : `${z.core.toDotPath(issue.path)}: ${issue.message}`;
    throw new UsageError(`${file} is not a file of requests: ${fault}`);
  }
}

/** Describes the form of a right answer in words. It tells which members are needed, but no values. */
export function describeAnswer({ take, by, count, gone, becomes, max, min, sum, average }: Expectation): string {
  if (gone === true || becomes !== undefined) return 'What was done, in one sentence.';
  if (take !== undefined) return `An array: every value of ${take}, each once, as the tools return it.`;
  if (count === true) return 'The number, alone.';
  const [name, member] =
    Object.entries({ largest: max, smallest: min, 'sum of': sum, 'average of': average }).find(
      ([, one]) => one !== undefined,
    ) ?? [];
  if (by === undefined) return `The ${name} ${member}, alone.`;
  const [group, length] = by.split(' ');
  return `An array of pairs [${group}, the ${name} ${member}]${length === undefined ? '' : `; of ${group} the first ${length} characters`}.`;
}

/**
 * Reads the world before a request.
 *
 * @returns a function that judges the answer after it. The function returns null if the request is completed, otherwise what is wrong.
 */
export function watch(sandbox: OpenSandbox, expect: Expectation): (answer: unknown) => string | null {
  const before = recordsOf(sandbox, expect);
  const isWrite = expect.gone === true || expect.becomes !== undefined;
  const selection = select(before, isWrite ? { where: expect.where, take: 'id' } : expect);
  const expectedValues = Array.isArray(selection) ? selection : [selection];
  return (answer) => {
    if (expectedValues.length === 0 || selection === null) return 'the world has no such thing';
    const changed = [...sandbox.services].flatMap(([name, { world }]) =>
      [...(world?.changed ?? [])].map((list) => `${name} ${list}`),
    );
    const unexpectedList = changed.find((list) => !isWrite || list !== expect.list);
    if (unexpectedList !== undefined) return `it changed ${unexpectedList}`;
    if (!isWrite) return compare(expectedValues.map(toText), [answer].flat().map(toText));
    const after = before.flatMap((record) => {
      if (!expectedValues.includes((record as { readonly id?: unknown }).id)) return [record];
      return expect.gone === true ? [] : [{ ...(record as object), ...expect.becomes }];
    });
    return compare(after.map(toJson), recordsOf(sandbox, expect).map(toJson));
  };
}

const toJson = (record: unknown): string => JSON.stringify(record);

function recordsOf(sandbox: OpenSandbox, { list, path: parameters }: Expectation): readonly unknown[] {
  const [service = '', pattern = ''] = list.split(' ');
  const world = sandbox.services.get(service)?.world ?? null;
  if (world === null) throw new UsageError(`A request expects something of ${service}, and there is no such service.`);
  if (parameters === undefined) return structuredClone(world.records(pattern));
  const rows = world.rows(pattern, parameters);
  return Array.from({ length: rows.length }, (_, index) => rows.at(index));
}

function compare(expected: readonly string[], actual: readonly string[]): string | null {
  const [left, right] = [new Set(expected), new Set(actual)];
  const [missing, extra] = [expected.filter((one) => !right.has(one)), actual.filter((one) => !left.has(one))];
  const say = (list: readonly string[], what: string) =>
    list.length === 0 ? [] : [`${list.length} ${what}: ${list.join(', ').slice(0, 80)}`];
  return [...say(missing, 'missing'), ...say(extra, 'wrong')].join('; ') || null;
}

/** Numbers are equal to two decimals, in whatever way they are written, and texts in any case. */
function toText(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Object.values(value).map(toText).join(' = ');
  const text = String(value).trim().toLowerCase();
  return /^-?[\d,]*\.?\d+$/.test(text) ? String(Math.round(Number(text.replaceAll(',', '')) * 100) / 100) : text;
}
