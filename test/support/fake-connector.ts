/** A small connector, made by hand in the shape of the generated ones, and an upstream for it to call. */

import createClient, { type Client } from 'openapi-fetch';
import type {
  CallRequest,
  Connector,
  CredentialPart,
  ErrorRules,
  ObjectSchema,
  Tool,
  UpstreamReply,
} from '../../server/contract/index.ts';

type AnyClient = Client<Record<string, Record<string, never>>>;

export const NO_ERROR_RULES: ErrorRules = {
  message: [],
  code: [],
  details: [],
  invalidCredential: [],
  inSuccess: null,
};

export interface FakeToolOptions {
  readonly name: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path?: string;
  readonly input?: Partial<ObjectSchema>;
  readonly output?: Partial<ObjectSchema>;
  readonly more?: Partial<Tool>;
  /** What the request is made of. Default: everything that is not in the path goes into the query. */
  readonly send?: (args: Record<string, unknown>, request: CallRequest) => object;
}

export function fakeTool(options: FakeToolOptions): Tool {
  const { name, method = 'GET', path = '/things', send = sendAll } = options;
  const reads = method === 'GET';
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1]!);
  return {
    name,
    title: name,
    description: `Calls ${method} ${path}.`,
    operation: { id: name, method, path, server: '{library_base_url}' },
    annotations: { readOnlyHint: reads, destructiveHint: false, idempotentHint: reads, openWorldHint: true },
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(names.map((argument) => [argument, { type: 'string' }])),
      required: names,
      additionalProperties: false,
      ...options.input,
    },
    outputSchema: { type: 'object', ...options.output },
    pathArguments: names,
    agreements: [],
    page: null,
    result: { wrapItems: false, rows: null },
    call: (client, args, request) =>
      (client as Record<string, (path: string, init: object) => Promise<UpstreamReply>>)[method]!(path, {
        baseUrl: request.baseUrl,
        fetch: request.fetch,
        signal: request.signal,
        parseAs: 'stream',
        ...send(args, request),
      }),
    ...options.more,
  };

  function sendAll(args: Record<string, unknown>, request: CallRequest): object {
    const split = (inPath: boolean) =>
      Object.fromEntries(Object.entries(args).filter(([argument]) => names.includes(argument) === inPath));
    return { params: { path: split(true), query: split(false) }, querySerializer: request.querySerializer({}) };
  }
}

export function fakeConnector(options: {
  readonly name?: string;
  readonly title?: string;
  readonly tools: readonly Tool[];
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
    createClient: ({ Request }) => createClient({ Request }) as AnyClient,
  };
}
