/** The gateway's own four tools, which find, describe and call the tools of connectors. */

import type { FinderToolName } from '../../../../shared/search/tool-names.ts';
import type { ObjectSchema, ToolHints } from '../../../contract/index.ts';

/** Such a tool as in a list. */
interface FinderTool {
  readonly name: FinderToolName;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly annotations: ToolHints;
}

/** Descriptions per call. */
const MAX_DESCRIBED = 20;
const MAX_FOUND = 50;
export const DEFAULT_FOUND = 10;

const CALL_SCHEMA: ObjectSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Name of the tool, from search_tools.' },
    arguments: { type: 'object', description: 'Its arguments, as describe_tools describes them. Default: none.' },
  },
  required: ['name'],
  additionalProperties: false,
};

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true } as const;

/** Sorted by name. */
export const FINDER_TOOLS: readonly FinderTool[] = [
  {
    name: 'call_reading_tool',
    title: 'Call a tool that reads',
    description:
      'Calls a tool that only reads, by name, and returns its result. Invalid arguments return the schema that they need. For tools that write use call_writing_tool.',
    inputSchema: CALL_SCHEMA,
    annotations: { ...READS, openWorldHint: true },
  },
  {
    name: 'call_writing_tool',
    title: 'Call a tool that writes',
    description:
      'Calls a tool that writes or destroys, by name, and returns its result. Invalid arguments return the schema that they need. For tools that only read use call_reading_tool.',
    inputSchema: CALL_SCHEMA,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  {
    name: 'describe_tools',
    title: 'Describe tools',
    description:
      'Returns the full description and the argument schema of tools, by name. Call it before you first call a tool that you do not know.',
    inputSchema: {
      type: 'object',
      properties: {
        names: {
          type: 'array',
          description: `Names of tools, at most ${MAX_DESCRIBED}.`,
          items: { type: 'string' },
          minItems: 1,
          maxItems: MAX_DESCRIBED,
        },
        answers: { type: 'boolean', description: 'Whether to describe their answers too. Default: false.' },
      },
      required: ['names'],
      additionalProperties: false,
    },
    annotations: { ...READS, openWorldHint: false },
  },
  {
    name: 'search_tools',
    title: 'Search tools',
    description:
      "Finds tools of the user's connected services by what they do, best first: name, what it does, service, and whether it reads, writes or destroys. Start here. Then describe_tools says which arguments a tool takes, and call_reading_tool or call_writing_tool calls it.",
    inputSchema: {
      type: 'object',
      properties: {
        words: {
          type: 'string',
          description: 'What to do, such as "list open invoices of a customer". Default: all tools, by name.',
          maxLength: 500,
        },
        service: { type: 'string', description: 'Only tools of this service, such as "crm".' },
        effect: {
          type: 'string',
          enum: ['reads', 'writes'],
          description: 'Only tools that read, or only tools that write.',
        },
        limit: { type: 'integer', minimum: 1, maximum: MAX_FOUND, description: `Default: ${DEFAULT_FOUND}.` },
      },
      additionalProperties: false,
    },
    annotations: { ...READS, openWorldHint: false },
  },
];

/** The tools by name. */
export const FINDER_TOOLS_BY_NAME: ReadonlyMap<string, FinderTool> = new Map(
  FINDER_TOOLS.map((tool) => [tool.name, tool]),
);

export function finderToolOf(name: FinderToolName): FinderTool {
  const tool = FINDER_TOOLS_BY_NAME.get(name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
}
