/** Instructions for adding a server to each MCP client, and the clients that were tested. */

import { CLAUDE, CURSOR, GOOSE, type InstallLink, KIRO, LM_STUDIO, SERVER_NAME, VS_CODE } from './install-links.ts';

/** A client that signed in to this gateway; `test/clients/recordings` holds its requests. */
export interface TriedClient {
  /** The npm package that was run. */
  readonly package: string;
  readonly version: string;
}

/** Instructions for one client. */
export interface ClientInstructions {
  readonly name: string;
  readonly kind: 'Chat' | 'Editor' | 'Terminal' | 'Your own';
  /** File or menu in which the text belongs. */
  readonly where: string;
  /** The text to run, write or type. */
  text(endpoint: string): string;
  /** Links that open the client with everything filled in. */
  readonly links?: readonly InstallLink[];
  /** True if the text needs an access token, because the client does not sign in by itself. Default: it signs in. */
  readonly needsToken?: boolean;
  /** Clients that signed in here. Empty if the instructions only follow `documentation`. */
  readonly tried: readonly TriedClient[];
  /** The client's own page about adding servers. */
  readonly documentation: string;
}

const typeAddress = (endpoint: string): string => endpoint;

export const CLIENTS: readonly ClientInstructions[] = [
  {
    name: 'Claude',
    kind: 'Chat',
    where:
      'On the web, desktop and phone: Settings, Connectors, Add custom connector. Claude connects from the internet, so it needs an https address.',
    text: typeAddress,
    links: [CLAUDE],
    tried: [],
    documentation: 'https://support.claude.com/en/collections/15399129-connectors',
  },
  {
    name: 'ChatGPT',
    kind: 'Chat',
    where:
      'Settings, Apps, Advanced settings, turn on Developer mode; then Create app, with OAuth. ChatGPT connects from the internet, so it needs an https address.',
    text: typeAddress,
    tried: [],
    documentation: 'https://developers.openai.com/apps-sdk/',
  },
  {
    name: 'LM Studio',
    kind: 'Chat',
    where: 'In mcp.json: Program, Install, Edit mcp.json.',
    text: (endpoint) => mcpServers({ url: endpoint }),
    links: [LM_STUDIO],
    tried: [],
    documentation: 'https://lmstudio.ai/docs/app/mcp/deeplink',
  },
  {
    name: 'Goose',
    kind: 'Chat',
    where:
      'In the CLI, start a session with the server. In the desktop app: Extensions, Add custom extension, Streamable HTTP.',
    text: (endpoint) => `goose session --with-streamable-http-extension "${endpoint}"`,
    links: [GOOSE],
    tried: [],
    documentation: 'https://block.github.io/goose/docs/getting-started/using-extensions',
  },
  {
    name: 'Raycast',
    kind: 'Chat',
    where: 'Run the command Install Server and choose HTTP.',
    text: typeAddress,
    tried: [],
    documentation: 'https://manual.raycast.com/model-context-protocol',
  },
  {
    name: 'Cursor',
    kind: 'Editor',
    where: 'In .cursor/mcp.json of a project, or ~/.cursor/mcp.json for all. Cursor then offers to sign in.',
    text: (endpoint) => mcpServers({ url: endpoint }),
    links: [CURSOR],
    tried: [],
    documentation: 'https://cursor.com/docs/mcp/install-links',
  },
  {
    name: 'VS Code with Copilot',
    kind: 'Editor',
    where: 'In .vscode/mcp.json of a workspace. VS Code asks to sign in when the server starts.',
    text: (endpoint) => json({ servers: { [SERVER_NAME]: { type: 'http', url: endpoint } } }),
    links: VS_CODE,
    tried: [],
    documentation: 'https://code.visualstudio.com/api/extension-guides/ai/mcp',
  },
  {
    name: 'Windsurf',
    kind: 'Editor',
    where: 'In ~/.codeium/windsurf/mcp_config.json, then refresh the list of servers in Cascade.',
    text: (endpoint) => mcpServers({ serverUrl: endpoint }),
    tried: [],
    documentation: 'https://docs.windsurf.com/windsurf/cascade/mcp',
  },
  {
    name: 'Zed',
    kind: 'Editor',
    where: 'In settings.json. Zed then offers to sign in: Settings, AI, MCP Servers.',
    text: (endpoint) => json({ context_servers: { [SERVER_NAME]: { url: endpoint } } }),
    tried: [],
    documentation: 'https://zed.dev/docs/ai/mcp',
  },
  {
    name: 'JetBrains AI Assistant',
    kind: 'Editor',
    where:
      'Settings, Tools, AI Assistant, Model Context Protocol (MCP), Add, Streamable HTTP. Where it offers no sign-in, use mcp-remote, below.',
    text: (endpoint) => mcpServers({ url: endpoint }),
    tried: [],
    documentation: 'https://www.jetbrains.com/help/ai-assistant/mcp.html',
  },
  {
    name: 'Kiro',
    kind: 'Editor',
    where: 'In .kiro/settings/mcp.json of a workspace, or ~/.kiro/settings/mcp.json for all.',
    text: (endpoint) => mcpServers({ url: endpoint }),
    links: [KIRO],
    tried: [],
    documentation: 'https://kiro.dev/docs/mcp/share/',
  },
  {
    name: 'Claude Code',
    kind: 'Terminal',
    where: 'Run this in a terminal, or only the first line and then type /mcp in Claude Code.',
    text: (endpoint) => `claude mcp add --transport http ${SERVER_NAME} ${endpoint}\nclaude mcp login ${SERVER_NAME}`,
    tried: [{ package: '@anthropic-ai/claude-code', version: '2.1.330' }],
    documentation: 'https://code.claude.com/docs/en/mcp',
  },
  {
    name: 'Codex',
    kind: 'Terminal',
    where: 'Run this in a terminal.',
    text: (endpoint) => `codex mcp add ${SERVER_NAME} --url ${endpoint}\ncodex mcp login ${SERVER_NAME}`,
    tried: [{ package: '@openai/codex', version: '0.169.0' }],
    documentation: 'https://developers.openai.com/codex/mcp',
  },
  {
    name: 'Gemini CLI',
    kind: 'Terminal',
    where: `Run this in a terminal, then type /mcp auth ${SERVER_NAME} in Gemini CLI.`,
    text: (endpoint) => `gemini mcp add -s user --transport http ${SERVER_NAME} ${endpoint}`,
    tried: [{ package: '@google/gemini-cli', version: '0.61.0' }],
    documentation: 'https://geminicli.com/docs/tools/mcp-server/',
  },
  {
    name: 'GitHub Copilot CLI',
    kind: 'Terminal',
    where: `Run this in a terminal, then type /mcp auth ${SERVER_NAME} in Copilot.`,
    text: (endpoint) => `copilot mcp add --transport http ${SERVER_NAME} ${endpoint}`,
    tried: [{ package: '@github/copilot', version: '1.0.102' }],
    documentation: 'https://docs.github.com/en/copilot/how-tos/copilot-cli',
  },
  {
    name: 'opencode',
    kind: 'Terminal',
    where: `In opencode.json, then run: opencode mcp auth ${SERVER_NAME}`,
    text: (endpoint) => json({ mcp: { [SERVER_NAME]: { type: 'remote', url: endpoint } } }),
    tried: [{ package: 'opencode-ai', version: '1.18.33' }],
    documentation: 'https://opencode.ai/docs/mcp-servers',
  },
  {
    name: 'mcporter',
    kind: 'Terminal',
    where: 'Run this in a terminal.',
    text: (endpoint) => `npx mcporter auth --http-url ${endpoint} --name ${SERVER_NAME}`,
    tried: [{ package: 'mcporter', version: '0.12.3' }],
    documentation: 'https://github.com/steipete/mcporter',
  },
  {
    name: 'A client that only starts commands',
    kind: 'Your own',
    where: 'mcp-remote signs in and passes everything on. Most such clients accept this configuration.',
    text: (endpoint) => mcpServers({ command: 'npx', args: ['mcp-remote', endpoint] }),
    tried: [{ package: 'mcp-remote', version: '0.15.1' }],
    documentation: 'https://www.npmjs.com/package/mcp-remote',
  },
  {
    name: 'MCP Inspector',
    kind: 'Your own',
    where: 'Run this in a terminal to look at the tools.',
    text: (endpoint) => `npx @modelcontextprotocol/inspector --cli ${endpoint} --transport http --method tools/list`,
    tried: [{ package: '@modelcontextprotocol/inspector', version: '2.12.0' }],
    documentation: 'https://github.com/modelcontextprotocol/inspector',
  },
  {
    name: 'The official TypeScript SDK',
    kind: 'Your own',
    needsToken: true,
    where: 'Package @modelcontextprotocol/client; @modelcontextprotocol/sdk works the same way.',
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
    tried: [
      { package: '@modelcontextprotocol/client', version: '2.4.0' },
      { package: '@modelcontextprotocol/sdk', version: '1.32.2' },
    ],
    documentation: 'https://github.com/modelcontextprotocol/typescript-sdk',
  },
];

/** Returns the configuration of a client for someone who has an access token. */
export function toTokenConfiguration(endpoint: string): string {
  return mcpServers({ type: 'http', url: endpoint, headers: { Authorization: 'Bearer <ACCESS_TOKEN>' } });
}

function mcpServers(server: object): string {
  return json({ mcpServers: { [SERVER_NAME]: server } });
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
