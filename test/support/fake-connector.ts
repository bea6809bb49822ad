/** A small hand-written connector in the shape of generated ones, and an upstream that it calls. */

import type {
  Connector,
  CredentialPart,
  ErrorRules,
  HandWrittenTool,
  ObjectSchema,
  Tool,
  ToolRequest,
} from '../../server/contract/index.ts';

export const NO_ERROR_RULES: ErrorRules = {
  message: [],
  code: [],
  details: [],
  invalidCredential: [],
  inSuccess: null,
};

export interface FakeToolOptions {
  readonly name: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'QUERY';
  readonly path?: string;
  readonly input?: Partial<ObjectSchema>;
  readonly output?: Partial<ObjectSchema>;
  readonly more?: Partial<Tool>;
  /** Default: path arguments in the path, all others in the query. */
  readonly request?: ToolRequest;
}

export function fakeTool(options: FakeToolOptions): Tool {
  const { name, method = 'GET', path = '/things' } = options;
  const reads = method === 'GET' || method === 'QUERY';
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1]!);
  const inputSchema: ObjectSchema = {
    type: 'object',
    properties: toMembers(names, { type: 'string' }),
    required: names,
    additionalProperties: false,
    ...options.input,
  };
  const others = Object.keys(inputSchema.properties as object).filter((argument) => !names.includes(argument));
  return {
    name,
    title: name,
    description: `Calls ${method} ${path}.`,
    operation: { id: name, method, path, server: '{library_base_url}' },
    annotations: { readOnlyHint: reads, destructiveHint: false, idempotentHint: reads, openWorldHint: true },
    inputSchema,
    request: options.request ?? { path: toBindings(names), query: toBindings(others) },
    outputSchema: { type: 'object', ...options.output },
    result: { mayBeEmpty: true },
    ...options.more,
  };
}

/** Binds each of these arguments to its own name. */
export function toBindings(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, name]));
}

/** A read-only tool that uses `library_list`, unless `parts` says otherwise. */
export function fakeHandWritten(parts: Partial<HandWrittenTool> & Pick<HandWrittenTool, 'run'>): HandWrittenTool {
  return {
    name: 'library_survey',
    title: 'Survey',
    description: 'Calls others.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: { type: 'object', properties: { count: { type: 'integer' } } },
    uses: ['library_list'],
    code: '000000000000',
    ...parts,
  };
}

function toMembers<Value>(names: readonly string[], value: Value): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

export function fakeConnector(options: {
  readonly name?: string;
  readonly title?: string;
  readonly tools: readonly Tool[];
  readonly handWritten?: readonly HandWrittenTool[];
  readonly parts?: readonly CredentialPart[];
  readonly errors?: Partial<ErrorRules>;
}): Connector {
  const { name = 'library', title = 'Library' } = options;
  return {
    name,
    title,
    description: `The ${title}.`,
    categories: [],
    credential: { parts: options.parts ?? [], help: '', url: null },
    verify: null,
    servers: [
      {
        url: '{library_base_url}',
        variables: [
          { name: 'library_base_url', env: 'LIBRARY_BASE_URL', default: 'https://library.example', derive: null },
        ],
      },
    ],
    errors: { ...NO_ERROR_RULES, ...options.errors },
    tools: options.tools,
    ...(options.handWritten === undefined ? {} : { handWritten: options.handWritten }),
  };
}
