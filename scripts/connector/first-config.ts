/** The first `connector.yaml` of a service: names that codegen chose, and a note for each thing a person must decide. */

import type { ConnectorModel, ToolModel } from '../../codegen/tools/types.ts';
import type { Assumptions } from './assumptions.ts';
import { type Decide, writeAccount, writeCredential } from './first-credential.ts';
import { isTextMember } from './text-member.ts';
import { quoted } from './yaml.ts';

/** What a person must decide about one thing; `place` is where in the file. */
interface Decision {
  readonly place: string;
  readonly text: string;
}

interface FirstConfig {
  readonly text: string;
  readonly decisions: readonly Decision[];
}

const LONG_NAME = 40;
const IDENTITY = /(^|_)(whoami|who_am_i|me|self|current|account|profile|user)(_|$)/;
const CURSOR =
  /^(cursor|pageToken|nextToken|pageCursor|startingAfter|after|continuationToken|nextPage|nextPageToken)$/i;
const NEXT = /^(next|next_?cursor|next_?page|next_?page_?token|next_?token|next_?url|next_?link)$/i;
const MAX_DEPTH = 3;

/**
 * Lists every tool by name, so that an operation which appears upstream later becomes no tool by itself, and a changed
 * operationId renames none.
 *
 * @param connector as it is with the assumptions.
 */
export function toFirstConfig(connector: ConnectorModel, assumptions: Assumptions): FirstConfig {
  const decisions: Decision[] = [];
  const lines: string[] = ['# yaml-language-server: $schema=../../codegen/load/connector.schema.json'];
  const decide: Decide = (place, text, indent = '') => {
    decisions.push({ place, text });
    lines.push(`${indent}# To decide: ${text}`);
  };
  const verify = verifyTool(connector.tools);

  decide('title', 'is this what people call the service, and what does it do for them in one sentence?');
  lines.push(`title: ${quoted(connector.title)}`);
  if (connector.description !== '') lines.push(`description: ${quoted(firstLine(connector.description))}`);
  decide('categories', 'under which labels is it listed? For instance: categories: [Productivity]');
  lines.push('');
  writeServers(assumptions, lines, decide);
  writeCredential(connector, assumptions, lines, decide);
  decide('verify', 'the cheapest reading tool that fails without a valid credential.');
  lines.push(...(verify === null ? [] : ['verify:', `  tool: ${verify.name}`]), '');
  writeAccount(verify, lines, decide);
  decide('errors', 'where do error bodies keep the message? For instance: errors: { message: [/error/message] }');
  writePagination(connector.tools, decide, lines);
  lines.push('# New operations of the upstream become tools only when they are listed.', 'expose: listed', '');
  lines.push(connector.tools.length === 0 ? 'tools: {}' : 'tools:');
  for (const tool of connector.tools) {
    for (const text of toolDecisions(tool)) decide(`tools.${tool.name}`, text, '  ');
    lines.push(`  ${tool.name}:`, `    operation: ${quoted(operationKey(tool))}`);
  }
  return { text: `${lines.join('\n')}\n`, decisions };
}

function writeServers({ servers }: Assumptions, lines: string[], decide: Decide): void {
  const entries = Object.entries(servers);
  if (entries.length === 0) return;
  const isKnown = entries.every(([, url]) => url !== null);
  decide(
    'serverVariables',
    isKnown
      ? 'the descriptor gives no host. Is the service where the descriptor was?'
      : 'the descriptor gives no host. Where is the service?',
  );
  if (isKnown) lines.push('serverVariables:');
  for (const [name, url] of entries) {
    lines.push(
      url === null
        ? `# serverVariables: { ${quoted(name)}: { default: https://... } }`
        : `  ${quoted(name)}: { default: ${quoted(url)} }`,
    );
  }
  lines.push('');
}

function writePagination(tools: readonly ToolModel[], decide: Decide, lines: string[]): void {
  const found = tools.flatMap((tool) => {
    const argument = tool.arguments.find(({ name }) => CURSOR.test(name))?.name;
    const next = argument === undefined ? null : findNext(tool.outputSchema, '', MAX_DEPTH);
    return argument === undefined || next === null ? [] : [`{ argument: ${argument}, next: ${next} }`];
  });
  const [likely] = mostCommon(found);
  if (likely === undefined) return;
  decide('pagination', `does this lead to the next page? pagination: ${likely}`);
  lines.push('');
}

function toolDecisions(tool: ToolModel): string[] {
  const { readOnlyHint, destructiveHint } = tool.annotations;
  const undescribed = tool.arguments.filter(({ schema }) => !schema.description).map(({ name }) => name);
  return [
    ...(readOnlyHint
      ? []
      : [destructiveHint ? 'may it overwrite or delete? Keep it as a tool?' : 'it writes. Keep it as a tool?']),
    ...(tool.name.length > LONG_NAME
      ? [`a shorter name; some clients add a prefix to these ${tool.name.length} characters.`]
      : []),
    ...(tool.description.trim() === '' ? ['a description: what it does, when to use it, what comes back.'] : []),
    ...(undescribed.length > 0 ? [`words for ${undescribed.join(', ')}.`] : []),
  ];
}

/** A tool that reads and needs no argument, one that tells who the user is before all others. */
function verifyTool(tools: readonly ToolModel[]): ToolModel | null {
  const simple = tools.filter(
    (tool) => tool.annotations.readOnlyHint && tool.arguments.every(({ required }) => !required),
  );
  return simple.find(({ name }) => IDENTITY.test(name)) ?? simple[0] ?? null;
}

/** Pointer to the first member that looks like a next cursor. */
function findNext(schema: Readonly<Record<string, unknown>>, pointer: string, depth: number): string | null {
  const members = Object.entries((schema.properties ?? {}) as Record<string, Readonly<Record<string, unknown>>>);
  const hit = members.find(([name, member]) => NEXT.test(name) && isTextMember(member));
  if (hit !== undefined) return `${pointer}/${hit[0]}`;
  if (depth === 0) return null;
  for (const [name, member] of members) {
    const inner = findNext(member, `${pointer}/${name}`, depth - 1);
    if (inner !== null) return inner;
  }
  return null;
}

function mostCommon(values: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([value]) => value);
}

function operationKey({ operation }: ToolModel): string {
  return operation.id ?? `${operation.method} ${operation.path}`;
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
