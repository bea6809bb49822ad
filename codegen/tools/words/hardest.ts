/** Finds the tools of a service that are hardest for a model to choose and to fill in, and suggests improvements. */

import { isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import type { ToolModel } from '../types.ts';
import { toSingular, toWords } from './words.ts';

/** Why a tool is hard, in the order of reporting for equal weights. */
export type HardshipCode =
  | 'no-description'
  | 'near-equal'
  | 'digest-name'
  | 'open-arguments'
  | 'undescribed-arguments'
  | 'many-arguments'
  | 'tokens';

export interface Hardship {
  readonly code: HardshipCode;
  /** Weight of the problem; 10 is a tool that a model cannot use well. */
  readonly weight: number;
  /** One sentence. */
  readonly reason: string;
  /** One sentence on what to add to connector.yaml. */
  readonly fix: string;
}

export interface HardTool {
  readonly name: string;
  /** `GET /documents/{document_id}`. */
  readonly operation: string;
  /** Sum of the weights. */
  readonly score: number;
  /** The heaviest first; never empty. */
  readonly hardships: readonly Hardship[];
}

interface HardestOptions {
  /** Maximum number of tools. Default: 10. */
  readonly count?: number;
  /** Tokens of a tool in `tools/list`. Default: an estimate, a quarter of its characters. */
  readonly tokensOf?: (tool: ToolModel) => number;
}

const DEFAULT_COUNT = 10;
const CHARS_PER_TOKEN = 4;
/** Usual sizes: each further multiple of one adds one to the weight. */
const USUAL_TOKENS = 1000;
const USUAL_ARGUMENTS = 15;
const MAX_NAMED = 4;
const OPEN = /Described no further here\.|^Any JSON\b/;
const DIGEST = /_(?=[0-9a-f]*[0-9])[0-9a-f]{6}(?:[0-9a-f]{26}|[0-9a-f]{42})?$/;

/** The hardest tools first, equal ones by name; tools without any problem are left out. */
export function findHardest(tools: readonly ToolModel[], options: HardestOptions = {}): readonly HardTool[] {
  const { count = DEFAULT_COUNT, tokensOf = estimateTokens } = options;
  const neighboursOf = createNeighbourFinder(tools);
  return tools
    .map((tool) => toHardTool(tool, neighboursOf(tool), tokensOf(tool)))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, count);
}

/** Lines for a terminal: each tool with its reasons and fixes. Empty if no tool is hard. */
export function formatHardest(hardest: readonly HardTool[]): string {
  const blocks = hardest.map(({ name, operation, hardships }, index) =>
    [`${index + 1}. ${name} (${operation})`, ...hardships.map(({ reason, fix }) => `   - ${reason} ${fix}`)].join('\n'),
  );
  return blocks.length === 0 ? '' : `${blocks.join('\n')}\n`;
}

function toHardTool(tool: ToolModel, neighbours: readonly string[], tokens: number): HardTool {
  const { method, path } = tool.operation;
  const hardships = [...hardshipsOfWords(tool, neighbours), ...hardshipsOfArguments(tool, tokens)];
  return {
    name: tool.name,
    operation: `${method} ${path}`,
    score: hardships.reduce((sum, { weight }) => sum + weight, 0),
    hardships: hardships.sort((a, b) => b.weight - a.weight),
  };
}

function hardshipsOfWords(tool: ToolModel, neighbours: readonly string[]): readonly Hardship[] {
  const { name, description, operation } = tool;
  const hardships: Hardship[] = [];
  if (description.includes(`: ${operation.method} ${operation.path}.`)) {
    const reason = 'The descriptor does not say what it does.';
    hardships.push({ code: 'no-description', weight: 5, reason, fix: `Write tools.${name}.description.` });
  }
  if (neighbours.length > 0) {
    const reason = `Its name or its title is almost that of ${toList(neighbours)}.`;
    const fix = 'Name one of them under tools, and say in both descriptions when to use which.';
    hardships.push({ code: 'near-equal', weight: 3, reason, fix });
  }
  if (DIGEST.test(name)) {
    const reason = 'Its name ends in a digest, which a model cannot tell apart.';
    const fix = `Name it under tools, with operation: ${operation.method} ${operation.path}.`;
    hardships.push({ code: 'digest-name', weight: 4, reason, fix });
  }
  return hardships;
}

