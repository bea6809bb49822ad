/** `docs/corpus.md`: which documents were tried, and what became of each. */

import { markdownCode, markdownTable, markdownText } from '../../codegen/emit/markdown.ts';
import type { Outcome } from './outcome.ts';

interface PageRow {
  readonly name: string;
  readonly outcome: Outcome;
}

interface PagePart {
  readonly title: string;
  readonly rows: readonly PageRow[];
}

const HEAD = ['Document', 'Operations', 'Tools', 'Without a tool', 'Decided in connector.yaml', 'Errors'];

/** @param introduction What stands above the tables. */
export function toPage(introduction: string, parts: readonly PagePart[]): string {
  const sections = parts.map(({ title, rows }) => {
    const total = (count: (outcome: Outcome) => number) => rows.reduce((sum, { outcome }) => sum + count(outcome), 0);
    const line = `${rows.length} documents, ${total(({ operations }) => operations ?? 0)} operations, ${total(({ tools }) => tools)} tools.`;
    return `## ${title}\n\n${line}\n\n${markdownTable(HEAD, mergeTwins(rows).map(toCells))}`;
  });
  return `${[introduction.trim(), ...sections].join('\n\n')}\n`;
}

/** Documents that are there as JSON and as YAML share a row where they come out alike. */
function mergeTwins(rows: readonly PageRow[]): PageRow[] {
  const nameOf = ({ name }: PageRow) => name.replaceAll(/\b(?:json|yaml)\b/g, '*');
  const facts = ({ outcome }: PageRow) => toCells({ name: '', outcome }).join('|');
  return [...Map.groupBy(rows, nameOf)].flatMap(([name, [first, ...others]]) => {
    if (first === undefined) return [];
    const isAlike = others.length > 0 && others.every((other) => facts(other) === facts(first));
    return isAlike ? [{ ...first, name }] : [first, ...others];
  });
}

function toCells({ name, outcome }: PageRow): string[] {
  const { operations, tools, refused, decided, errors } = outcome;
  const reasons = new Map<string, number>();
  for (const [reason, count] of Object.entries(refused)) {
    const kind = toKind(reason);
    reasons.set(kind, (reasons.get(kind) ?? 0) + count);
  }
  return [
    markdownCode(name),
    operations === null ? '' : String(operations),
    String(tools),
    [...reasons]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([kind, count]) => `${count} ${markdownText(kind)}`)
      .join('; '),
    decided.map(markdownCode).join(', '),
    Object.entries(errors)
      .map(([code, count]) => `${count} ${markdownCode(code)}`)
      .join(', '),
  ];
}

/** A reason without the names of one descriptor. */
function toKind(reason: string): string {
  if (reason.startsWith('The descriptor is wrong here')) return 'wrong in the descriptor';
  const needs = reason
    .replace(/^Not supported yet: it /, '')
    .replace(/\.$/, '')
    .split('; it ');
  return [...new Set(needs.map((need) => need.replace(/^needs the credential .*/, 'needs another credential')))]
    .map((need) => need.replaceAll(/ (?:the )?((?:path|query|header|cookie) parameter|parameter) \S+/g, ' a $1'))
    .filter((need, index, all) => all.indexOf(need) === index)
    .join(', ');
}
