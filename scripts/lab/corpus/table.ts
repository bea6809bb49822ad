/** The page of the corpus: the documents that were tried, and the result of each. */

import { markdownCode, markdownTable, markdownText } from '../../../codegen/emit/markdown.ts';
import type { Outcome } from './outcome.ts';
import type { Result } from './run.ts';

interface PagePart {
  readonly title: string;
  readonly results: readonly Result[];
}

const HEAD = [
  'Document',
  'Version',
  'Valid',
  'Operations',
  'Tools',
  'Without a tool',
  'Decided in connector.yaml',
  'Errors',
  '`tsc`',
  'Schemas',
];

/** @param introduction the text above the tables, with the heading. */
export function toPage(introduction: string, parts: readonly PagePart[]): string {
  const sections = parts.map(({ title, results }) => {
    return `## ${title}\n\n${toTotals(results)}\n\n${markdownTable(HEAD, toRows(results))}`;
  });
  const all = `## All packages\n\n${toTotals(parts.flatMap(({ results }) => results))}`;
  return `${[introduction.trim(), all, ...sections].join('\n\n')}\n`;
}

/** The table rows of some results, without the heading. */
export function toLines(results: readonly Result[]): string[] {
  return markdownTable(HEAD, toRows(results)).split('\n').slice(2);
}

function toTotals(results: readonly Result[]): string {
  const sum = (count: (outcome: Outcome) => number, of = results) =>
    of.reduce((all, { outcome }) => all + count(outcome), 0);
  const invalid = results.filter(({ outcome }) => outcome.isValid === false);
  const usable = invalid.filter(({ outcome }) => outcome.tools > 0);
  return [
    `${results.length} documents, ${sum(({ operations }) => operations ?? 0)} operations, ${sum(({ tools }) => tools)} tools.`,
    ...(invalid.length === 0
      ? []
      : [
          `${invalid.length} of the documents are invalid; ${usable.length} of these give tools, ` +
            `${sum(({ tools }) => tools, usable)} for ${sum(({ operations }) => operations ?? 0, invalid)} operations.`,
        ]),
  ].join(' ');
}

/** A document that exists as JSON and as YAML has one row if both give the same result. */
function toRows(results: readonly Result[]): string[][] {
  const groups = Map.groupBy(results, ({ document }) => toTwinName(document.name));
  return [...groups].flatMap(([name, group]) => {
    const compiled = group.find(({ document }) => document.compiles) ?? group[0];
    const rows = group.map((result) => {
      return [markdownCode(result.document.name), ...toCells(result.outcome, compiled?.typeErrors.length ?? 0)];
    });
    const [first, ...others] = rows;
    const isAlike = others.length > 0 && others.every((row) => row.slice(1).join('|') === first?.slice(1).join('|'));
    return first !== undefined && isAlike ? [[markdownCode(name), ...first.slice(1)]] : rows;
  });
}

/** The same for `3.0/json/a.json` and `3.0/yaml/a.yaml`. */
function toTwinName(name: string): string {
  return name.replaceAll(/\b(?:json|yaml)\b/g, '*');
}

function toCells(outcome: Outcome, typeErrors: number): string[] {
  const { version, isValid, operations, tools, refused, decided, errors, schemas } = outcome;
  const reasons = new Map<string, number>();
  for (const [reason, count] of Object.entries(refused)) {
    const kind = toKind(reason);
    reasons.set(kind, (reasons.get(kind) ?? 0) + count);
  }
  return [
    version,
    isValid === null ? '' : isValid ? 'yes' : 'no',
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
    outcome.bytes === 0 ? '' : typeErrors === 0 ? 'clean' : `${typeErrors} errors`,
    schemas.found === 0
      ? ''
      : schemas.valid === schemas.found
        ? String(schemas.found)
        : `${schemas.valid} of ${schemas.found}`,
  ];
}

/** A reason without names from a particular descriptor. */
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
