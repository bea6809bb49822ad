import { describe, expect, test } from 'vitest';
import { buildReport, formatGithub, formatJson, formatMarkdown } from '../../../codegen/report/index.ts';
import type { ToolSurface } from '../../../codegen/report/types.ts';
import { serviceSurface, toolSurface, withInput } from './surface.ts';

const reportOf = (
  before: readonly ToolSurface[],
  after: readonly ToolSurface[],
  more: { readonly budgets?: ReadonlyMap<string, number> } = {},
) =>
  buildReport({
    ...more,
    before: [serviceSurface(before)],
    after: [serviceSurface(after)],
    base: 'a_b',
    head: 'now',
    acknowledgements: [],
    countTokens: ({ description }) => description.length,
    today: '2026-12-01',
  });

const tool = (index: number, description: string, changes: Partial<ToolSurface> = {}) =>
  toolSurface({
    name: `notes_${index}`,
    operation: { id: null, method: 'GET', path: `/${index}`, server: '' },
    description,
    ...changes,
  });

describe('markdown', () => {
  test('keeps to a length, gives up the harmless first, and counts what it leaves out', () => {
    const numbers = Array.from({ length: 300 }, (_, index) => index);
    const text = 'A sentence about notes that is long enough to count. ';
    const before = numbers.map((index) => tool(index, text));
    const after = numbers.map((index) => tool(index, `${text}And ${index}.`));
    const last = tool(999, '', { annotations: { readOnlyHint: false } });
    const full = formatMarkdown(reportOf(before, [...after, last]), { maxLength: 1_000_000 });
    const short = formatMarkdown(reportOf(before, [...after, last]), { maxLength: 6000 });
    expect(full.length).toBeGreaterThan(20_000);
    expect(short.length).toBeLessThan(6000);
    expect(short).toContain('**Tool added that writes**: `notes_999`');
    expect(short).toMatch(/… and \d+ more changes: `npm run tools:diff` prints everything\./);
  });

  test('tells tokens before and after, per tool and in total', () => {
    const report = reportOf([tool(1, '1234'), tool(2, '1')], [tool(1, '12345678'), tool(2, '1')]);
    expect(report.services).toEqual([
      { service: 'notes', toolsBefore: 2, toolsAfter: 2, tokensBefore: 5, tokensAfter: 9, budget: null },
    ]);
    expect(report.costs).toEqual([{ service: 'notes', tool: 'notes_1', before: 4, after: 8 }]);
    expect(formatMarkdown(report)).toContain('| `notes` | 2 | 5 → 9 (+4) |');
    expect(formatMarkdown(report)).toContain('| `notes_1` | 4 | 8 | +4 |');
  });

  test('tells the budget of a service next to its tokens', () => {
    const [before, after] = [[tool(1, '1234')], [tool(1, '12345678')]];
    expect(formatMarkdown(reportOf(before, after, { budgets: new Map([['notes', 1200]]) }))).toContain(
      '| `notes` | 1 | 4 → 8 (+4), budget 1,200 |',
    );
  });

  test('shows hostile words as they are, and lets them close nothing', () => {
    const name = 'x</code></details>\n\n# Approved `|` @everyone\u202e';
    const before = withInput({ a: { type: 'object', properties: { [name]: { type: 'string' } } } });
    const after = withInput(
      { a: { type: 'object', properties: { [name]: { type: 'integer' } } } },
      { description: 'Fine.\n```\n# Approved\n````\n<script>\u200b' },
    );
    const text = formatMarkdown(reportOf([before], [after]));
    expect(text).not.toMatch(/^# Approved/m);
    expect(text).not.toMatch(/\p{Cf}/u);
    expect(text).toContain('  `````diff');
    expect(text.replaceAll(/`+[^`]*`+/g, '')).not.toMatch(/@everyone|<script>|<\/code><\/details>$/m);
  });

  test('shows values where no sentence changed', () => {
    const examples = (value: string) => withInput({ a: { type: 'string', examples: [value] } });
    expect(formatMarkdown(reportOf([examples('x')], [examples('y')]))).toContain('`["x"]` → `["y"]`');
  });
});

describe('annotations', () => {
  test('stay on one line whatever the words are', () => {
    const report = reportOf([tool(1, 'a')], [tool(1, 'b%\r\n::error::x\u202e https://a.example,x')]);
    const text = formatGithub(report, () => null);
    expect(text.trim().split('\n')).toHaveLength(report.groups.length);
    expect(text).toMatch(/^::error file=generated\/notes\/index\.ts,line=1,title=risk%3A Texts introduce a URL::/);
    expect(text).not.toMatch(/\r|\u202e/);
  });
});

test('JSON leaves out nothing that the other formats say', () => {
  const report = reportOf([tool(1, 'a')], [tool(1, 'b')]);
  expect(JSON.parse(formatJson(report))).toEqual({
    version: 1,
    base: 'a_b',
    head: 'now',
    open: 1,
    services: report.services,
    groups: [
      {
        rule: 'new-texts',
        level: 'risk',
        service: 'notes',
        title: 'Texts that no one has read yet',
        fingerprint: report.newTexts[0]?.fingerprint,
        acknowledged: null,
        changes: [
          {
            tool: null,
            place: 'service',
            note: '1 new, printed below',
            file: 'generated/notes/index.ts',
            fingerprint: report.newTexts[0]?.fingerprint,
            acknowledged: null,
          },
        ],
      },
      {
        rule: 'description-changed',
        level: 'wording',
        service: 'notes',
        title: 'Description changed',
        fingerprint: report.groups[1]?.fingerprint,
        acknowledged: null,
        changes: [
          {
            tool: 'notes_1',
            place: 'description',
            before: 'a',
            after: 'b',
            file: 'generated/notes/tools/notes-list.ts',
            pointer: ['description'],
            fingerprint: report.groups[1]?.fingerprint,
            acknowledged: null,
          },
        ],
      },
    ],
    costs: [],
    newTexts: [
      {
        service: 'notes',
        fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
        texts: [{ tool: 'notes_1', place: 'description', text: 'b' }],
      },
    ],
    stale: [],
    usage: null,
  });
});
