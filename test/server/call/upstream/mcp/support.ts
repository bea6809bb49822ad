import { type LockedServer, toDocument } from '../../../../../sandbox/mcp/lock.ts';
import { startSandbox } from '../../../../../sandbox/start.ts';
import type { Connector, CredentialPart, Tool } from '../../../../../server/contract/index.ts';
import { definitionDigest, type McpTool } from '../../../../../shared/mcp/lock.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import { createFixture, type FixtureOptions } from '../../tools/support.ts';

const PERSON = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name'],
};

export const LIST: McpTool = {
  name: 'list-people',
  description: 'Lists people.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
  outputSchema: { type: 'object', properties: { people: { type: 'array', items: PERSON } }, required: ['people'] },
};

export const GREET: McpTool = {
  name: 'greet',
  description: 'Greets a person.',
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

export const LOCK: LockedServer = {
  url: 'https://people.example/mcp',
  serverInfo: { name: 'people', version: '1' },
  tools: [GREET, LIST] as never,
};

export const KEY: CredentialPart = { id: 'key', type: 'bearer', label: 'Key', help: '', url: null } as never;

export function mcpTool(tool: McpTool, more: Partial<Tool> = {}): Tool {
  const properties = tool.inputSchema.properties as Record<string, unknown>;
  const members = Object.fromEntries(Object.keys(properties).map((name) => [name, name]));
  const { output = tool.outputSchema ?? {} } = {} as { output?: object };
  return fakeTool({
    name: `people_${tool.name.replaceAll('-', '_')}`,
    method: 'POST',
    path: `/tools/${tool.name}`,
    input: { properties, required: (tool.inputSchema.required ?? []) as string[] },
    output,
    request: { body: { mediaType: 'application/json', members } },
    more: {
      call: { kind: 'mcp', tool: tool.name, definition: definitionDigest(tool) },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      ...more,
    },
  });
}

export function mcpConnector(tools: readonly Tool[], parts: readonly CredentialPart[] = []): Connector {
  return fakeConnector({ name: 'library', title: 'People', tools, parts });
}

export interface McpFixtureOptions extends Omit<FixtureOptions, 'origin' | 'connectors' | 'tools'> {
  readonly isLegacy?: boolean;
  readonly tools?: readonly Tool[];
  readonly parts?: readonly CredentialPart[];
  readonly lock?: LockedServer;
}

export async function openMcpFixture(options: McpFixtureOptions = {}) {
  const { isLegacy = false, tools = [mcpTool(GREET), mcpTool(LIST)], parts = [], lock = LOCK, ...rest } = options;
  const connector = mcpConnector(tools, parts);
  const document = toDocument(lock, connector.credential);
  const sandbox = await startSandbox({
    services: [{ name: 'people', document, mcp: lock, isLegacyMcp: isLegacy }],
    credential: parts.length > 0 ? 'right' : null,
  });
  const fixture = createFixture({ ...rest, connectors: [connector], origin: `${sandbox.origin}/people/mcp` });
  return {
    ...fixture,
    sandbox,
    messages: () => sandbox.requests().map(({ operationId }) => operationId),
    async close() {
      await fixture.close();
      await sandbox.close();
    },
  };
}
