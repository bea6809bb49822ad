/** The arguments that the gateway itself takes, after those of the service. */

import { isRecord, toRecord } from '../../json.ts';
import { pointerTokens } from '../../json-pointer.ts';
import type { Schema } from '../../model/types.ts';
import type { Reporter } from '../problems.ts';
import { followLocal } from '../schema/walk.ts';
import { type ArgumentModel, GATEWAY_ARGUMENTS, type GatewayArgument, type ToolModel } from '../types.ts';

/** Maximum records of one call: limits what a model requests by mistake. */
const MAX_ITEMS = 1000;

/** The arguments that `list` in connector.yaml stands for. */
const LIST_ARGUMENTS: readonly GatewayArgument[] = ['where', 'fields', 'sort', 'aggregate', 'maxItems'];

export type BaseTool = Pick<ToolModel, 'name' | 'arguments' | 'inputSchema' | 'outputSchema' | 'page' | 'result'>;
type GatewayArgumentList = readonly (GatewayArgument | 'list')[];

interface GatewayArgumentConfig {
  /** The list in the tool's own entry of connector.yaml. */
  readonly toolList: GatewayArgumentList | undefined;
  /** The list in the service's defaults; a tool skips those that it cannot take. */
  readonly serviceList: GatewayArgumentList | undefined;
  /** True if the tool changes nothing. */
  readonly isReadOnly: boolean;
  /** `batch` in the tool's own entry. */
  readonly batch?: readonly string[] | undefined;
  /** Members of items by which arguments in connector.yaml filter. They are examples where the schema names no members. */
  readonly filtered?: readonly string[];
}

/** The arguments and the input schema of a tool, with the gateway's own arguments last. */
export function addGatewayArguments(
  tool: BaseTool,
  { toolList, serviceList = [], isReadOnly, batch, filtered = [] }: GatewayArgumentConfig,
  report: Reporter,
): Pick<ToolModel, 'arguments' | 'inputSchema' | 'gatewayArguments' | 'batch'> {
  if (batch !== undefined) return addBatch(tool, batch, isReadOnly, report);
  const configuredNames = toolList ?? serviceList;
  const isList = itemsPointer(tool, toolList !== undefined) !== null;
  const path = toolList === undefined ? ['defaults', 'gatewayArguments'] : ['tools', tool.name, 'gatewayArguments'];
  if (toolList?.includes('list') && !isList) report.config('config-gateway-arguments', path, ...noList(tool));
  const names = GATEWAY_ARGUMENTS.filter((name) => {
    const isFromList = configuredNames.includes('list') && isList && LIST_ARGUMENTS.includes(name);
    if (!configuredNames.includes(name)) return isFromList && findProblem(name, tool, isReadOnly, isList) === null;
    const problem = findProblem(name, tool, isReadOnly, isList);
    const isSkippable = toolList === undefined && problem?.isCollision !== true;
    if (problem === null || isSkippable) return problem === null;
    report.config('config-gateway-arguments', path, problem.message, problem.fix);
    return false;
  });
  if (names.length === 0) return { arguments: tool.arguments, inputSchema: tool.inputSchema };
  const schemas = Object.fromEntries(names.map((name) => [name, schemaOf(name, tool, filtered)]));
  return { ...withArguments(tool, schemas), gatewayArguments: names };
}

/** The arguments and the input schema with more arguments, which no request carries. */
function withArguments({ arguments: args, inputSchema }: BaseTool, schemas: Readonly<Record<string, Schema>>) {
  const added = Object.entries(schemas).map(
    ([name, schema]): ArgumentModel => ({ name, required: false, schema, wire: null }),
  );
  return {
    arguments: [...args, ...added],
    inputSchema: { ...inputSchema, properties: { ...toRecord(inputSchema.properties), ...schemas } },
  };
}

/** The tool with `also` and `count`. */
function addBatch(
  tool: BaseTool,
  batchNames: readonly string[],
  isReadOnly: boolean,
  report: Reporter,
): ReturnType<typeof addGatewayArguments> {
  const { name, arguments: args, inputSchema } = tool;
  const batchArguments = batchNames.map((argument) => args.find((candidate) => candidate.name === argument));
  const unknownName = batchNames[batchArguments.indexOf(undefined)];
  let problem: string | undefined;
  if (isReadOnly) problem = `${name} only reads.`;
  else if (unknownName !== undefined) problem = `${name} has no argument ${unknownName}.`;
  else if (args.some((argument) => ['also', 'count'].includes(argument.name)))
    problem = `${name} has an argument also or count of the service.`;
  if (problem !== undefined) {
    report.config('config-gateway-arguments', ['tools', name, 'batch'], problem, 'Leave out `batch`.');
    return { arguments: args, inputSchema };
  }
  const { type = 'string' } = batchArguments[0]?.schema ?? {};
  const items = batchNames.length > 1 ? { type: 'object' } : { type };
  const also = { type: 'array', description: `A batch: more of ${batchNames.join(', ')}.`, items };
  return {
    ...withArguments(tool, { also, count: { type: 'integer' } }),
    gatewayArguments: ['also', 'count'],
    batch: batchNames,
  };
}

const noList = ({ name }: BaseTool) =>
  [`${name} has no list to select items from.`, 'Say in `pagination` where the records are (`items`).'] as const;

interface Problem {
  readonly message: string;
  readonly fix?: string;
  readonly isCollision?: true;
}

/**
 * Returns the pointer to the items of a list in the answer, as the gateway finds them, or null if it has none.
 *
 * @param hasOwnArguments true if connector.yaml lists arguments of the gateway for this tool: then its only array is the list.
 */
