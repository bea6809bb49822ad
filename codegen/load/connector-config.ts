/** The schema of `connector.yaml`: every decision and every text of ours about one service. */

import { z } from 'zod';
import { caps, errors, rateLimitHeaders } from './config/answers.ts';
import { events } from './config/events.ts';
import { expose } from './config/expose.ts';
import { keep, pagination, withhold } from './config/paging.ts';
import { serverVariable } from './config/servers.ts';
import { wait } from './config/wait.ts';
import { argumentName, pointer, text, toolName } from './config-values.ts';
import {
  checkArgument,
  checkBudget,
  checkCategories,
  checkDecisions,
  checkGatewayArguments,
  checkHints,
  checkTool,
} from './connector-rules.ts';
import { credential, scopes, verify } from './credential-config.ts';

/** `query.page_size`, `body`, `body.top_k`, `query.filters[ticker]` or `query.filters[{filterColumnName}]`. */
const wire = z
  .string()
  .regex(
    /^(body|(path|query|header|cookie|body)\..+)$/,
    'must be body, path.x, query.x, header.x, cookie.x, body.x, body.x.y, query.x[key] or query.x[{argument}]',
  );
const wireMember = z
  .string()
  .regex(/^(path|query|header|cookie|body)\..+$/, 'must be path.x, query.x, header.x, cookie.x or body.x');
const fingerprint = z
  .string()
  .regex(
    /^[0-9a-f]{12}(?:[0-9a-f]{20})?$/,
    'must be the 12 hexadecimal digits of a change, or the 32 of texts, in quotes',
  );
