/** The text that the demo prints, including its commands. */

import type { Connector } from '../../server/contract/index.ts';

export interface DemoFacts {
  /** URL of the MCP endpoint. */
  readonly url: string;
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly tokenExpiresAt: number;
  readonly dashboardUrl: string;
  /** The secret for signing in to the dashboard. */
  readonly adminSecret: string;
  readonly sandboxOrigin: string;
  /** Origin of the portal. */
  readonly appOrigin: string;
  /** The API key that every service of the sandbox accepts. */
  readonly sandboxKey: string;
  readonly user: string;
  readonly partner: string;
  readonly partnerSecret: string;
  readonly connectors: readonly Connector[];
  /** Sentences about ports that were taken. */
  readonly notes: readonly string[];
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Server name in client configurations. */
const SERVER_NAME = 'unified-tools';

const PREFERRED_CALL: ToolCall = {
  name: 'retrieval_retrieve',
  arguments: { query: 'How many days of parental leave do employees in Berlin get?', topK: 2 },
};

/** Returns the call that the demo shows: a search if there is one, otherwise the call with which the first service checks its credential. */
export function chooseExampleCall(connectors: readonly Connector[]): ToolCall | null {
  const tools = connectors.flatMap((connector) => connector.tools);
  if (tools.some(({ name }) => name === PREFERRED_CALL.name)) return PREFERRED_CALL;
  const verify = connectors.find((connector) => connector.verify !== null)?.verify;
  if (verify) return { name: verify.tool, arguments: verify.arguments };
  const tool = tools.find(
    ({ inputSchema }) => !Array.isArray(inputSchema.required) || inputSchema.required.length === 0,
  );
  return tool === undefined ? null : { name: tool.name, arguments: {} };
}

export const LIST_REQUEST = { jsonrpc: '2.0', id: 1, method: 'tools/list' } as const;

export function toCallRequest(call: ToolCall): object {
  return { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call };
}

/** Returns a POSIX shell command that posts one JSON-RPC request. */
function toCurl({ url, token }: DemoFacts, request: object): string {
  const quoted = JSON.stringify(request).replaceAll("'", "'\\''");
  return [
    `curl -s ${url}`,
    `-H 'Authorization: Bearer ${token}'`,
    "-H 'Content-Type: application/json'",
    `-d '${quoted}'`,
  ].join(' \\\n    ');
}

/** Returns the content of an MCP client's configuration file. */
export function toClientConfiguration({ url, token }: { readonly url: string; readonly token: string }): object {
  return { mcpServers: { [SERVER_NAME]: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } } };
}

function toClaudeCommand({ url, token }: DemoFacts): string {
  return `claude mcp add --transport http ${SERVER_NAME} ${url} --header "Authorization: Bearer ${token}"`;
}

/** @param isVerbose true for the commands and addresses of every part too. */
export function demoStarted(facts: DemoFacts, isVerbose: boolean): string {
  const { connectors } = facts;
  const toolCount = connectors.reduce((sum, connector) => sum + connector.tools.length, 0);
  const services = connectors.map((connector) => `${connector.name} (${connector.tools.length})`).join(', ');
  const call = chooseExampleCall(connectors);
  const until = new Date(facts.tokenExpiresAt).toISOString();
  const begin = [
    ['The Unified Tool Gateway is running. Nothing leaves this machine.', ...facts.notes].join('\n'),
    [
      'Start here:',
      '',
      `  1. Open the portal, ${facts.appOrigin}, and sign in as Maya, a sample employee.`,
      `  2. Press Connect at a service. Its API key is ${facts.sandboxKey}`,
      '  3. Open Assistant, start it, allow it what it may do, and ask it something.',
      '',
      '  With a client of your own: add the gateway to it, sign in there, and type the code that the page AI clients gives you:',
      '',
      `     claude mcp add --transport http ${SERVER_NAME} ${facts.url}`,
    ].join('\n'),
    [
      'The parts, with a user who is connected already:',
      '',
      `  gateway    ${facts.url}  (MCP over Streamable HTTP)`,
      `  dashboard  ${facts.dashboardUrl}  (sign in with ${facts.adminSecret})`,
      `  for users  ${new URL('/', facts.url).href}`,
      `  tools      ${new URL('/tools', facts.url).href}  (all of them, to read and search)`,
      `  sandbox    ${facts.sandboxOrigin}  (stands in for the real services; open it in a browser)`,
      `  user       ${facts.user} of the partner ${facts.partner}, connected to ${services}: ${toolCount} tools`,
      `  token      ${facts.token}  (valid until ${until})`,
    ].join('\n'),
  ];
  const end = 'Ctrl-C stops everything and removes its data.';
  if (!isVerbose)
    return [...begin, 'Commands to paste, such as calls of tools: npm run demo -- --verbose', end].join('\n\n');
  const sections = [
    ...begin,
    call === null ? '' : `Call a tool:\n\n  ${toCurl(facts, toCallRequest(call))}`,
    `List the tools (a long answer):\n\n  ${toCurl(facts, LIST_REQUEST)}`,
    [
      'Ask the API of partners, as the application that owns the user:',
      '',
      `  curl -s ${new URL('/api/partner/users', facts.url).href} -u ${facts.partner}:${facts.partnerSecret}`,
      `  (everything that it answers: ${new URL('/api/openapi.yaml', facts.url).href})`,
    ].join('\n'),
    `Add it to Claude Code:\n\n  ${toClaudeCommand(facts)}`,
    `Or put this into the configuration file of another MCP client:\n\n${indent(JSON.stringify(toClientConfiguration(facts), null, 2))}`,
    [
      `See what reached the services:  curl -s ${facts.sandboxOrigin}/__sandbox/requests`,
      `Make a service fail once:       curl -s ${facts.sandboxOrigin}/__sandbox/misbehave -d '{"kind": "server-error"}'`,
    ].join('\n'),
    end,
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