function itemsPointer({ page, result, outputSchema }: BaseTool, hasOwnArguments: boolean): string | null {
  const pointer = page?.items ?? result.rows?.rows ?? (result.wrapItems ? '' : null);
  if (pointer !== null || !hasOwnArguments) return pointer;
  const arrays = membersOf(outputSchema, outputSchema).filter(([, member]) => member.items !== undefined);
  return arrays.length === 1 ? `/${arrays[0]?.[0]}` : null;
}

function findProblem(name: GatewayArgument, tool: BaseTool, isReadOnly: boolean, isList: boolean): Problem | null {
  if (tool.arguments.some((argument) => argument.name === name)) {
    return {
      message: `${tool.name} has an argument ${name} of the service.`,
      fix: `Give that one another name under \`arguments\`, with \`wire\`, or leave ${name} out of \`gatewayArguments\`.`,
      isCollision: true,
    };
  }
  if (!isReadOnly) return { message: `${tool.name} writes: a call of it is not made again for the rest of an answer.` };
  if (['where', 'sort', 'aggregate'].includes(name) && !isList) {
    const [message, fix] = noList(tool);
    return { message, fix };
  }
  if (name !== 'maxItems') return null;
  const { page } = tool;
  if (page === null || page.items === undefined || page.size === undefined) {
    return {
      message: `The pages of ${tool.name} cannot be followed: \`pagination\` has no items or no size for it.`,
      fix: 'Say in `pagination` where the records are (`items`) and which argument is the size of a page (`size`).',
    };
  }
  const size = tool.arguments.find((argument) => argument.name === page.size);
  if (typeof size?.schema.maximum === 'number') return null;
  return {
    message: `${tool.name} does not say how large a page may be.`,
    fix: `Set \`maximum\` of the argument ${page.size}.`,
  };
}

function schemaOf(name: (typeof GATEWAY_ARGUMENTS)[number], tool: BaseTool, filtered: readonly string[]): Schema {
  switch (name) {
    case 'where':
      return { type: 'object', description: `e.g. ${conditionOn(searchedMember(tool, filtered), tool)}` };
    case 'fields': {
      const path = exampleOf(tool.outputSchema);
      return { type: 'array', description: `e.g. ${path}`, items: { type: 'string' } };
    }
    case 'sort':
      return { type: 'string', description: `e.g. -${searchedMember(tool, filtered)}` };
    case 'aggregate':
      return { type: 'object', description: 'Figures only: {count, sum, by, per}' };
    case 'maxItems':
      return { type: 'integer', description: 'Gathers pages.', minimum: 1, maximum: MAX_ITEMS };
    case 'resume':
      return { type: 'string', description: 'From page.nextArguments of a partial answer.' };
    case 'also':
    case 'count':
      throw new Error('a batch has schemas of its own');
  }
}

/** Members that people search by, where an item has one. */
const SEARCHED_MEMBERS = /name|title|email|type|status|label/i;

/** A condition on a member that fits its type. */
function conditionOn(member: string, tool: BaseTool): string {
  const schema = itemMembers(tool).find(([name]) => name === member)?.[1];
  const types = [schema?.type].flat();
  if (types.includes('number') || types.includes('integer')) return `{"${member}": {"atLeast": 1}}`;
  return types.includes('boolean') ? `{"${member}": true}` : `{"${member}": {"contains": "a"}}`;
}

/**
 * The member of items that examples use; a placeholder where neither the schema nor connector.yaml names one.
 *
 * @param filtered members by which the service filters.
 */
function searchedMember(tool: BaseTool, filtered: readonly string[]): string {
  const names = itemMembers(tool).map(([name]) => name);
  const searched = names.find((name) => SEARCHED_MEMBERS.test(name) && !/id$/i.test(name)) ?? names[1] ?? names[0];
  return searched ?? filtered[0] ?? '<column>';
}

/** The members that the schema lists of the items of a list. @param path dotted, of a member whose own members are asked for. */
export function itemMembers(tool: BaseTool, path = ''): (readonly [string, Schema])[] {
  const root = tool.outputSchema;
  const pointer = itemsPointer(tool, true) ?? '';
  const tokens = [...pointerTokens(pointer === '' ? '/items' : pointer), ...path.split('.').filter(Boolean)];
  const itemSchemaOf = (schema: Schema): Schema => (isRecord(schema.items) ? schema.items : schema);
  const target = tokens.reduce<Schema>(
    (schema, token) => membersOf(itemSchemaOf(schema), root).find(([name]) => name === token)?.[1] ?? {},
    root,
  );
  return membersOf(itemSchemaOf(target), root);
}

/** The first member of the first list as a dotted path, else the first member. */
function exampleOf(schema: Schema): string {
  const members = membersOf(schema, schema);
  const list =
    members.find(([, member]) => isRecord(member.items)) ?? members.find(([, member]) => isRecord(member.properties));
  if (list === undefined) return members[0]?.[0] ?? 'id';
  const [name, member] = list;
  const [firstMember] = membersOf(isRecord(member.items) ? member.items : member, schema);
  return firstMember === undefined ? name : `${name}.${firstMember[0]}`;
}

function membersOf(schema: Schema, root: Schema): (readonly [string, Schema])[] {
  const { properties } = followLocal(schema, root);
  return Object.entries(toRecord(properties)).flatMap(([name, member]) =>
    isRecord(member) && name !== 'page' ? [[name, member] as const] : [],
  );
}
