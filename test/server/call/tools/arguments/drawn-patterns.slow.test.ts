import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prepareArguments } from '../../../../../server/call/tools/call/arguments.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import { findPatternProblem } from '../../../../../shared/patterns/index.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';

const MAX_STOP_MS = 20;
/** Threads that share a core work at half of its speed. What is refused takes seconds. */
const MAX_BUSY_STOP_MS = 2 * MAX_STOP_MS;
const MAX_TEXT = 500_000;
const PATTERNS_PER_TOOL = 100;

const atoms = fc.constantFrom('a', 'b', '.', '\\d', '\\w', '\\S', '\\s?', '[ab]', '[^b]', '\\p{L}', '\\b', 'ab', 'x');
const counts = fc
  .tuple(fc.nat(40), fc.integer({ min: 1, max: 120 }))
  .map(([least, more]) => `{${least},${least + more}}`);
const quantifiers = fc.oneof(fc.constantFrom('', '', '*', '+', '?', '*?'), counts);
const { pattern: drawn } = fc.letrec<{ pattern: string; group: string }>((tie) => ({
  pattern: fc
    .array(
      fc
        .array(fc.tuple(fc.oneof({ weight: 3, arbitrary: atoms }, tie('group')), quantifiers), {
          minLength: 1,
          maxLength: 4,
        })
        .map((parts) =>
          parts.map(([atom, count]) => (atom === '\\b' || atom === '\\s?' ? atom : `${atom}${count}`)).join(''),
        ),
      { minLength: 1, maxLength: 2 },
    )
    .map((alternatives) => alternatives.join('|')),
  group: tie('pattern').map((inner) => `(?:${inner})`),
}));
const anchored = fc
  .tuple(fc.constantFrom('', '^'), drawn, fc.constantFrom('', '$', 'c$'))
  .map((parts) => parts.join(''));

const mixed = 'abbabaaababbbaab'.repeat(MAX_TEXT / 16);
const texts = [
  `${mixed}!`,
  `${mixed.slice(0, 5000)}!`,
  'a'.repeat(MAX_TEXT),
  `${'ab '.repeat(MAX_TEXT / 8)}!`,
  `${mixed.slice(0, 400)}!`,
];

/** The longest stop of a call with a text that is hostile to these patterns. */
function slowestOf(patterns: readonly string[]): { readonly ms: number; readonly pattern: string } {
  let slowest = { ms: 0, pattern: '' };
  for (let at = 0; at < patterns.length; at += PATTERNS_PER_TOOL) {
    const some = patterns.slice(at, at + PATTERNS_PER_TOOL);
    const properties = Object.fromEntries(some.map((pattern, index) => [`p${index}`, { type: 'string', pattern }]));
    const tool = fakeTool({ name: 'library_ask', input: { properties } });
    const validator = createValidators()(tool.inputSchema);
    prepareArguments(tool, { p0: 1, other: 1 }, validator);
    for (const [index, pattern] of some.entries()) {
      const args = { [`p${index}`]: texts[(at + index) % texts.length] };
      const ms = repeatedly(() => prepareArguments(tool, args, validator));
      if (ms > slowest.ms) slowest = { ms, pattern };
    }
  }
  return slowest;
}

/** The time of the processor, again if it is long: other work of the machine disturbs the caches. */
function repeatedly(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 4 && least >= MAX_STOP_MS; run += 1) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

const isServed = (pattern: string): boolean => findPatternProblem(pattern) === null;

test('no text stops the event loop for more than 20 ms, for 10,000 drawn patterns', () => {
  const patterns = fc.sample(anchored, { numRuns: 10_000, seed: 27 });
  const served = patterns.filter(isServed);
  expect(served.length).toBeGreaterThan(3000);
  expect(slowestOf(served)).toSatisfy(({ ms }) => ms < MAX_BUSY_STOP_MS);
}, 300_000);

test('no text stops the event loop for more than 20 ms, for every pattern of the descriptors and their tools', () => {
  const found = ['specs', 'generated', 'test', 'sandbox', 'docs'].flatMap((folder) => patternsIn(folder));
  const served = [...new Set(found)].filter(isServed);
  expect(served.length).toBeGreaterThan(20);
  expect(slowestOf(served)).toSatisfy(({ ms }) => ms < MAX_BUSY_STOP_MS);
}, 60_000);

function patternsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ya?ml|json|ts)$/.test(name))
    .flatMap((name) => [
      ...readFileSync(`${folder}/${name}`, 'utf8').matchAll(/\bpattern["']?: *(["']?)(.+?)\1[ ,}]*$/gmu),
    ])
    .map(([, , text = '']) => text.replaceAll('\\\\', '\\'));
}
