/** Links that open a client with this server filled in, in the form that each client documents. */

/** One link. */
export interface InstallLink {
  readonly label: string;
  /** @param endpoint address of the MCP endpoint. */
  href(endpoint: string): string;
}

/** Name of the server in configurations. */
export const SERVER_NAME = 'unified-tools';

const DESCRIPTION = 'The tools of the services that you have connected';

const queryOf = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64');
const inAddress = (value: object): string => encodeURIComponent(JSON.stringify(value));

/** The name of the server and its configuration, as Cursor and LM Studio read them. */
const namedConfig = (endpoint: string) => queryOf({ name: SERVER_NAME, config: base64({ url: endpoint }) });
const vsCodeServer = (endpoint: string) => inAddress({ name: SERVER_NAME, type: 'http', url: endpoint });

/** https://cursor.com/docs/mcp/install-links */
export const CURSOR: InstallLink = {
  label: 'Add to Cursor',
  href: (endpoint) => `cursor://anysphere.cursor-deeplink/mcp/install?${namedConfig(endpoint)}`,
};

/** https://code.visualstudio.com/api/extension-guides/ai/mcp */
export const VS_CODE: readonly InstallLink[] = [
  { label: 'Add to VS Code', href: (endpoint) => `vscode:mcp/install?${vsCodeServer(endpoint)}` },
  { label: 'Add to VS Code Insiders', href: (endpoint) => `vscode-insiders:mcp/install?${vsCodeServer(endpoint)}` },
];

/** https://kiro.dev/docs/mcp/share/ */
export const KIRO: InstallLink = {
  label: 'Add to Kiro',
  href: (endpoint) => `https://kiro.dev/launch/mcp/add?name=${SERVER_NAME}&config=${inAddress({ url: endpoint })}`,
};

/** https://lmstudio.ai/docs/app/mcp/deeplink */
export const LM_STUDIO: InstallLink = {
  label: 'Add to LM Studio',
  href: (endpoint) => `lmstudio://add_mcp?${namedConfig(endpoint)}`,
};

/** https://block.github.io/goose/docs/getting-started/using-extensions */
export const GOOSE: InstallLink = {
  label: 'Add to Goose',
  href(endpoint) {
    const server = { url: endpoint, type: 'streamable_http', id: SERVER_NAME, name: SERVER_NAME };
    const parameters = Object.entries({ ...server, description: DESCRIPTION });
    return `goose://extension?${parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
  },
};

/** The form for https://claude.ai/customize/connectors that servers publish; Claude asks before it adds anything. */
export const CLAUDE: InstallLink = {
  label: 'Add to Claude',
  href(endpoint) {
    const connector = { modal: 'add-custom-connector', connectorName: SERVER_NAME, connectorUrl: endpoint };
    return `https://claude.ai/customize/connectors?${queryOf(connector)}`;
  },
};
