import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConnectors } from '../../../../../server/call/tools/catalogue/connectors.ts';
import { NO_FILE } from '../../../../../server/call/tools/results/file-facts.ts';
import type { ResumePoint } from '../../../../../server/call/tools/results/fit-result.ts';
import { buildResult } from '../../../../../server/call/tools/results/result.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import type { Tool } from '../../../../../server/contract/index.ts';
import { numRuns } from '../../../../support/num-runs.ts';
import { schemaArbitrary } from '../../../../support/schema-arbitrary.ts';
import { reassemble } from './reassemble.ts';

const LIMIT = 4000;
const MAX_PARTS = 2000;
const tools = (await loadConnectors())
  .flatMap((connector) => connector.tools)
  .map((tool) => ({ name: tool.name, tool }));
const validators = createValidators();

function lengthened(value: unknown, times: number): unknown {
  if (Array.isArray(value)) {
    const elements = value.map((element) => lengthened(element, 1));
    return Array.from({ length: times }).flatMap(() => elements);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, lengthened(member, times)]));
}

interface Shown {
  readonly from: ResumePoint | null;
  readonly content: Readonly<Record<string, unknown>>;
}

function readAll(tool: Tool, answer: unknown): Shown[] {
  const parts: Shown[] = [];
  const points: (ResumePoint | null)[] = [null];
  for (const from of points) {
    const seal = (point: ResumePoint) => {
      points.push(point);
      return 'v1.k1.handle';
    };
    const budget = { limit: LIMIT, from, seal, repeated: { query: 'q' }, advise: () => '', tool: tool.name };
    const body = { kind: 'json', value: answer, rounded: answer } as const;
    const validator = validators(tool.outputSchema);
    const wishes = { budget, project: null, notes: [] };
    const built = buildResult({ tool, args: {}, body, file: NO_FILE, validator, clock: () => 0, ...wishes });
    if (built.result === null || parts.length > MAX_PARTS) throw new Error(`no part at ${JSON.stringify(from)}`);
    expect(built.drift).toEqual([]);
    expect(built.bytes).toBeLessThanOrEqual(LIMIT);
    expect(built.result.content.reduce((sum, { text }) => sum + Buffer.byteLength(String(text)), 0)).toBe(built.bytes);
    parts.push({ from, content: built.result.structuredContent ?? {} });
  }
  return parts;
}

describe('a long answer of every tool', () => {
  it.each(tools)('$name satisfies its output schema in every part, and all parts are the answer', ({ tool }) => {
    const plain = { ...tool };
    delete (plain as { result?: unknown }).result;
    fc.assert(
      fc.property(schemaArbitrary(tool.outputSchema), fc.integer({ min: 1, max: 60 }), (drawn, times) => {
        const { page: _, ...answer } = JSON.parse(JSON.stringify(lengthened(drawn, times))) as Record<string, unknown>;
        const parts = readAll(plain, answer);
        const accepts = validators(tool.outputSchema);
        for (const { content } of parts) expect(accepts.problems(content)).toEqual([]);
        const whole = parts.reduce<unknown>((sum, { from, content: { page: __, ...part } }) => {
          return reassemble(sum, part, from?.position ?? [], answer);
        }, undefined);
        expect(whole).toEqual(answer);
      }),
      { numRuns: numRuns(15), seed: 7 },
    );
  });
});
