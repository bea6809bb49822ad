/** The arguments that the gateway itself takes, after those of the service. */

import { isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import type { Reporter } from '../problems.ts';
import { type ArgumentModel, GATEWAY_ARGUMENTS, type GatewayArgument, type ToolModel } from '../types.ts';

/** Maximum records of one call: limits what a model requests by mistake. */
const MAX_ITEMS = 1000;

type Built = Pick<ToolModel, 'name' | 'arguments' | 'inputSchema' | 'outputSchema' | 'page'>;

interface Wanted {
  /** The list in the tool's own entry of connector.yaml. */
  readonly own: readonly GatewayArgument[] | undefined;
  /** The list in the service's defaults; a tool skips those that it cannot take. */
  readonly service: readonly GatewayArgument[] | undefined;
  /** True if the tool changes nothing. */
  readonly reads: boolean;
}

/** The arguments and the input schema of a tool, with the gateway's own arguments last. */
export function addGatewayArguments(
  tool: Built,
  { own, service = [], reads }: Wanted,
  report: Reporter,
): Pick<ToolModel, 'arguments' | 'inputSchema' | 'gatewayArguments'> {
  const names = GATEWAY_ARGUMENTS.filter((name) => {
    if (!(own ?? service).includes(name)) return false;
    const problem = findProblem(name, tool, reads);
    const isNoMistake = own === undefined && problem?.isCollision !== true;
    if (problem === null || isNoMistake) return problem === null;
    const path = own === undefined ? ['defaults', 'gatewayArguments'] : ['tools', tool.name, 'gatewayArguments'];
    report.config('config-gateway-arguments', path, problem.message, problem.fix);
    return false;
  });
  if (names.length === 0) return { arguments: tool.arguments, inputSchema: tool.inputSchema };
  const added = names.map(
    (name): ArgumentModel => ({ name, required: false, schema: schemaOf(name, tool), wire: null }),
  );
  const { properties } = tool.inputSchema;
  return {
    arguments: [...tool.arguments, ...added],
    inputSchema: {
      ...tool.inputSchema,
      properties: {
        ...(isRecord(properties) ? properties : {}),
        ...Object.fromEntries(added.map(({ name, schema }) => [name, schema])),
      },
    },
    gatewayArguments: names,
  };
}

interface Problem {
  readonly message: string;
  readonly fix?: string;
  readonly isCollision?: true;
}

function findProblem(name: GatewayArgument, tool: Built, reads: boolean): Problem | null {
  if (tool.arguments.some((argument) => argument.name === name)) {
    return {
      message: `${tool.name} has an argument ${name} of the service.`,
      fix: `Give that one another name under \`arguments\`, with \`wire\`, or leave ${name} out of \`gatewayArguments\`.`,
      isCollision: true,
    };
  }
  if (!reads) return { message: `${tool.name} writes: a call of it is not made again for the rest of an answer.` };
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

function schemaOf(name: GatewayArgument, { outputSchema }: Built): Schema {
  switch (name) {
    case 'fields':
      return {
        type: 'array',
        description: `Return only these members, by dotted path${exampleOf(outputSchema)}.`,
        items: { type: 'string' },
      };
    case 'maxItems':
      return { type: 'integer', description: 'Follow pages to gather this many.', minimum: 1, maximum: MAX_ITEMS };
    case 'resume':
      return { type: 'string', description: 'From page.nextArguments of a partial answer.' };
  }
}

/** `, e.g. data.id`: the first member of the first list, or empty if the answer has no list. */
function exampleOf(schema: Schema): string {
  const members = membersOf(schema, schema);
  const list =
    members.find(([, member]) => isRecord(member.items)) ?? members.find(([, member]) => isRecord(member.properties));
  if (list === undefined) return members[0] === undefined ? '' : `, e.g. ${members[0][0]}`;
  const [name, member] = list;
  const [inner] = membersOf(isRecord(member.items) ? member.items : member, schema);
  return `, e.g. ${inner === undefined ? name : `${name}.${inner[0]}`}`;
}

function membersOf(schema: Schema, root: Schema): (readonly [string, Schema])[] {
  const { $ref } = schema;
  const definitions = isRecord(root.$defs) ? root.$defs : {};
  const target = typeof $ref === 'string' ? definitions[$ref.replace('#/$defs/', '')] : schema;
  const properties = isRecord(target) && isRecord(target.properties) ? target.properties : {};
  return Object.entries(properties).flatMap(([name, member]) =>
    isRecord(member) && name !== 'page' ? [[name, member] as const] : [],
  );
}