const profileRule = z.string().regex(/^[a-z]+\/[a-z-]+$/, 'must be a client and its rule, such as openai/lookaround');
const operationKey = text.describe('An operationId, or a method and a path such as "GET /documents/{document_id}".');
const schemaType = z.enum(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

const argument = z
  .strictObject({
    wire: wire
      .optional()
      .describe(
        'Where the value travels: path.x, query.x, header.x, cookie.x, body.x, body.x.y (a member of an object), body (the whole body), query.x[key], or query.x[{argument}] where another argument names the key. Default: the parameter or body member whose camelCase name is this argument.',
      ),
    description: text
      .optional()
      .describe("What a model reads: meaning, allowed values, default, unit. Default: the descriptor's text."),
    required: z.literal(true).optional().describe('Makes an argument required that the descriptor leaves optional.'),
    schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("A JSON Schema that replaces the descriptor's; needed where `wire` has none."),
    type: z
      .union([schemaType, z.array(schemaType).min(1)])
      .optional()
      .describe('Narrows the JSON type, for instance where the descriptor also allows null.'),
    enum: z.array(z.unknown()).min(1).optional().describe('The only values that the tool accepts.'),
    default: z
      .unknown()
      .optional()
      .describe('What happens when the argument is missing. Shown to the model, and sent only with `sent: always`.'),
    examples: z.array(z.unknown()).min(1).optional().describe('Values for a model to imitate.'),
    format: text.optional().describe('A JSON Schema format, such as date or uri.'),
    pattern: text.optional().describe('A regular expression (ECMA-262, u flag) that the string must match somewhere.'),
    minimum: z.number().optional().describe('The smallest number.'),
    maximum: z.number().optional().describe('The largest number.'),
    minLength: z.int().nonnegative().optional().describe('How many characters a text has at least.'),
    maxLength: z.int().nonnegative().optional().describe('How many characters a text has at most.'),
    minItems: z.int().nonnegative().optional().describe('How many items an array has at least.'),
    maxItems: z.int().nonnegative().optional().describe('How many items an array has at most.'),
    sent: z
      .union([z.literal(false), z.literal('always')])
      .optional()
      .describe(
        'false: the argument is checked (mustEqual) or names a key, and is not sent by itself. always: where a call leaves it out, `default` is sent.',
      ),
    mustEqual: text
      .optional()
      .describe('A template of other arguments that the value must equal, such as {vendorCode}/{tableCode}.'),
  })
  .superRefine(checkArgument)
  .meta({ id: 'argument' });

const hints = z
  .strictObject({
    readOnlyHint: z
      .boolean()
      .optional()
      .describe(
        'Changes nothing. Default: true for GET, HEAD, OPTIONS, QUERY and TRACE, and for a POST whose name says that it only reads, such as a search.',
      ),
    destructiveHint: z
      .boolean()
      .optional()
      .describe(
        'May overwrite or delete. Default: true for PUT, PATCH, DELETE, COPY and MOVE, and for other methods whose name says that they do, such as a cancel by POST.',
      ),
    idempotentHint: z
      .boolean()
      .optional()
      .describe(
        'Calling again with the same arguments changes nothing more. Default: true for DELETE, GET, HEAD, OPTIONS, PUT, QUERY and TRACE, unless such a GET writes.',
      ),
    openWorldHint: z.boolean().optional().describe('Talks to systems outside the gateway. Default: true.'),
    reason: text.describe('Why these differ from what the method or the name says; reviewers read it in TOOLS.md.'),
  })
  .superRefine(checkHints);

const gatewayArguments = z
  .array(z.enum(['list', 'where', 'fields', 'sort', 'aggregate', 'maxItems', 'resume']))
  .superRefine(checkGatewayArguments)
  .meta({ id: 'gatewayArguments' });

const filterOperator = z.enum([
  'equals',
  'in',
  'contains',
  'startsWith',
  'endsWith',
  'before',
  'after',
  'less',
  'more',
  'atMost',
  'atLeast',
]);

const rows = z.strictObject({
  columns: pointer.describe('The array of columns in the answer.'),
  columnName: pointer.default('/name').describe("From one column to its name. Default: '/name'."),
  rows: pointer.describe('The array of rows in the answer, each an array of cells in the order of the columns.'),
});

const idempotencyHeader = text.nullable().optional();

const tool = z
  .strictObject({
    operation: operationKey,
    title: text.optional().describe('A short name for people, such as "Search document text".'),
    description: text
      .optional()
      .describe('For a model: what the tool does, when to use it, what comes back, how to page.'),
    arguments: z
      .record(argumentName, argument)
      .optional()
      .describe('Overrides by argument name. Order here decides the order of these arguments.'),
    omit: z.array(wireMember).optional().describe('Optional wire parameters that the tool does not offer.'),
    fixed: z.record(wireMember, z.unknown()).optional().describe('Values that every call sends and no model chooses.'),
    hints: hints.optional().describe('Only where they differ from what codegen infers from the method and the names.'),
    pagination: pagination.nullable().optional().describe("Replaces the service's rule; null: this tool has no pages."),
    aliases: z
      .record(
        toolName,
        z.strictObject({ until: z.iso.date().describe('The last day of the old name, such as 2027-03-01.') }),
      )
      .optional()
      .describe('Old names of the tool, which still work and are not listed, each with the day when that ends.'),
    idempotencyHeader: idempotencyHeader.describe(
      'Replaces the decision of the service for this tool; null: a header of the descriptor stays an argument.',
    ),
    gatewayArguments: gatewayArguments
      .optional()
      .describe(
        "Arguments of the gateway's own, after the service's: where, sort and aggregate select from the items of a list, fields keeps some members of the answer, maxItems gathers pages, list is these five, resume goes on with an answer that was cut. Replaces the service's list; []: none.",
      ),
    filters: z
      .record(text, z.union([argumentName, z.partialRecord(filterOperator, argumentName)]))
      .optional()
      .describe(
        'Filters of the service that `where` uses, by dotted member of the items: the argument with which the service returns every item whose member equals the value, or arguments by operator of `where`. The gateway tests the condition again, so other items may come as well, but none may be missing: texts are compared without case by contains, startsWith and endsWith; after, before, more and less leave the value out, atLeast and atMost do not.',
      ),
    batch: z
      .array(argumentName)
      .min(1)
      .optional()
      .describe(
        'For a tool that writes: one call may make up to 500, and these arguments differ between them. The first names the item. With one argument, `also` is a list of its values, with several a list of objects.',
      ),
    find: z
      .strictObject({
        tool: toolName.describe('The name of the new tool, such as crm_find_person.'),
        by: z
          .array(text)
          .min(1)
          .describe('The keys: dotted members of the items; one that is made of several joins them with +.'),
        title: text.optional().describe("A short name for people. Default: the list's, with Find."),
        description: text.optional().describe('For a model. Default: which items it finds, and by what.'),
      })
      .optional()
      .describe(
        'A second tool that finds items of this list by a key, in any case, and names near ones. It takes the required arguments of the list.',
      ),
    keep: keep
      .optional()
      .describe(
        'Minimal answers: the only members that the tool returns, by dotted path without arrays, such as data.owner.name. `next`, `more`, `total` and `pages` of `pagination` are kept as well.',
      ),
    withhold: withhold.optional(),
    rows: rows.optional().describe('Turns arrays of cells into objects keyed by column name.'),
    scopes: scopes
      .optional()
      .describe(
        "OAuth 2.0 scopes that the call needs: [a, b] needs both, [[a], [b]] one of them. Default: the descriptor's.",
      ),
    effect: z
      .enum(['send', 'pay'])
      .optional()
      .describe(
        'What a call does in addition: it sends a message to people, or pays. Rules about approvals name it. Whether a tool reads, writes or destroys is not changed by this, but by `hints`.',
      ),
    approval: z
      .literal('required')
      .optional()
      .describe('Every call waits until its user has approved it, whatever the operator requires.'),
    preview: z
      .strictObject({
        tool: toolName.describe('A tool that only reads.'),
        arguments: z
          .record(argumentName, argumentName)
          .default({})
          .describe('By argument of that tool: the argument of this tool that gives its value.'),
      })
      .optional()
      .describe('A call that shows who approves a call what it is about.'),
    wait: wait
      .optional()
      .describe(
        'The call only begins work: the gateway reads its state until it has ended, as long as the call may last, and answers with it.',
      ),
  })
  .superRefine(checkTool);

const budget = z
  .strictObject({
    service: z
      .int()
      .positive()
      .optional()
      .describe('Tokens (o200k_base) of all tools together in the list of the catalogue mode lean.'),
    tool: z.int().positive().optional().describe('Tokens of one tool.'),
  })
  .superRefine(checkBudget);

export const connectorConfigSchema = z
  .strictObject({
    $schema: z
      .string()
      .optional()
      .describe('For editors: where the JSON Schema of this file is. A comment in the first line does as well.'),
    title: text.optional().describe("What people call the service. Default: the descriptor's title."),
    description: text.optional().describe('One sentence for the connect page.'),
    logo: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 'must be the name of a file next to connector.yaml')
      .optional()
      .describe('An image next to this file, for pages and partners: PNG, JPEG, WebP or GIF, at most 65,536 bytes.'),
    categories: z
      .array(text)
      .superRefine(checkCategories)
      .default([])
      .describe('Labels under which the service is listed.'),
    toolPrefix: z
      .string()
      .regex(/^[a-z][a-z0-9_]*$/, 'must be lower-case letters, digits and _, a letter first')
      .optional()
      .describe('Prefix of default tool names. Default: the folder name.'),
    serverVariables: z
      .record(text, serverVariable)
      .default({})
      .describe('By variable name. `base_url` is the variable of a server without one.'),
    credential: credential.default({}).describe('What a user supplies to connect the service.'),
    verify: verify.optional().describe('The call that proves that a credential works.'),
    account: z
      .strictObject({
        tool: toolName.describe('A tool that only reads and answers for the user who is connected.'),
        arguments: z.record(argumentName, z.unknown()).default({}).describe('What it is called with.'),
        name: z.array(pointer).min(1).describe('Where its answer names the account. The first that is there wins.'),
      })
      .optional()
      .describe('Who is connected at the upstream, as people know it.'),
    errors: errors.optional().describe('How to read the error bodies of the upstream.'),
    synonyms: z
      .record(text, z.array(text).min(1))
      .default({})
      .describe(
        'Other names of things, by a word or words in the name or title of tools: search_tools finds those tools by them too.',
      ),
    rateLimitHeaders: rateLimitHeaders
      .optional()
      .describe(
        'Headers in which the upstream reports its limits, in addition to Retry-After and those of the descriptor.',
      ),
    caps: caps
      .optional()
      .describe('The most that the gateway sends for one connection, over all its nodes. Calls beyond it wait.'),
    pagination: pagination
      .nullable()
      .optional()
      .describe(
        'For every tool that has the argument. Default: what each list of the descriptor shows; null: no pages.',
      ),
    idempotencyHeader: idempotencyHeader.describe(
      'The header by which the upstream recognises a repeated write, such as Idempotency-Key, also where the descriptor does not declare it. The gateway fills it. Default: the header parameter with such a name; null: that stays an argument.',
    ),
    expose,
    notExposed: z.record(operationKey, text).default({}).describe('Operations without a tool, with the reason.'),
    defaults: z
      .strictObject({
        arguments: z
          .record(argumentName, argument)
          .optional()
          .describe('For every tool that has the argument; a tool overrides it.'),
        fixed: z.record(wireMember, z.unknown()).optional().describe('For every tool that has the parameter.'),
        omit: z.array(wireMember).optional().describe('For every tool that has the parameter.'),
        gatewayArguments: gatewayArguments
          .optional()
          .describe('For every tool that can take them: those that read, and for list only those with a list.'),
        withhold: withhold
          .optional()
          .describe('For every tool, also those that answer with files: these are then refused.'),
        scopes: scopes
          .optional()
          .describe('OAuth 2.0 scopes of every tool for which neither the tool nor the descriptor says any.'),
      })
      .default({})
      .describe('What many tools share.'),
    outputSchemas: z
      .enum(['full', 'brief', 'none'])
      .default('full')
      .describe(
        'How much of the answers tools publish: full: all that fits; brief: the answer and the objects in it or in its lists; none: that it is an object.',
      ),
    budget: budget.optional().describe('What the tools may cost a model. More is an error of codegen.'),
    profiles: z
      .strictObject({
        accept: z
          .record(profileRule, text)
          .optional()
          .describe('The reason why tools of this service may break a rule, by rule, such as openai/lookaround.'),
      })
      .optional()
      .describe('Rules of known clients that the tools follow. Codegen names every rule that a tool breaks.'),
    acknowledged: z
      .record(fingerprint, text)
      .default({})
      .describe(
        'Breaking changes, risks and texts that someone read and accepted: fingerprints of `npm run tools:diff`, with the reason.',
      ),
    events: events
      .optional()
      .describe('What the service tells by calling the gateway: agents can subscribe to it. Default: nothing.'),
    tools: z
      .record(toolName, tool)
      .default({})
      .describe('By tool name. Several tools may use one operation. Operations that are not here get a default tool.'),
  })
  .superRefine(checkDecisions);

export type ConnectorConfig = z.output<typeof connectorConfigSchema>;
export type ToolConfig = NonNullable<ConnectorConfig['tools'][string]>;
export type ArgumentConfig = z.output<typeof argument>;
