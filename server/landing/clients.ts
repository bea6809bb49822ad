/** How each MCP client takes a server, and what was tried. */

/** Instructions for one client. */
export interface ClientInstructions {
  readonly name: string;
  /** Where the text goes. */
  readonly where: string;
  /** What to run or to write. */
  text(endpoint: string): string;
  /** What was tried against this gateway, or that nothing was. */
  readonly tried: string;
}

/** Name of the server in configurations. */
const SERVER_NAME = 'unified-tools';

const NOT_TRIED = 'Not tried yet: written from its documentation.';

export const CLIENTS: readonly ClientInstructions[] = [
  {
    name: 'Claude Code',
    where: 'Run this in a terminal, or only the first line and then type /mcp in Claude Code.',
    text: (endpoint) => `claude mcp add --transport http ${SERVER_NAME} ${endpoint}\nclaude mcp login ${SERVER_NAME}`,
    tried: 'Tried with version 2.1.329: sign-in with a connection code, sign-in with a token, connection check.',
  },
  {
    name: 'Codex',
    where: 'Run this in a terminal.',
    text: (endpoint) => `codex mcp add ${SERVER_NAME} --url ${endpoint}\ncodex mcp login ${SERVER_NAME}`,
    tried: 'Tried with version 0.169.0: sign-in with a connection code.',
  },
  {
    name: 'Cursor',
    where: 'In .cursor/mcp.json of a project, or ~/.cursor/mcp.json for all. Cursor then offers to sign in.',
    text: (endpoint) => toJson({ mcpServers: { [SERVER_NAME]: { url: endpoint } } }),
    tried: NOT_TRIED,
  },
  {
    name: 'VS Code',
    where: 'In .vscode/mcp.json of a workspace. VS Code asks to sign in when the server starts.',
    text: (endpoint) => toJson({ servers: { [SERVER_NAME]: { type: 'http', url: endpoint } } }),
    tried: NOT_TRIED,
  },
  {
    name: 'An application of yours, with the official TypeScript SDK',
    where: 'Package @modelcontextprotocol/client; @modelcontextprotocol/sdk works alike.',
    text: (endpoint) =>
      [
        "import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';",
        '',
        "const client = new Client({ name: 'my-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });",
        `await client.connect(new StreamableHTTPClientTransport(new URL('${endpoint}'), {`,
        "  requestInit: { headers: { Authorization: 'Bearer ' + token } },",
        '}));',
        'const { tools } = await client.listTools();',
      ].join('\n'),
    tried:
      'Tried with every run of the tests, in both lines of the SDK: @modelcontextprotocol/client 2 and @modelcontextprotocol/sdk 1.',
  },
];

/** What a client's configuration file takes where somebody has an access token. */
export function toTokenConfiguration(endpoint: string): string {
  const server = { type: 'http', url: endpoint, headers: { Authorization: 'Bearer <ACCESS_TOKEN>' } };
  return toJson({ mcpServers: { [SERVER_NAME]: server } });
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
