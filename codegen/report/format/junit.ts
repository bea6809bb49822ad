/** The report as JUnit XML, which every CI server reads: one test case for each change that needs a decision. */

import { escapeInvisible } from '../../emit/literal.ts';
import { isGated } from '../levels.ts';
import { RULES } from '../rules.ts';
import type { ChangeGroup, Report } from '../types.ts';
import { messageOf } from './annotation.ts';
import { toolsOf } from './words.ts';

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
