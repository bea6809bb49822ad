/** The tools of a first `connector.yaml` by effect, with one decision for all similar tools. */

import type { ServiceModel } from '../../../codegen/model/types.ts';
import { plainName } from '../../../codegen/tools/answers/paging-names.ts';
import { proposeFilters } from '../../../codegen/tools/connector/filters.ts';
import { itemMembers } from '../../../codegen/tools/connector/gateway-arguments.ts';
import type { ToolModel } from '../../../codegen/tools/types.ts';
import { quoted } from '../yaml.ts';
import { countEach, type Draft, toCount, toList } from './draft.ts';
import { proposeWait } from './waits.ts';

const LONG_NAME = 40;
const MAX_ARGUMENTS = 8;
const ASK = 'Remove the others here, or name them under notExposed with the reason.';

const EFFECTS = [
  { title: 'Reading', question: null, has: reads },
  {
    title: 'Writing',
    question: `which of the tools that write may agents have? ${ASK}`,
    has: (tool: ToolModel) => !reads(tool) && !destroys(tool),
  },
  {
    title: 'Overwriting or deleting',
    question: `which of the tools that may overwrite or delete may agents have? ${ASK}`,
    has: (tool: ToolModel) => !reads(tool) && destroys(tool),
  },
];

/** Writes comments on the names, descriptions and arguments of all tools. @param hasDefaults the file has the key `defaults` already */
export function writeWords(tools: readonly ToolModel[], hasDefaults: boolean, draft: Draft): void {
  const long = tools.filter(({ name }) => name.length > LONG_NAME);
  if (long.length > 0) {
    draft.decide(
      'tools',
      `shorter names for ${toCount(long.length, 'tool')} of more than ${LONG_NAME} characters, because some clients add a prefix: ${toList(long.map(({ name }) => name))}.`,
    );
  }
  const silent = tools.filter(isSilent);
  if (silent.length > 0) {
    draft.decide(
      'tools',
      `what do ${toCount(silent.length, 'tool')} do that the descriptor does not describe? ${toList(silent.map(({ name }) => name))}.`,
    );
  }
  const undescribed = tools.flatMap(undescribedOf);
  if (undescribed.length > 0) {
    const counts = countEach(undescribed).slice(0, MAX_ARGUMENTS);
    const some = tools.filter((tool) => undescribedOf(tool).length > 0).length;
    draft.decide(
      'defaults.arguments',
      `what do arguments of ${toCount(some, 'tool')} mean that the descriptor does not describe, such as ${toList(
        counts.map(([name]) => name),
        MAX_ARGUMENTS,
      )}?`,
    );
    if (!hasDefaults) draft.propose(false, 'defaults:');
    draft.propose(
      false,
      '  arguments:',
      ...counts.map(([name, count]) => `    ${quoted(name)}: { description: ... } # ${toCount(count, 'tool')}`),
    );
  }
  const listing = tools.filter(lists);
  if (listing.length > 0) {
    draft.decide(
      'defaults.gatewayArguments',
      `may one call filter, sort and count the items of a whole list? ${toCount(listing.length, 'tool')} can, for about 120 tokens each: ${toList(listing.map(({ name }) => name))}.`,
    );
    if (undescribed.length === 0 && !hasDefaults) draft.propose(false, 'defaults:');
    draft.propose(false, '  gatewayArguments: [list]');
  }
  if (long.length + silent.length + undescribed.length + listing.length > 0) draft.add('');
}

export function writeTools(tools: readonly ToolModel[], model: ServiceModel, draft: Draft): void {
  draft.add(tools.length === 0 ? 'tools: {}' : 'tools:');
  for (const { title, question, has } of EFFECTS) {
    const effectTools = tools.filter(has);
    if (effectTools.length === 0) continue;
    draft.say(`${title}: ${toCount(effectTools.length, 'tool')}.`, '  ');
    if (question !== null) draft.decide('tools', question, '  ');
    for (const tool of effectTools) {
      draft.add(`  ${tool.name}:${marksOf(tool)}`, `    operation: ${quoted(keyOf(tool))}`);
      const wait = proposeWait(tool, tools, model);
      if (wait !== null) draft.decide('tools', 'does it only begin work, and is this how its end is seen?', '    ');
      if (wait !== null) draft.propose(false, `    wait: ${wait}`);
      if (!reads(tool)) continue;
      writeFind(tool, draft);
      writeFilters(tool, draft);
    }
  }
}

/** Members by which people know a thing; in lower case, without separators. */
const KEYS = new Set(['name', 'fullname', 'title', 'email', 'emails', 'emailaddress', 'emailaddresses', 'username']);

function writeFind(tool: ToolModel, draft: Draft): void {
  const keys = itemMembers(tool).flatMap(([name]) => (KEYS.has(plainName(name)) ? [quoted(name)] : []));
  const name = tool.name.replace(/(?<=_)(?:list|index)(?=_|$)/, 'find');
  if (keys.length === 0 || name === tool.name || !lists(tool)) return;
  draft.propose(false, `    find: { tool: ${name}, by: [${keys.join(', ')}] }`);
}

function writeFilters(tool: ToolModel, draft: Draft): void {
  const filters = proposeFilters(tool).map(([member, argument]) => `${quoted(member)}: ${argument}`);
  if (filters.length === 0) return;
  draft.say('To decide: does the service return every item with that value?', '    ');
  draft.propose(false, `    filters: { ${filters.join(', ')} }`);
}

function marksOf(tool: ToolModel): string {
  const undescribed = undescribedOf(tool);
  const marks: string[] = [];
  if (tool.name.length > LONG_NAME) marks.push(`${tool.name.length} characters`);
  if (isSilent(tool)) marks.push('no description');
  if (undescribed.length > 0) marks.push(`not described: ${toList(undescribed, 4)}`);
  return marks.length === 0 ? '' : ` # ${marks.join('; ')}`;
}

function keyOf({ operation }: ToolModel): string {
  return operation.id ?? `${operation.method} ${operation.path}`;
}

function lists({ page, result, annotations }: ToolModel): boolean {
  return annotations.readOnlyHint && (page?.items !== undefined || result.wrapItems);
}

function reads({ annotations }: ToolModel): boolean {
  return annotations.readOnlyHint;
}

function destroys({ annotations }: ToolModel): boolean {
  return annotations.destructiveHint;
}

/** Returns true if the descriptor has no text for the tool. Codegen then describes the tool by its request. */
function isSilent({ description, operation }: ToolModel): boolean {
  return description.trim() === '' || description.includes(`: ${operation.method} ${operation.path}.`);
}

function undescribedOf({ arguments: args }: ToolModel): string[] {
  return args.filter(({ schema }) => !schema.description && !schema.enum).map(({ name }) => name);
}
