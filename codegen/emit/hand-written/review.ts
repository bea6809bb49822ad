/** The text of `TOOLS.md` about hand-written tools: which tools each one calls, and where its code is. */

import { firstSentence } from '../../../shared/search/compact.ts';
import { isRecord, toRecord } from '../../json.ts';
import type { HandWrittenModel } from '../../tools/types.ts';
import { toTypeScriptType } from '../json-schema-type.ts';
import { markdownCode, markdownTable, markdownText } from '../markdown.ts';
import { toFileName } from '../names.ts';
import { scopesFact } from '../review-oauth.ts';
import { effectOf, hintWords } from '../review-words.ts';

/** One section with a table, then each tool; empty if there are no tools. */
export function handWrittenSections(tools: readonly HandWrittenModel[]): string[] {
  if (tools.length === 0) return [];
  const table = markdownTable(
    ['Tool', 'Calls', 'Effect', 'Code'],
    tools.map((tool) => [
      `[${markdownCode(tool.name)}](tools/${toFileName(tool.name)}.ts)`,
      tool.uses.map(markdownCode).join(', '),
      effectOf(tool),
      `[${markdownCode(tool.code)}](../../${tool.file})`,
    ]),
  );
  return ['## Hand-written tools', table, ...tools.map(details)];
}

function details(tool: HandWrittenModel): string {
  return [
    `### ${markdownCode(tool.name)}`,
    `${markdownText(tool.title)} · hand-written over ${tool.uses.map(markdownCode).join(', ')}`,
    markdownText(firstSentence(tool.description)),
    [`Effect: ${effectOf(tool)}. Hints: ${hintWords(tool)}.`, ...scopesFact(tool)]
      .map((fact) => `- ${fact}`)
      .join('\n'),
    ...argumentTable(tool),
  ].join('\n\n');
}

function argumentTable({ inputSchema }: HandWrittenModel): string[] {
  const properties = Object.entries(toRecord(inputSchema.properties));
  const required: unknown[] = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  if (properties.length === 0) return [];
  const rows = properties.map(([name, schema]) => [
    markdownCode(name) + (required.includes(name) ? ' (required)' : ''),
    markdownCode(toTypeScriptType(toRecord(schema))),
    markdownText(firstSentence(isRecord(schema) ? String(schema.description ?? '') : '')),
  ]);
  return [markdownTable(['Argument', 'Type', 'Description'], rows)];
}
