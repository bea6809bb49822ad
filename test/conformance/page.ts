/** docs/reference/conformance.md: what a run of the official suite gave, scenario by scenario. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Check {
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
}

/** How one scenario ended. */
export interface Outcome {
  readonly scenario: string;
  readonly passed: number;
  readonly warnings: number;
  /** Nothing failed, and something was checked. */
  readonly isPassed: boolean;
}

type Reasons = Readonly<Record<'notDeclared' | 'failed', Readonly<Record<string, string>>>>;

export const REASONS = parse(readFileSync(join(import.meta.dirname, 'not-passed.yaml'), 'utf8')) as Reasons;

/** Reads what `-o` wrote: a folder for each scenario, in the order of the run. @param prefix of the folders, such as `server-`. */
export function readOutcomes(folder: string, prefix: string): Outcome[] {
  const folders = readdirSync(folder).filter((name) => name.startsWith(prefix));
  const outcomes = folders.map((name) => {
    const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[];
    const count = (status: Check['status']) => checks.filter((check) => check.status === status).length;
    const scenario = name.slice(prefix.length).replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    // One check of each scenario is that the connection opens.
    const isSkipped = count('SKIPPED') > count('SUCCESS');
    return {
      ...{ scenario, passed: count('SUCCESS'), warnings: count('WARNING') },
      isPassed: count('FAILURE') === 0 && !isSkipped && count('SUCCESS') + count('INFO') > 0,
    };
  });
  return outcomes.sort((a, b) => (a.scenario < b.scenario ? -1 : 1));
}

const HEAD = `<!-- Written by \`UPDATE_GOLDEN=1 npx vitest run test/conformance\` from a run of the official suite; that test compares it. -->

# Conformance

The result of each scenario of the official conformance suite of MCP, which \`.ci/run\` runs against this gateway and the packed one. The suite prescribes tools and resources, so the
tested gateway has those too.
`;

/** The page. @param version of the suite */
export function toPage(version: string, parts: Readonly<Record<string, readonly Outcome[]>>): string {
  const sections = Object.entries(parts).map(([title, outcomes]) => {
    const rows = outcomes.map((outcome) => `| \`${outcome.scenario}\` | ${toResult(outcome)} |`);
    const passed = outcomes.filter(({ isPassed }) => isPassed).length;
    return `## ${title}\n\n${passed} of ${outcomes.length} scenarios pass.\n\n| Scenario | Result |\n|---|---|\n${rows.join('\n')}\n`;
  });
  return `${HEAD}\nSuite: \`@modelcontextprotocol/conformance\` ${version}.\n\n${sections.join('\n')}`;
}

function toResult({ scenario, passed, warnings, isPassed }: Outcome): string {
  if (isPassed)
    return warnings === 0 ? 'passed' : `passed, with ${warnings === 1 ? 'a warning' : `${warnings} warnings`}`;
  const { notDeclared, failed } = REASONS;
  const checks = passed > 1 ? ` (${passed} checks pass)` : '';
  if (notDeclared[scenario] !== undefined) return `not declared: ${notDeclared[scenario]}${checks}`;
  return `**failed**: ${failed[scenario] ?? 'not reviewed'}${checks}`;
}
