/** Checks upstreams over the gateway's own route, without credentials. */

import { type CheckResult, error, ok, skipped, warning } from '../../base/checks.ts';
import { kindsOf, oauth2PartOf, takesUpstreamClient } from '../../base/credentials/kinds.ts';
import { listServicesWithoutClient, registerClientCommand } from '../../base/credentials/upstream-clients.ts';
import { type Answer, ask, NoAnswerError, type Reach } from '../../base/guarded-fetch/reach.ts';
import type { Store } from '../../base/store/index.ts';
import { findVerifyingTool } from '../../call/tools/catalogue/permitted.ts';
import { withOAuthOrigin } from '../../call/upstream/oauth/origins.ts';
import { compileRequest, type SerializedRequest } from '../../call/upstream/serialize.ts';
import { CannotSendError } from '../../call/upstream/serialize-sources.ts';
import type { Config } from '../../config/index.ts';
import type { Connector, Tool } from '../../contract/index.ts';
import { USER_AGENT } from '../../product.ts';
import { checkMcpServer } from './mcp-servers.ts';

/** Statuses with which upstreams refuse a request without a credential; those that hide what exists answer 403. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403]);

/** Checks every base URL, the authorization server, and the call that verifies credentials, or the tools of an MCP server. */
export async function checkUpstream(
  generatedConnector: Connector,
  { baseUrls, oauthOrigins }: Config,
  reach: Reach,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const connector = withOAuthOrigin(generatedConnector, oauthOrigins.get(generatedConnector.name));
  const byServer = baseUrls.get(connector.name) ?? new Map<string, string>();
  const urls = new Map([...byServer].map(([server, url]) => [url, variableOf(connector, server)]));
  for (const url of authorizationServers(connector)) if (!urls.has(url)) urls.set(url, null);
  const { fixed = [], templates = [] } = Object.groupBy(urls, ([url]) => (url.includes('{') ? 'templates' : 'fixed'));
  const perConnection = templates.map(([url]) => skipped(`each connection has its own value in ${url}`));
  const answers = await Promise.all(
    fixed.map(async ([url, variable]) => judgeBase(url, variable, await getBase(url, reach, signal))),
  );
  const isReached = answers.every(({ state }) => state === 'ok');
  if (!isReached || perConnection.length > 0) return [...answers, ...perConnection];
  const mcpTool = connector.tools.find(({ call }) => call !== undefined);
  const endpoint = byServer.get(mcpTool?.operation.server ?? '');
  if (mcpTool !== undefined && endpoint !== undefined) {
    return [...answers, await checkMcpServer(connector, endpoint, reach)];
  }
  return [...answers, await checkVerifyingCall(connector, byServer, reach, signal)];
}

/** Returns the environment variable that replaces a server's address; null if there is none. */
function variableOf({ servers }: Connector, template: string): string | null {
  return servers.find(({ url }) => url === template)?.variables[0]?.env ?? null;
}

/** Returns the origins of token endpoints. */
function authorizationServers({ credential }: Connector): string[] {
  return kindsOf(credential).flatMap((kind) => {
    const part = oauth2PartOf(kind);
    return part === undefined ? [] : [new URL(part.oauth2.tokenUrl).origin];
  });
}

function getBase(url: string, { guarded }: Reach, signal: AbortSignal): Promise<Answer | NoAnswerError> {
  const headers = { 'User-Agent': USER_AGENT };
  return ask(guarded, url, { signal, headers }).catch((problem: unknown) => {
    if (problem instanceof NoAnswerError) return problem;
    throw problem;
  });
}

function judgeBase(url: string, variable: string | null, answer: Answer | NoAnswerError): CheckResult {
  const { origin } = new URL(url);
  const overrideAdvice = variable === null ? '' : `, or set ${variable}`;
  if (answer instanceof NoAnswerError) {
    const isGuarded = answer.message.includes('OUTGOING_NETWORKS');
    return error(
      answer.message,
      isGuarded
        ? `add its network to OUTGOING_NETWORKS${overrideAdvice}`
        : `check DNS and the outgoing network of this machine${overrideAdvice}`,
    );
  }
  if (answer.status < 500) return ok(`${origin} answers`);
  return warning(`${origin} answers ${answer.status}`, 'see the status page of the service, and try again');
}

async function checkVerifyingCall(
  connector: Connector,
  byServer: ReadonlyMap<string, string>,
  { guarded }: Reach,
  signal: AbortSignal,
): Promise<CheckResult> {
  const verifyingCall = findVerifyingTool(connector);
  if (verifyingCall === null) return skipped('it has no call that verifies credentials');
  const { tool } = verifyingCall;
  const isOpen = connector.credential.parts.length === 0;
  const request = writeRequest(tool, verifyingCall.arguments);
  const base = byServer.get(tool.operation.server);
  if (request === null || base === undefined) return skipped(`${tool.name} cannot be sent without a credential`);
  const headers: Record<string, string> = { ...pairsOf(request.headers), 'User-Agent': USER_AGENT };
  if (request.contentType !== null) headers['Content-Type'] = request.contentType;
  const { method, body } = request;
  const { status } = await ask(guarded, base + request.target, {
    method,
    signal,
    headers,
    body: body as BodyInit | null,
  });
  const isGood = status >= 200 && status < 300;
  if (isOpen) {
    return isGood
      ? ok(`${tool.name} answers ${status}`)
      : warning(`${tool.name} answers ${status}`, 'compare the base URL and the descriptor');
  }
  if (REFUSALS.has(status)) return ok(`${tool.name} is refused without a credential (${status})`);
  if (isGood) {
    return warning(
      `${tool.name} works without a credential, so it does not tell valid from invalid ones`,
      `name another tool as verify in specs/${connector.name}/connector.yaml`,
    );
  }
  return warning(
    `${tool.name} is answered with ${status} without a credential, and not with 401 or 403`,
    'compare the base URL and the descriptor; some services answer 400 or 404 here',
  );
}

/** Returns null if its path or body contains part of the credential. */
function writeRequest(tool: Tool, args: Readonly<Record<string, unknown>>): SerializedRequest | null {
  try {
    return compileRequest(tool)(args);
  } catch (problem) {
    if (problem instanceof CannotSendError) return null;
    throw problem;
  }
}

function pairsOf(headers: readonly string[]): Record<string, string> {
  const pairs = headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? '']] : []));
  return Object.fromEntries(pairs);
}

/** Finds services where users cannot sign in, because the gateway has no client at the upstream, and says what they can do instead. */
export async function checkUpstreamClients({ db }: Store, connectors: readonly Connector[]): Promise<CheckResult[]> {
  if (!connectors.some(({ credential }) => takesUpstreamClient(credential))) return [];
  const missing = await listServicesWithoutClient(db, connectors);
  if (missing.length === 0) return [ok('a client is registered at each upstream that needs one')];
  return missing.map(missingClientFinding);
}

function missingClientFinding(connector: Connector): CheckResult {
  const { name, credential } = connector;
  const fix = registerClientCommand(connector);
  const otherKinds = kindsOf(credential).filter((kind) => oauth2PartOf(kind) === undefined);
  if (otherKinds.length === 0) {
    return warning(`no user can connect ${name}: no client is registered at its authorization server`, fix);
  }
  const labels = otherKinds.map(({ label }) => label).join(' or ');
  return ok(`users connect ${name} by ${labels}; to offer its sign-in too, register a client: ${fix}`);
}
