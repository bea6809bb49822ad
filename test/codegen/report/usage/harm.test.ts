import { describe, expect, test } from 'vitest';
import { buildReport, formatMarkdown } from '../../../../codegen/report/index.ts';
import type { ToolUsage, UsageFile } from '../../../../shared/usage-file.ts';
import { serviceSurface, toolSurface, withInput } from '../surface.ts';

const usage = (tools: UsageFile['tools']): UsageFile => ({
  version: 2,
  from: '2026-10-23',
  to: '2026-11-21',
  days: 30,
  threshold: 5,
  depth: 1,
  tools,
});
const status: ToolUsage = {
  calls: 100,
  outcomes: { ok: 90, refused: 10 },
  arguments: {
    status: {
      calls: 60,
      classes: { text: 50, integer: 10 },
      members: { open: 40, done: 20 },
    },
    filter: { calls: 30, classes: { object: 30 } },
  },
};
const text = { type: 'string' };
const x = (schema: object | null, required = false, name = 'status') => {
  const properties = schema === null ? {} : { [name]: schema };
  return withInput(
    {},
    { inputSchema: { type: 'object', properties, required: required ? [name] : [], additionalProperties: false } },
  );
};
const nested = (members: object) =>
  x({ type: 'object', properties: members, additionalProperties: false }, false, 'filter');

const reportOf = (before: ReturnType<typeof x>[], after: ReturnType<typeof x>[], tools: UsageFile['tools']) =>
  buildReport({
    before: [serviceSurface(before)],
    after: [serviceSurface(after)],
    base: 'a',
    head: 'b',
    acknowledgements: [],
    countTokens: () => 1,
    usage: usage(tools),
    today: '2026-12-01',
  });

describe('the calls that a change affects', () => {
  const refused = (calls: number, isExact = true) => ({ effect: 'refused', calls, isExact });

  test.each<[string, [ReturnType<typeof x>[], ReturnType<typeof x>[]], object]>([
    ['an argument removed: those that had it', [[x(text)], [x(null)]], refused(60)],
    ['made required: those without it', [[x(text)], [x(text, true)]], refused(40)],
    ['added as required: all', [[x(null)], [x(text, true)]], refused(100)],
    [
      'a value removed: those with the value',
      [[x({ ...text, enum: ['open', 'done'] })], [x({ ...text, enum: ['open'] })]],
      refused(20),
    ],
    ['a type removed: those with a value of that type', [[x({ type: ['string', 'integer'] })], [x(text)]], refused(10)],
    [
      'a constraint tightened: those that had the argument, at most',
      [[x(text)], [x({ ...text, maxLength: 3 })]],
      refused(60, false),
    ],
    [
      'a nested member removed: those that had its argument, at most',
      [[nested({ a: text, b: text })], [nested({ b: text })]],
      refused(30, false),
    ],
    [
      'an output field removed: those that were answered, at most',
      [
        [toolSurface({ outputSchema: { type: 'object', properties: { a: {}, b: {} } } })],
        [toolSurface({ outputSchema: { type: 'object', properties: { b: {} } } })],
      ],
      { effect: 'changed', calls: 90, isExact: false },
    ],
    ['a tool removed: all', [[x(null), toolSurface({ name: 'notes_old', operation: null })], [x(null)]], refused(7)],
  ])('%s', (_, given, want) => {
    const old = { calls: 7, outcomes: {}, arguments: {} };
    const [first] = reportOf(...given, { notes_list: status, notes_old: old }).groups;
    expect(first?.harm).toEqual(want);
  });

  test('by a schema that arguments and answers share are those refused, or else those with other answers', () => {
    const sides = (members: object) => [
      withInput(
        { mail: { type: 'object', properties: members } },
        { name: 'a', operation: { id: 'a', method: 'GET', path: '/a', server: '' } },
      ),
      toolSurface({
        name: 'b',
        operation: { id: 'b', method: 'GET', path: '/b', server: '' },
        outputSchema: { type: 'object', properties: members },
      }),
    ];
    const tools = (inA: number) => ({
      a: { calls: 100, outcomes: {}, arguments: { mail: { calls: inA, classes: { object: inA } } } },
      b: { calls: 70, outcomes: { ok: 70 }, arguments: {} },
    });
    const harmOf = (inA: number) => {
      const { groups } = reportOf(sides({ to: text, cc: text }), sides({ to: text }), tools(inA));
      return groups
        .filter(({ level }) => level === 'breaking')
        .map(({ changes, harm }) => [changes.length, harm?.effect, harm?.calls]);
    };
    expect(harmOf(30)).toEqual([[2, 'refused', 30]]);
    expect(harmOf(0)).toEqual([[2, 'changed', 70]]);
  });

  test('make the removal of a called tool a decision of its own', () => {
    const named = (name: string) =>
      toolSurface({ name, operation: { id: name, method: 'GET', path: `/${name}`, server: '' } });
    const { groups } = reportOf([named('a'), named('b'), named('c')], [], { b: { ...status, calls: 8 } });
    expect(groups.map(({ changes, harm }) => [changes.map(({ tool }) => tool), harm?.calls])).toEqual([
      [['b'], 8],
      [['a', 'c'], 0],
    ]);
  });

  test('determine the order within a level, and are shown in the line', () => {
    const both = (a: object, b: object) => [
      withInput({ status: a }),
      withInput({ status: b }, { name: 'notes_b', operation: { id: null, method: 'GET', path: '/b', server: '' } }),
    ];
    const report = reportOf(both(text, text), both({ type: 'boolean' }, { type: 'integer' }), {
      notes_b: { ...status, arguments: { status: { calls: 80, classes: { text: 80 } } } },
      notes_list: status,
    });
    expect(report.groups.map(({ changes, harm }) => [changes[0]?.tool, harm?.calls])).toEqual([
      ['notes_b', 80],
      ['notes_list', 60],
    ]);
    const markdown = formatMarkdown(report);
    expect(markdown).toContain('**80 calls refused**');
    expect(markdown).toContain(
      'Calls are those of 30 days, 2026-10-23 to 2026-11-21; what has fewer than 5 counts as none.',
    );
  });

  test('are absent where no one called the tool', () => {
    expect(formatMarkdown(reportOf([x(text)], [x(null)], {}))).toContain('**no call seen**');
  });
});