function hardshipsOfArguments({ name, arguments: args, gatewayArguments = [] }: ToolModel, tokens: number): Hardship[] {
  const own = args.filter((argument) => !gatewayArguments.some((gateway) => gateway === argument.name));
  const open = own.filter(({ schema }) => isOpen(schema)).map((argument) => argument.name);
  const silent = own.filter(({ schema }) => !schema.description && !schema.enum).map((argument) => argument.name);
  const hardships: Hardship[] = [];
  if (open.length > 0) {
    const reason = `${toList(open)} may hold anything: the schema does not say what.`;
    const fix = `Give ${open.length === 1 ? 'it' : 'them'} a schema under tools.${name}.arguments.`;
    hardships.push({ code: 'open-arguments', weight: Math.min(2 + open.length, 5), reason, fix });
  }
  if (silent.length > 0) {
    const reason = `No description for ${toList(silent)}: ${silent.length} of ${own.length} arguments.`;
    const fix = `Describe them under tools.${name}.arguments, or under defaults.arguments where many tools have them.`;
    const weight = Math.min((4 * silent.length) / own.length + silent.length / 10, 5);
    hardships.push({ code: 'undescribed-arguments', weight, reason, fix });
  }
  if (own.length > USUAL_ARGUMENTS) {
    const reason = `It takes ${own.length} arguments.`;
    const fix = `Leave out what no agent needs with tools.${name}.omit, or fix values with fixed.`;
    hardships.push({ code: 'many-arguments', weight: Math.min(own.length / USUAL_ARGUMENTS, 5), reason, fix });
  }
  if (tokens > USUAL_TOKENS) {
    const reason = `It costs about ${Math.round(tokens / 100) * 100} tokens in every list.`;
    const fix = `Shorten it with tools.${name}.omit, schemas of its arguments, or outputSchemas: brief.`;
    hardships.push({ code: 'tokens', weight: Math.min(tokens / USUAL_TOKENS, 5), reason, fix });
  }
  return hardships;
}

/** True for an object without known members, or a schema that accepts anything. */
function isOpen(schema: Schema): boolean {
  if (typeof schema.description === 'string' && OPEN.test(schema.description)) return true;
  const type = [schema.type].flat();
  const hasShape = ['properties', 'anyOf', 'oneOf', 'allOf', '$ref', 'enum', 'const'].some((key) => key in schema);
  if (hasShape) return false;
  if (schema.type === undefined) return true;
  return type.includes('object') && !(isRecord(schema.additionalProperties) && 'type' in schema.additionalProperties);
}

/** Finds tools whose names have the same words in another number or order, or that have the same title. */
function createNeighbourFinder(tools: readonly ToolModel[]): (tool: ToolModel) => readonly string[] {
  const keyOfName = ({ name }: ToolModel) => toWords(name).map(toSingular).sort().join(' ');
  const keyOfTitle = ({ title }: ToolModel) => toWords(title).join(' ');
  const byName = Map.groupBy(tools, keyOfName);
  const byTitle = Map.groupBy(tools, keyOfTitle);
  return (tool) => {
    const near = [...(byName.get(keyOfName(tool)) ?? []), ...(byTitle.get(keyOfTitle(tool)) ?? [])];
    return [...new Set(near.map(({ name }) => name))].filter((name) => name !== tool.name).sort();
  };
}

function toList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).join(', ');
  return names.length <= MAX_NAMED ? shown : `${shown} and ${names.length - MAX_NAMED} more`;
}

function estimateTokens({ title, description, inputSchema, outputSchema }: ToolModel): number {
  return JSON.stringify([title, description, inputSchema, outputSchema]).length / CHARS_PER_TOKEN;
}
