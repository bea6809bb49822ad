/**
 * Clients that cannot run in a test: their sign-in as their source or a public report shows it. Nothing here was recorded.
 */

/** One client. What is omitted here is sent as the specifications say. */
export interface ClientFromSource {
  readonly client: string;
  readonly sources: readonly string[];
  /** The registration, as far as the sources show it. */
  readonly registration: Readonly<Record<string, unknown>> & { readonly redirect_uris: readonly string[] };
  /** The redirect URI of its authorization request. */
  readonly redirectUri: string;
}

const VSCODE_SOURCE =
  'https://github.com/microsoft/vscode/blob/05f882b02c51633f2e1e8252722f8c3b626d74a9/src/vs/base/common/oauth.ts';

const VSCODE_REGISTRATION = {
  client_name: 'Visual Studio Code',
  client_uri: 'https://code.visualstudio.com',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  redirect_uris: [
    'https://insiders.vscode.dev/redirect',
    'https://vscode.dev/redirect',
    'http://127.0.0.1/',
    'http://127.0.0.1:33418/',
  ],
  scope: 'tools:read tools:write',
  token_endpoint_auth_method: 'none',
  application_type: 'native',
};

const CURSOR = {
  sources: ['https://github.com/erp-mafia/accounted/pull/2225', 'https://github.com/different-ai/openwork/pull/3059'],
  registration: {
    redirect_uris: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
    token_endpoint_auth_method: 'none',
  },
};

const CLINE_CALLBACK = 'vscode://saoudrizwan.claude-dev/mcp-auth/callback/d41d8cd98f00b204e9800998ecf8427e';

export const CLIENTS_FROM_SOURCE: readonly ClientFromSource[] = [
  { client: 'Cursor', ...CURSOR, redirectUri: 'cursor://anysphere.cursor-mcp/oauth/callback' },
  { client: 'Cursor, current desktop', ...CURSOR, redirectUri: 'http://localhost:8787/callback' },
  { client: 'Cursor agents', ...CURSOR, redirectUri: 'https://www.cursor.com/agents/mcp/oauth/callback' },
  {
    client: 'VS Code',
    sources: [VSCODE_SOURCE],
    registration: VSCODE_REGISTRATION,
    redirectUri: 'http://127.0.0.1:33418/',
  },
  {
    client: 'VS Code, when its port is taken',
    sources: [VSCODE_SOURCE],
    registration: VSCODE_REGISTRATION,
    redirectUri: 'http://127.0.0.1:51742/',
  },
  {
    client: 'VS Code for the Web',
    sources: [VSCODE_SOURCE],
    registration: VSCODE_REGISTRATION,
    redirectUri: 'https://vscode.dev/redirect',
  },
  {
    client: 'Zed',
    sources: [
      'https://github.com/zed-industries/zed/blob/04afc35b962e43e4e7b087a6c7a260e9f6f8f1de/crates/context_server/src/oauth.rs',
    ],
    registration: {
      client_name: 'Zed',
      redirect_uris: ['http://127.0.0.1:49152/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'tools:read tools:write',
    },
    redirectUri: 'http://127.0.0.1:49152/callback',
  },
  {
    client: 'Cline',
    sources: [
      'https://github.com/cline/cline/blob/068316fee05ac9e4c02265d3fcffb8f68b8fd49b/src/services/mcp/McpOAuthManager.ts',
    ],
    registration: {
      redirect_uris: [CLINE_CALLBACK],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'Cline',
      client_uri: 'https://cline.bot',
      software_id: 'cline',
    },
    redirectUri: CLINE_CALLBACK,
  },
  {
    client: 'Raycast',
    sources: [
      'https://github.com/dust-tt/dust/blob/47417e4d57ccac62894b86bb536a49aaf78cf901/front/lib/api/mcp_server/oauth_registration.test.ts',
    ],
    registration: {
      client_name: 'Raycast MCP: Dust (dev)',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      redirect_uris: ['raycast://oauth?package_name=mcp_server_dust_(dev)'],
    },
    redirectUri: 'raycast://oauth?package_name=mcp_server_dust_(dev)',
  },
  {
    client: 'Warp',
    sources: [
      'https://github.com/warpdotdev/warp/blob/293969e39839fdbd0bef7ee2fbb0d7bb53dd27c9/app/src/ai/mcp/templatable_manager/oauth.rs',
    ],
    registration: { redirect_uris: ['warp://mcp/oauth2callback'] },
    redirectUri: 'warp://mcp/oauth2callback',
  },
  {
    client: 'MCPJam',
    sources: [
      'https://github.com/MCPJam/inspector/blob/1249c3052de9b3407282a78e8e50b28212ca2a17/mcpjam-inspector/src/main.ts',
    ],
    registration: { redirect_uris: ['mcpjam://oauth/callback'] },
    redirectUri: 'mcpjam://oauth/callback',
  },
  {
    client: 'Claude on the web, desktop and phone',
    sources: [
      'https://docs.zuora.com/zuora-ai/zuora-mcp-server/zuora-mcp-server/configure-zuora-remote-mcp-server/redirect-uris-by-mcp-client',
    ],
    registration: { redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] },
    redirectUri: 'https://claude.ai/api/mcp/auth_callback',
  },
  {
    client: 'ChatGPT',
    sources: ['https://github.com/koala73/worldmonitor/pull/8307'],
    registration: { redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'] },
    redirectUri: 'https://chatgpt.com/connector_platform_oauth_redirect',
  },
];
