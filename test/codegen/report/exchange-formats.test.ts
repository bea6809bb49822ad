import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { buildReport, formatJunit, formatSarif } from '../../../codegen/report/index.ts';
import type { Acknowledgement, ToolSurface } from '../../../codegen/report/types.ts';
import { serviceSurface, toolSurface, withInput } from './surface.ts';

const reportOf = (before: ToolSurface, after: ToolSurface, acknowledgements: readonly Acknowledgement[] = []) =>
  buildReport({
    before: [serviceSurface([before])],
    after: [serviceSurface([after])],
    base: 'a',
    head: 'b',
    acknowledgements,
    countTokens: () => 1,
    today: '2026-12-01',
  });
const before = withInput({ 'a<"&': { type: 'string' } });
const after = withInput({ 'a<"&': { type: 'integer' } }, { title: 'List all notes', operation: before.operation });
const open = reportOf(before, after);
const done = reportOf(before, after, [
  { fingerprint: open.groups[0]?.fingerprint ?? '', reason: 'Agreed.', file: 'specs/notes/connector.yaml' },
]);

describe('SARIF 2.1.0', () => {
  const file = (report: typeof open) => JSON.parse(formatSarif(report, () => null));

  test('has a result for each change, with its rule, its line and its fingerprint', () => {
    const { version, runs } = file(open);
    const { results, tool } = runs[0];
    expect([version, runs.length, results.length]).toEqual(['2.1.0', 1, open.groups.length]);
    expect(results[0]).toMatchObject({
      ruleId: 'argument-retyped',
      level: 'error',
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: 'generated/notes/index.ts' }, region: { startLine: 1 } },
        },
      ],
      partialFingerprints: { 'toolsDiff/v1': open.groups[0]?.fingerprint },
    });
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
    expect(results.map(({ level }: { level: string }) => level)).toContain('note');
  });

  test('fits the schema of the format, acknowledged or not', () => {
    const validate = sarifValidator();
    for (const report of [open, done, reportOf(before, before)]) {
      validate(file(report));
      expect(validate.errors).toBeNull();
    }
    const wrong = file(open);
    wrong.runs[0].results[0].level = 'breaking';
    expect(validate(wrong)).toBe(false);
  });

  test('gives each acknowledgement with its reason', () => {
    expect(file(done).runs[0].results[0].suppressions).toEqual([
      { kind: 'external', status: 'accepted', justification: 'Agreed.' },
    ]);
  });
});

/** The schema says draft 4, and uses nothing that later drafts read in another way. */
function sarifValidator() {
  const path = new URL('sarif/sarif-2.1.0-rtm.5.schema.json', import.meta.url);
  const { $schema: _, id: __, ...schema } = JSON.parse(readFileSync(path, 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats.default(ajv);
  return ajv.compile(schema);
}

describe('JUnit', () => {
  test('fails for open changes, and escapes upstream text', () => {
    const text = formatJunit(open);
    expect(text).toContain(`tests="${open.open}" failures="${open.open}"`);
    expect(text).toContain('<failure type="breaking" message="Argument type changed or narrowed">');
    expect(text).toContain('input.a&lt;&quot;&amp;#type');
  });

  test('passes for acknowledged changes', () => {
    expect(formatJunit(done)).toContain(`failures="${done.open}"`);
    expect(formatJunit(done).match(/<failure/g)?.length ?? 0).toBe(done.open);
  });

  test('has one passing case where nothing changed', () => {
    expect(formatJunit(reportOf(toolSurface(), toolSurface()))).toContain('tests="1" failures="0"');
  });
});
