/** Links that open a client with this server filled in, in the form that each client documents. */

/** One link. */
export interface InstallLink {
  readonly label: string;
  readonly href: string;
}

/** Name of the server in configurations. */
export const SERVER_NAME = 'unified-tools';

const DESCRIPTION = 'The tools of the services that you have connected';

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** https://cursor.com/docs/mcp/install-links */
export function cursorLink(endpoint: string): readonly InstallLink[] {
  const query = new URLSearchParams({ name: SERVER_NAME, config: base64({ url: endpoint }) });
  return [{ label: 'Add to Cursor', href: `cursor://anysphere.cursor-deeplink/mcp/install?${query}` }];
}

/** https://code.visualstudio.com/api/extension-guides/ai/mcp */
export function vsCodeLink(endpoint: string): readonly InstallLink[] {
  return [{ label: 'Add to VS Code', href: `vscode:mcp/install?${vsCodeServer(endpoint)}` }];
}

/** As `vsCodeLink`, for VS Code Insiders. */
export function vsCodeInsidersLink(endpoint: string): readonly InstallLink[] {
  return [{ label: 'Add to VS Code Insiders', href: `vscode-insiders:mcp/install?${vsCodeServer(endpoint)}` }];
}

function vsCodeServer(endpoint: string): string {
  return encodeURIComponent(JSON.stringify({ name: SERVER_NAME, type: 'http', url: endpoint }));
}

/** https://kiro.dev/docs/mcp/share/ */
export function kiroLink(endpoint: string): readonly InstallLink[] {
  const config = encodeURIComponent(JSON.stringify({ url: endpoint }));
  return [{ label: 'Add to Kiro', href: `https://kiro.dev/launch/mcp/add?name=${SERVER_NAME}&config=${config}` }];
}

/** https://lmstudio.ai/docs/app/mcp/deeplink */
export function lmStudioLink(endpoint: string): readonly InstallLink[] {
  const query = new URLSearchParams({ name: SERVER_NAME, config: base64({ url: endpoint }) });
  return [{ label: 'Add to LM Studio', href: `lmstudio://add_mcp?${query}` }];
}

/** https://block.github.io/goose/docs/getting-started/using-extensions */
export function gooseLink(endpoint: string): readonly InstallLink[] {
  const parameters = { url: endpoint, type: 'streamable_http', id: SERVER_NAME, name: SERVER_NAME };
  const query = Object.entries({ ...parameters, description: DESCRIPTION }).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  return [{ label: 'Add to Goose', href: `goose://extension?${query.join('&')}` }];
}

/** The form for https://claude.ai/customize/connectors that servers publish; Claude asks before it adds anything. */
export function claudeLink(endpoint: string): readonly InstallLink[] {
  const query = new URLSearchParams({
    modal: 'add-custom-connector',
    connectorName: SERVER_NAME,
    connectorUrl: endpoint,
  });
  return [{ label: 'Add to Claude', href: `https://claude.ai/customize/connectors?${query}` }];
}
