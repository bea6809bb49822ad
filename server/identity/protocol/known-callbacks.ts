/** Redirect URIs of known MCP clients: data, each with where it was seen. */

/** One redirect URI of one application. */
interface KnownCallback {
  /** The application, as people call it. */
  readonly application: string;
  /** The redirect URI, character by character, up to `ending`. */
  readonly uri: string;
  /**
   * The text that must follow `uri`, if the application appends its own name for the server. Scheme, host and path, which decide who gets the
   * response, are always in `uri`. By default nothing may follow.
   */
  readonly ending?: RegExp;
  /** Public pages that show it. */
  readonly sources: readonly string[];
}

const CLINE_SOURCES = [
  'https://github.com/cline/cline/blob/main/src/services/mcp/McpOAuthManager.ts',
  'https://github.com/cline/cline/blob/main/src/utils/mcpAuth.ts',
];

/** Cline is an extension: its host's scheme opens it, and the MD5 of the server's name and address follows. */
function cline(host: string, scheme: string): KnownCallback {
  return {
    application: `Cline in ${host}`,
    uri: `${scheme}://saoudrizwan.claude-dev/mcp-auth/callback/`,
    ending: /^[0-9a-f]{32}$/,
    sources: CLINE_SOURCES,
  };
}

/**
 * Redirect URIs that are accepted without a setting, although they are neither https nor loopback.
 *
 * Clients that are not listed need no entry, because they register https or loopback redirect URIs: VS Code and Copilot
 * (http://127.0.0.1:33418/), Zed, Goose, Codex, Gemini CLI, Claude Code, opencode.
 */
export const KNOWN_CALLBACKS: readonly KnownCallback[] = [
  {
    application: 'Cursor',
    uri: 'cursor://anysphere.cursor-mcp/oauth/callback',
    sources: [
      'https://docs.zuora.com/zuora-ai/zuora-mcp-server/zuora-mcp-server/configure-zuora-remote-mcp-server/redirect-uris-by-mcp-client',
      'https://github.com/erp-mafia/accounted/pull/2225',
      'https://github.com/different-ai/openwork/pull/3059',
    ],
  },
  {
    application: 'Warp',
    uri: 'warp://mcp/oauth2callback',
    sources: ['https://github.com/warpdotdev/warp/blob/master/app/src/ai/mcp/templatable_manager/oauth.rs'],
  },
  {
    application: 'Warp Preview',
    uri: 'warppreview://mcp/oauth2callback',
    sources: [
      'https://github.com/warpdotdev/warp/blob/master/app/src/ai/mcp/templatable_manager/oauth.rs',
      'https://docs.warp.dev/terminal/more-features/uri-scheme/',
    ],
  },
  {
    application: 'Raycast',
    uri: 'raycast://oauth?package_name=',
    ending: /^[A-Za-z0-9._~()%-]{1,100}$/,
    sources: [
      'https://github.com/dust-tt/dust/blob/main/front/lib/api/mcp_server/oauth_registration.test.ts',
      'https://developers.raycast.com/api-reference/oauth',
    ],
  },
  {
    application: 'MCPJam',
    uri: 'mcpjam://oauth/callback',
    sources: ['https://github.com/MCPJam/inspector/blob/main/mcpjam-inspector/src/main.ts'],
  },
  cline('VS Code', 'vscode'),
  cline('VS Code Insiders', 'vscode-insiders'),
  cline('VSCodium', 'vscodium'),
  cline('Cursor', 'cursor'),
  cline('Windsurf', 'windsurf'),
];

const CLIENTS_PAGE =
  'https://docs.zuora.com/zuora-ai/zuora-mcp-server/zuora-mcp-server/configure-zuora-remote-mcp-server/redirect-uris-by-mcp-client';

const VSCODE_SOURCE =
  'https://github.com/microsoft/vscode/blob/05f882b02c51633f2e1e8252722f8c3b626d74a9/src/vs/base/common/oauth.ts';

/** https addresses of hosted clients. They need no entry to be accepted; the consent page does not warn of them. */
const KNOWN_WEB_CALLBACKS: readonly Omit<KnownCallback, 'ending'>[] = [
  {
    application: 'Cursor',
    uri: 'https://www.cursor.com/agents/mcp/oauth/callback',
    sources: ['https://github.com/erp-mafia/accounted/pull/2225', 'https://github.com/different-ai/openwork/pull/3059'],
  },
  { application: 'Claude', uri: 'https://claude.ai/api/mcp/auth_callback', sources: [CLIENTS_PAGE] },
  { application: 'Claude', uri: 'https://claude.com/api/mcp/auth_callback', sources: [CLIENTS_PAGE] },
  {
    application: 'ChatGPT',
    uri: 'https://chatgpt.com/connector_platform_oauth_redirect',
    sources: ['https://github.com/koala73/worldmonitor/pull/8307'],
  },
  { application: 'VS Code', uri: 'https://vscode.dev/redirect', sources: [VSCODE_SOURCE] },
  { application: 'VS Code Insiders', uri: 'https://insiders.vscode.dev/redirect', sources: [VSCODE_SOURCE] },
];

/** Returns true if an https redirect URI is one of `KNOWN_WEB_CALLBACKS`. Comparison is exact. */
export function isKnownWebCallback(redirectUri: string): boolean {
  return KNOWN_WEB_CALLBACKS.some(({ uri }) => uri === redirectUri);
}

/** The known application that a redirect URI belongs to. Comparison is exact, as RFC 9700 §2.1 asks for. */
export function findKnownCallback(redirectUri: string): KnownCallback | undefined {
  return KNOWN_CALLBACKS.find(({ uri, ending }) =>
    ending === undefined
      ? redirectUri === uri
      : redirectUri.startsWith(uri) && ending.test(redirectUri.slice(uri.length)),
  );
}
