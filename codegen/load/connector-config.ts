/** The shape of `connector.yaml`: every decision and every word of ours about one service. */

import { z } from 'zod';

const text = z.string().trim().min(1);
const pointer = z
  .string()
  .regex(/^(\/([^~/]|~[01])*)*$/, 'must be an RFC 6901 JSON pointer such as /pagination/next_cursor');
const argumentName = z.string().regex(/^[a-zA-Z0-9_.-]{1,64}$/);
const toolName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);

/** `query.page_size`, `body`, `body.top_k`, `query.filters[ticker]` or `query.filters[{filterColumnName}]`. */
const wire = z
  .string()
  .regex(
    /^(body|(path|query|header|body)\.[^[\]]+(\[(\{[a-zA-Z0-9_.-]+\}|[^{}[\]]+)\])?)$/,
    'must be body, path.x, query.x, header.x, body.x, query.x[key] or query.x[{argument}]',
  );
const wireMember = z
  .string()
  .regex(/^(path|query|header|body)\.[^[\]]+$/, 'must be path.x, query.x, header.x or body.x');
const operationKey = text.describe('An operationId, or a method and a path such as "GET /documents/{document_id}".');

const argument = z.strictObject({
  wire: wire
    .optional()
    .describe('Where the value travels. Default: the parameter whose camelCase name is this argument.'),
  description: text.optional(),
  required: z.literal(true).optional().describe('Makes an argument required that the descriptor leaves optional.'),
  schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("Replaces the descriptor's schema; needed where `wire` has none."),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).min(1).optional(),
  default: z.unknown().optional(),
  examples: z.array(z.unknown()).min(1).optional(),
  format: text.optional(),
  pattern: text.optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.int().nonnegative().optional(),
  maxLength: z.int().nonnegative().optional(),
  minItems: z.int().nonnegative().optional(),
  maxItems: z.int().nonnegative().optional(),
  sent: z
    .literal(false)
    .optional()
    .describe('The argument is checked (mustEqual) or names a key, and is not sent by itself.'),
  mustEqual: text.optional().describe('A template of other arguments, such as {vendorCode}/{tableCode}.'),
});

const hints = z.strictObject({
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
  reason: text.describe("Why these differ from the method's default."),
});

const pagination = z.strictObject({
  argument: argumentName.describe('The argument that takes the cursor.'),
  next: pointer.describe('Where the answer keeps the next cursor, or a URL that contains it.'),
  queryParameter: text.optional().describe('The query parameter of that URL which is the cursor.'),
  more: pointer.optional().describe('A boolean in the answer; false ends the list.'),
});

const rows = z.strictObject({ columns: pointer, columnName: pointer.default('/name'), rows: pointer });

const tool = z.strictObject({
  operation: operationKey,
  title: text.optional(),
  description: text.optional(),
  arguments: z
    .record(argumentName, argument)
    .optional()
    .describe('Overrides by argument name. Order here decides the order of these arguments.'),
  omit: z.array(wireMember).optional().describe('Optional wire parameters that the tool does not offer.'),
  fixed: z.record(wireMember, z.unknown()).optional().describe('Values that every call sends and no model chooses.'),
  hints: hints.optional(),
  pagination: pagination.nullable().optional().describe("Replaces the service's rule; null: this tool has no pages."),
  rows: rows.optional(),
});

export const connectorConfigSchema = z.strictObject({
  $schema: z.string().optional(),
  title: text.optional(),
  description: text.optional(),
  categories: z.array(text).default([]),
  toolPrefix: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/)
    .optional()
    .describe('Prefix of default tool names. Default: the folder name.'),
  serverVariables: z
    .record(
      z.string(),
      z.strictObject({
        env: z
          .string()
          .regex(/^[A-Z][A-Z0-9_]*$/)
          .optional(),
        default: text.optional(),
        derive: z.strictObject({ from: text, removeSuffix: text }).optional(),
      }),
    )
    .default({})
    .describe('By variable name. `base_url` is the variable of a server without one.'),
  credential: z
    .strictObject({
      schemes: z
        .array(text)
        .optional()
        .describe('Which security schemes to ask for, where the descriptor offers alternatives. An empty list: none.'),
      parts: z
        .array(
          z.discriminatedUnion('type', [
            z.strictObject({ id: text, type: z.literal('bearer'), label: text }),
            z.strictObject({ id: text, type: z.literal('basic'), label: text }),
            z.strictObject({ id: text, type: z.literal('header'), label: text, name: text }),
            z.strictObject({ id: text, type: z.literal('query'), label: text, name: text }),
          ]),
        )
        .optional()
        .describe('For descriptors that declare no security scheme.'),
      labels: z.record(text, text).optional().describe('By security scheme: what the connect page calls it.'),
      help: text.optional(),
      url: z.url({ protocol: /^https$/ }).optional(),
    })
    .default({}),
  verify: z
    .strictObject({ tool: toolName, arguments: z.record(argumentName, z.unknown()).default({}) })
    .optional()
    .describe('The call that proves that a credential works.'),
  errors: z
    .strictObject({
      message: z.array(pointer).default([]),
      code: z.array(pointer).default([]),
      details: z.array(pointer).default([]),
      invalidCredential: z.array(z.strictObject({ status: z.int(), pointer, contains: text })).default([]),
      inSuccess: pointer.optional(),
    })
    .optional(),
  pagination: pagination.optional().describe('For every tool that has the argument.'),
  expose: z.enum(['all', 'listed']).default('all'),
  notExposed: z.record(operationKey, text).default({}).describe('Operations without a tool, with the reason.'),
  defaults: z
    .strictObject({
      arguments: z
        .record(argumentName, argument)
        .optional()
        .describe('For every tool that has the argument; a tool overrides it.'),
      fixed: z.record(wireMember, z.unknown()).optional(),
      omit: z.array(wireMember).optional(),
    })
    .default({}),
  tools: z.record(toolName, tool).default({}),
});

export type ConnectorConfig = z.output<typeof connectorConfigSchema>;
export type ToolConfig = NonNullable<ConnectorConfig['tools'][string]>;
export type ArgumentConfig = z.output<typeof argument>;
