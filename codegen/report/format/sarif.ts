/** The report as SARIF 2.1.0 (OASIS), which code scanning and editors show next to the changed lines. */

import type { Log, Result } from 'sarif';
import { isGated } from '../levels.ts';
import { RULES } from '../rules.ts';
import type { ChangeGroup, Report } from '../types.ts';
import { messageOf, placeOf } from './annotation.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/**
 * One run with one result for each group: `error` for changes that need a decision, `warning` for behaviour, `note` for
 * the rest. An acknowledged group is a result with an accepted suppression, in SARIF's terms.
 *
 * @param textOf Text of a file of the head, or null if it has none.
 */
export function formatSarif(report: Report, textOf: (file: string) => string | null): string {
  const rules = [...new Set(report.groups.map(({ rule }) => rule))].sort();
  const driver = {
    name: 'tools:diff',
    rules: rules.map((id) => ({
      id,
      shortDescription: { text: RULES[id].title },
      fullDescription: { text: RULES[id].why },
      defaultConfiguration: { level: levelOf(RULES[id]) },
    })),
  };
  const results = report.groups.flatMap((group) => toResult(group, rules.indexOf(group.rule), textOf));
  const log: Log = { $schema: SCHEMA, version: '2.1.0', runs: [{ tool: { driver }, results }] };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function toResult(group: ChangeGroup, ruleIndex: number, textOf: (file: string) => string | null): Result[] {
  const [first] = group.changes;
  if (first === undefined) return [];
  const { file, line } = placeOf(group, first, textOf);
  const region = { startLine: line };
  const uri = file.split('/').map(encodeURIComponent).join('/');
  return [
    {
      ruleId: group.rule,
      ruleIndex,
      level: levelOf(group),
      message: { text: messageOf(group, first) },
      locations: [{ physicalLocation: { artifactLocation: { uri }, region } }],
      partialFingerprints: { 'toolsDiff/v1': group.fingerprint },
      ...(group.acknowledged === null
        ? {}
        : { suppressions: [{ kind: 'external', status: 'accepted', justification: group.acknowledged }] }),
    },
  ];
}

function levelOf({ level }: Pick<ChangeGroup, 'level'>): 'error' | 'warning' | 'note' {
  if (isGated(level)) return 'error';
  return level === 'behaviour' ? 'warning' : 'note';
}
