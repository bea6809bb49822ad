/** The report for programs: SARIF 2.1.0 (OASIS), annotations of GitHub, JUnit XML and JSON. */

import type { Log, Result } from 'sarif';
import { figure, plural } from '../../emit/figures.ts';
import { escapeInvisible } from '../../emit/literal.ts';
import { locateMember } from '../read/index.ts';
import { isGated, RULES } from '../rules.ts';
import type { Change, ChangeGroup, Report } from '../types.ts';
import { toolsOf, valueText } from './words.ts';

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

/** If the head does not have the file, the annotation goes to the top of the service's `index.ts`. */
export function placeOf(group: ChangeGroup, { file, pointer }: Change, textOf: (file: string) => string | null) {
  const text = textOf(file);
  if (text === null) return { file: `generated/${group.service}/index.ts`, line: 1 };
  return { file, line: file.endsWith('.ts') ? locateMember(file, text, pointer ?? []) : 1 };
}

/** Tool, place and values; why it matters; the fingerprint or the reason of its acknowledgement. */
export function messageOf(group: ChangeGroup, { place, before, after, note }: Change): string {
  const tools = toolsOf(group);
  const where =
    tools.length > 1 ? `${tools[0]} and ${plural(tools.length - 1, 'other tool')}` : (tools[0] ?? group.service);
  const change =
    before === undefined
      ? valueText(after)
      : `${valueText(before)} -> ${after === undefined ? 'none' : valueText(after)}`;
  const why = RULES[group.rule].why;
  const places = group.changes.length > 1 ? ` (${figure(group.changes.length)} places)` : '';
  const end = group.acknowledged === null ? `fingerprint ${group.fingerprint}` : `acknowledged: ${group.acknowledged}`;
  return [`${where}: ${place}${places}: ${change}${note === undefined ? '' : ` (${note})`}`, why, end].join('\n');
}

/**
 * Workflow commands, one on each line: `error` for changes that need a decision, `warning` for behaviour, `notice` for
 * the rest.
 *
 * @param textOf Text of a file of the head, or null if it has none.
 */
export function formatGithub(report: Report, textOf: (file: string) => string | null): string {
  return report.groups.map((group) => `${annotation(group, textOf)}\n`).join('');
}

function annotation(group: ChangeGroup, textOf: (file: string) => string | null): string {
  const [first] = group.changes;
  if (first === undefined) return '';
  const { level, acknowledged, rule } = group;
  const command = isGated(level) && acknowledged === null ? 'error' : level === 'behaviour' ? 'warning' : 'notice';
  const { file, line } = placeOf(group, first, textOf);
  const properties = [`file=${property(file)}`, `line=${line}`, `title=${property(`${level}: ${RULES[rule].title}`)}`];
  return `::${command} ${properties.join(',')}::${data(messageOf(group, first))}`;
}

function data(text: string): string {
  return text
    .split('\n')
    .map(escapeInvisible)
    .join('\n')
    .replaceAll('%', '%25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Open decisions fail, acknowledged ones pass; a report without either has one passing test case. */
export function formatJunit({ groups, open }: Report): string {
  const gated = groups.filter(({ level }) => isGated(level));
  const cases =
    gated.length === 0 ? ['    <testcase classname="tools" name="Nothing to decide about"/>'] : gated.map(toCase);
  const attributes = `name="tools:diff" tests="${cases.length}" failures="${open}" errors="0" skipped="0"`;
  const suite = [`  <testsuite ${attributes}>`, ...cases, '  </testsuite>'];
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suite, '</testsuites>', ''].join('\n');
}

function toCase(group: ChangeGroup): string {
  const [first] = group.changes;
  if (first === undefined) return '';
  const { rule, level, service, acknowledged, fingerprint } = group;
  const where = toolsOf(group)[0] ?? service;
  const name = `${RULES[rule].title}: ${where} ${first.place} (${fingerprint})`;
  const start = `    <testcase classname="${xml(`${service}.${rule}`)}" name="${xml(name)}"`;
  if (acknowledged !== null) return `${start}/>`;
  const failure = `<failure type="${level}" message="${xml(RULES[rule].title)}">${xml(messageOf(group, first))}</failure>`;
  return `${start}>${failure}</testcase>`;
}

/** Writes characters that XML 1.0 forbids as their code points, like the other formats. */
function xml(text: string): string {
  const lines = text.split('\n').map(escapeInvisible).join('\n');
  return lines.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/**
 * `{ version: 1, base, head, open, services, groups, costs, newTexts, stale, usage }`; a value that did not exist is
 * missing.
 *
 * Members may be added; an existing member keeps its meaning within a version.
 */
export function formatJson(report: Report): string {
  const { base, head, open, services, groups, costs, newTexts, stale, requests, usage } = report;
  const told = groups.map(({ changes, ...group }) => ({
    ...group,
    title: RULES[group.rule].title,
    changes: changes.map(({ rule, tool, place, before, after, note, file, pointer, fingerprint, acknowledged }) => ({
      rule,
      tool,
      place,
      before,
      after,
      note,
      file,
      pointer,
      fingerprint,
      acknowledged,
    })),
  }));
  const all = { version: 1, base, head, open, services, groups: told, costs, newTexts, stale, usage };
  return `${JSON.stringify(requests === null ? all : { ...all, requests }, null, 2)}\n`;
}
