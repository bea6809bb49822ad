/** Checks that each tool is valid for all known clients, or reports which tool breaks which rule of which client. */

import type { ConnectorConfig } from '../../load/connector-config.ts';
import { type Reporter, suggest } from '../problems.ts';
import type { ClientVerdict } from '../types.ts';
import { type Finding, findBreaches } from './checkers.ts';
import { PROFILES } from './clients.ts';
import { readToolFacts, type ToolFacts } from './facts.ts';
import type { Profile, RuleKind } from './types.ts';

/** One tool, and how to report a problem at the place where a person fixes it. */
export interface CheckedTool {
  readonly tool: ToolFacts['tool'];
  readonly report: (message: string, fix: string) => void;
}

/** The fix for a broken rule of this kind. */
const FIXES: Readonly<Record<RuleKind, string>> = {
  'name-pattern': 'Give the tool another name in connector.yaml.',
  'name-length': 'Give the tool a shorter name in connector.yaml.',
  'description-length': 'Shorten its description in connector.yaml.',
  'input-root-type': 'Give its arguments schemas in connector.yaml.',
  'output-root-type': 'Correct the schema of the answer in the descriptor.',
  'root-keywords': 'Give its arguments schemas in connector.yaml.',
  'property-keys': 'Rename the argument in connector.yaml, with `wire` for its place.',
  'array-items': 'Give the argument a `schema` with `items` in connector.yaml.',
  'boolean-schemas': 'Give the argument a `schema` in connector.yaml.',
  'pattern-syntax': 'Give the argument another `pattern`, or a `schema`, in connector.yaml.',
};

const MAX_FINDINGS = 4;

/**
 * Checks all tools against all rules, reports broken ones, and returns the verdict for each client.
 *
 * One problem (`profile-refused`) for each tool and rule id, whichever clients share the rule. Rules that
 * connector.yaml accepts are not reported; accepting a rule that no tool breaks is `config-unused`.
 */
export function checkProfiles(
  tools: readonly CheckedTool[],
  config: ConnectorConfig,
  report: Reporter,
): readonly ClientVerdict[] {
  const accepted = new Map(Object.entries(config.profiles?.accept ?? {}));
  const broken = new Map<string, number>();
  for (const checked of tools) checkTool(checked, accepted, broken);
  checkAccepted([...accepted.keys()], broken, report);
  return PROFILES.map((profile) => ({
    id: profile.id,
    title: profile.title,
    broken: profile.rules.flatMap((rule) => {
      const name = ruleName(profile, rule);
      const count = broken.get(name);
      return count === undefined ? [] : [{ rule: name, tools: count, accepted: accepted.get(name) ?? null }];
    }),
  }));
}

/** Names a rule in diagnostics and in `profiles.accept`, such as `claude/name-length`. */
export function ruleName({ id }: Profile, rule: Profile['rules'][number]): string {
  return `${id}/${rule.id ?? rule.kind}`;
}

interface Breach {
  readonly names: string[];
  readonly findings: Map<string, Finding>;
  readonly kind: RuleKind;
}

function checkTool(
  { tool, report }: CheckedTool,
  accepted: ReadonlyMap<string, string>,
  broken: Map<string, number>,
): void {
  const breaches = new Map<string, Breach>();
  const facts = readToolFacts(tool);
  for (const profile of PROFILES) {
    for (const rule of profile.rules) {
      const findings = findBreaches(rule, facts);
      if (findings.length === 0) continue;
      const name = ruleName(profile, rule);
      broken.set(name, (broken.get(name) ?? 0) + 1);
      if (accepted.has(name)) continue;
      const key = rule.id ?? rule.kind;
      const breach: Breach = breaches.get(key) ?? { names: [], findings: new Map(), kind: rule.kind };
      breaches.set(key, breach);
      breach.names.push(name);
      for (const finding of findings) breach.findings.set(`${finding.place} ${finding.value}`, finding);
    }
  }
  for (const { names, findings, kind } of breaches.values()) {
    const message = `${tool.name} breaks ${names.join(', ')}: ${toText([...findings.keys()])}.`;
    report(message, toFix(kind, names));
  }
}

function checkAccepted(names: readonly string[], broken: ReadonlyMap<string, number>, report: Reporter): void {
  const ruleIds = PROFILES.flatMap((profile) => profile.rules.map((rule) => ruleName(profile, rule)));
  for (const name of names) {
    const path = ['profiles', 'accept', name];
    if (!ruleIds.includes(name)) {
      report.config('config-unused', path, `No client has a rule ${name}.`, suggest(name, ruleIds, 'Remove it.'));
    } else if (!broken.has(name)) {
      report.config('config-unused', path, `No tool breaks ${name}.`, 'Remove it.');
    }
  }
}

function toFix(kind: RuleKind, names: readonly string[]): string {
  return `${FIXES[kind]} Or accept ${names.join(', ')} under profiles.accept, with the reason.`;
}

function toText(findings: readonly string[]): string {
  const listedFindings = findings.slice(0, MAX_FINDINGS).join('; ');
  return findings.length <= MAX_FINDINGS
    ? listedFindings
    : `${listedFindings}; and ${findings.length - MAX_FINDINGS} more`;
}
