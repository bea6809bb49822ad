/** Small decided connectors, made by hand, for the tests of `emit`. */

import type { CallModel } from '../../../codegen/tools/call-model.ts';
import type { ArgumentModel, ConnectorModel, ToolModel } from '../../../codegen/tools/types.ts';

const NO_CALL: CallModel = {
  path: [],
  query: [],
  header: [],
  cookie: [],
  body: { kind: 'none' },
  styles: { path: {}, query: {}, header: {}, cookie: {} },
};

type ToolParts = Partial<Omit<ToolModel, 'call' | 'operation'>> & {
  readonly operation?: Partial<ToolModel['operation']>;
  readonly call?: Partial<CallModel>;
};

export function tool(parts: ToolParts = {}): ToolModel {
  const args = parts.arguments ?? [];
  return {
    name: 'notes_list',
    title: 'List notes',
    description: 'Lists notes.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    hintReason: null,
    arguments: args,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(args.map(({ name, schema }) => [name, schema])),
      required: args.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    },
    outputSchema: { type: 'object' },
    agreements: [],
    rules: null,
    reservedSegments: {},
    page: null,
    result: { wrapItems: false, rows: null, mayBeEmpty: false },
    idempotency: null,
    scopes: [],
    ...parts,
    operation: { id: 'listNotes', method: 'GET', path: '/notes', server: '{notes_base_url}', ...parts.operation },
    call: { ...NO_CALL, ...parts.call },
  };
}

export function argument(name: string, parts: Partial<ArgumentModel> = {}): ArgumentModel {
  return { name, required: false, schema: { type: 'string' }, wire: { in: 'query', name }, ...parts };
}

export function connector(parts: Partial<ConnectorModel> = {}): ConnectorModel {
  return {
    name: 'notes',
    file: 'specs/notes/openapi.yaml',
    title: 'Notes',
    description: 'Keeps notes.',
    categories: ['Productivity'],
    credential: {
      parts: [{ id: 'key', type: 'bearer', label: 'API key', name: null }],
      help: 'In settings.',
      url: null,
    },
    verify: null,
    synonyms: {},
    events: null,
    account: null,
    unusableServers: [],
    servers: [
      {
        url: '{notes_base_url}',
        variables: [{ name: 'notes_base_url', env: 'NOTES_BASE_URL', default: 'https://notes.example', derive: null }],
      },
    ],
    errors: { message: [], code: [], details: [], invalidCredential: [], inSuccess: null },
    rateLimitHeaders: [],
    caps: null,
    tools: [],
    handWritten: [],
    logo: null,
    skills: {},
    notExposed: [],
    clients: [],
    ...parts,
  };
}

const JSON_ANSWER = { 200: { description: 'Fine.', content: { 'application/json': { schema: { type: 'object' } } } } };

/** A descriptor with these path items; operations get an answer if they have none. */
export function document(paths: Record<string, Record<string, unknown>>, rest: Record<string, unknown> = {}): unknown {
  const withAnswers = Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([key, value]) => [
        key,
        key === 'parameters' ? value : { responses: JSON_ANSWER, ...(value as object) },
      ]),
    ),
  ]);
  return {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    servers: [{ url: 'https://notes.example' }],
    paths: Object.fromEntries(withAnswers),
    ...rest,
  };
}
