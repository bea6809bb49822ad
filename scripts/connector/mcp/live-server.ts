/** Reads what an MCP server says of itself and of its tools now. */

import type { Client, OAuthDiscoveryState, StreamableHTTPClientTransportOptions } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isRecord, withoutUndefined } from '../../../codegen/json.ts';
import { toShortText } from '../../../codegen/tools/words/texts.ts';
import { byCodeUnit } from '../../../shared/canonical-json.ts';
import type { Output } from '../../../shared/cli/output.ts';
import { UsageError } from '../../../shared/cli/run.ts';
import { quoteText } from '../../../shared/invisible.ts';
import {
  findToolFaults,
  isServerAddress,
  lockDigest,
  MCP_LIMITS,
  type McpLock,
  type McpTool,
  readMcpLock,
} from '../../../shared/mcp/lock.ts';
import { readRefusedPage } from '../../../shared/mcp/refused-page.ts';
import { type Access, readAccess } from './access.ts';
import { createMcpFetch, type McpFetch } from './guarded-fetch.ts';
import { createSignIn, type OpenBrowser, openBrowser, type SignIn } from './sign-in.ts';

const MAX_PAGES = 100;
const TIMEOUT_MS = 60_000;
const MAX_TEXT_CHARS = 300;

/** The address answers, and not as an MCP server. */
class NoMcpServerError extends UsageError {}

/** An MCP server is there, and its tools cannot be read. */
export class UnreadableServerError extends UsageError {}

export interface LiveRules {
  /** True if the host of the server may have an address that is not public. */
  readonly allowPrivate: boolean;
  /** Further hosts that may, such as that of the authorization server. */
  readonly privateHosts?: readonly string[];
  readonly access: Access;
  /** False: no one is there to sign in. */
  readonly isAttended: boolean;
  /** Default: the browser of this machine. */
  readonly open?: OpenBrowser | undefined;
}

export interface LiveServer {
  readonly lock: McpLock;
  /** Tools that cannot be locked, and why. They are not in the lock. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
  /** What the server asks of its users. */
  readonly credential: LiveCredential;
}

/** `open`: the server answered without a credential. `header`: with a key in this header. Otherwise with a bearer token. */
export interface LiveCredential {
  readonly kind: 'open' | 'bearer' | 'header';
  readonly header: string | null;
  /** What discovery found (RFC 9728, RFC 8414). Undefined if there is nothing, or no one asked. */
  readonly oauth: OAuthDiscoveryState | undefined;
}

/**
 * Connects in the newest revision that the server speaks, and lists its tools.
 *
 * @throws {UnreadableServerError} if its list is too large, changes while it is read, or names a tool twice.
 * @throws {UsageError} if no MCP server is there, it cannot be reached, or needs a credential.
 */
export async function readLiveServer(address: string, rules: LiveRules, output: Output): Promise<LiveServer> {
  const url = URL.parse(address);
  if (url === null || !isServerAddress(address)) {
    throw new UsageError(`${address} must be an http or https address without a user, a query and a fragment.`);
  }
  const headers = await readAccess(rules.access);
  const hasHeaders = Object.keys(headers).length > 0;
  const maySendTokens = url.protocol === 'https:' || rules.allowPrivate;
  if (hasHeaders && !maySendTokens) throw new UsageError(`${address} is not https: a credential is not sent there.`);
  const { allowPrivate, privateHosts = [] } = rules;
  const mayBePrivate = (host: string) => (allowPrivate && host === url.host) || privateHosts.includes(host);
  const connection = createMcpFetch({ endpoint: url, headers, mayBePrivate });
  const signIn =
    hasHeaders || !rules.isAttended || !maySendTokens
      ? null
      : await createSignIn({ clientId: rules.access.clientId, open: rules.open ?? openBrowser, say: output.err });
  let isConnected = false;
  try {
    const { client, wasSignedIn } = await connect(url, connection, signIn);
    isConnected = true;
    const lock = await toLock(url.href, client, connection);
    await client.close();
    const oauth = hasHeaders ? await discover(url, connection) : signIn?.discovered();
    return { ...lock, credential: toCredential(headers, wasSignedIn, oauth) };
  } catch (error) {
    // The client wraps what `fetch` threw.
    const isOurs = error instanceof UsageError && !(error instanceof NoMcpServerError);
    const reason = isOurs ? error : (connection.failure() ?? (await toReadError(address, error)));
    throw isConnected && reason instanceof UsageError ? new UnreadableServerError(reason.message) : reason;
  } finally {
    signIn?.close();
    await connection.close();
  }
}

function toCredential(
  headers: Readonly<Record<string, string>>,
  wasSignedIn: boolean,
  oauth: OAuthDiscoveryState | undefined,
): LiveCredential {
  const [header] = Object.keys(headers).filter((name) => name.toLowerCase() !== 'authorization');
  if (header !== undefined) return { kind: 'header', header, oauth };
  return { kind: wasSignedIn || Object.keys(headers).length > 0 ? 'bearer' : 'open', header: null, oauth };
}

/** Imported on first use: most commands need no client. */
const loadClient = () => import('@modelcontextprotocol/client');

async function connect(url: URL, { fetch }: McpFetch, signIn: SignIn | null) {
  const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await loadClient();
  const options: StreamableHTTPClientTransportOptions = {
    fetch,
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1,
    },
  };
  if (signIn !== null) options.authProvider = signIn.provider;
  const createTransport = () => new StreamableHTTPClientTransport(url, options);
  const start = async (transport: InstanceType<typeof StreamableHTTPClientTransport>): Promise<Client> => {
    const client = new Client(
      { name: 'unified-tool-gateway', version: '1' },
      { capabilities: {}, versionNegotiation: { mode: 'auto', probe: { timeoutMs: TIMEOUT_MS } } },
    );
    await client.connect(transport, { timeout: TIMEOUT_MS });
    return client;
  };
  const transport = createTransport();
  try {
    return { client: await start(transport), wasSignedIn: false };
  } catch (error) {
    if (signIn?.discovered() === undefined) throw toConnectError(url, error);
    if (!(error instanceof UnauthorizedError)) throw toSignInError(url, error);
  }
  try {
    await transport.finishAuth(await signIn.waitForCallback());
    return { client: await start(createTransport()), wasSignedIn: true };
  } catch (error) {
    throw toSignInError(url, error);
  }
}

function toSignInError(url: URL, error: unknown): UsageError {
  if (error instanceof UsageError) return error;
  return new UsageError(
    `Signing in at ${url.href} failed: ${textOf(error)} If it takes no new clients, name one with --client-id, or a token with --token-env.`,
  );
}

function toConnectError(url: URL, error: unknown): UsageError {
  if (error instanceof UsageError) return error;
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 401 || status === 403 || (error instanceof Error && error.name === 'UnauthorizedError')) {
    return new UsageError(
      `${url.href} needs a credential: --token-env <NAME> or --header <name>=env:<NAME>. Its answer was ${textOf(error)}`,
    );
  }
  return new NoMcpServerError(`${url.href} does not answer as an MCP server: ${textOf(error)}`);
}

/** What the client says of an answer that the protocol does not allow. Anything else is a bug of ours. */
async function toReadError(address: string, error: unknown): Promise<unknown> {
  const { ProtocolError, SdkError } = await loadClient();
  if (!(error instanceof ProtocolError || error instanceof SdkError)) return error;
  return new UsageError(`The tools of ${address} cannot be read: ${textOf(error)}`);
}

/** What discovery finds; undefined if there is nothing: a token is then the only way in that is known. */
async function discover(url: URL, { fetch }: McpFetch): Promise<OAuthDiscoveryState | undefined> {
  const { discoverOAuthServerInfo } = await loadClient();
  return discoverOAuthServerInfo(url, { fetchFn: fetch }).catch(() => undefined);
}

const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().max(10_000).optional() });

async function toLock(url: string, client: Client, connection: McpFetch): Promise<Omit<LiveServer, 'credential'>> {
  const listed = await listTools(client, connection);
  const { tools, refused } = sortOut(listed.tools);
  if (listed.pages > 1) {
    const again = sortOut((await listTools(client, connection)).tools);
    if (lockDigest(again.tools) !== lockDigest(tools))
      throw new UsageError(`The tools of ${url} changed while their ${listed.pages} pages were read. Try again.`);
  }
  const { name = '', version = '', title } = client.getServerVersion() ?? {};
  const lock: McpLock = withoutUndefined({
    url,
    serverInfo: withoutUndefined({ name, version, title }),
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    capabilities: client.getServerCapabilities() ?? {},
    instructions: client.getInstructions(),
    lockedAt: new Date().toISOString().slice(0, 10),
    digest: lockDigest(tools),
    tools,
  });
  const read = readMcpLock(lock);
  if ('lock' in read) return { lock, refused };
  const [fault] = read.faults;
  throw new UsageError(`${url} cannot be locked: ${fault?.path.join('.')}: ${fault?.message}.`);
}

interface ListedTools {
  readonly tools: readonly unknown[];
  readonly pages: number;
}

async function listTools(client: Client, { lastAnswer, cut }: McpFetch): Promise<ListedTools> {
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  const tools: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let chars = 0;
  for (let pages = 1; pages <= MAX_PAGES; pages += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client
      .request({ method: 'tools/list', params }, pageSchema, {
        signal: AbortSignal.any([deadline, cut]),
        timeout: TIMEOUT_MS,
      })
      .catch((error: unknown) => {
        if (cut.aborted) throw cut.reason;
        if (deadline.aborted)
          throw new UsageError(`The server does not list its tools within ${TIMEOUT_MS / 1000} seconds.`);
        const read = pageSchema.safeParse(readRefusedPage(error, lastAnswer()));
        if (!read.success) throw error;
        return read.data;
      });
    tools.push(...page.tools);
    chars += JSON.stringify(page.tools).length;
    if (tools.length > MCP_LIMITS.tools) throw new UsageError(`The server lists more than ${MCP_LIMITS.tools} tools.`);
    if (chars > MCP_LIMITS.chars)
      throw new UsageError(`The list of the server is longer than ${MCP_LIMITS.chars} characters.`);
    cursor = page.nextCursor;
    if (cursor === undefined) return { tools, pages };
    if (cursors.has(cursor)) throw new UsageError('The list of the server has no end: a cursor comes back.');
    cursors.add(cursor);
  }
  throw new UsageError(`The list of the server has more than ${MAX_PAGES} pages.`);
}

/** @throws {UsageError} for a name that is listed twice: nothing says which of the tools a call reaches. */
function sortOut(listed: readonly unknown[]): { readonly tools: McpTool[]; readonly refused: LiveServer['refused'] } {
  const tools: McpTool[] = [];
  const refused: { name: string; reason: string }[] = [];
  const names = new Set<string>();
  for (const tool of listed) {
    const name = isRecord(tool) && typeof tool.name === 'string' ? tool.name : '';
    if (names.has(name)) throw new UsageError(`The server lists the tool ${quoteText(name)} twice.`);
    names.add(name);
    const [fault] = findToolFaults(tool);
    if (fault === undefined) tools.push(tool as McpTool);
    else {
      const member = fault.path.length === 0 ? '' : `${fault.path.join('.')}: `;
      refused.push({ name: toShortText(name, 80), reason: `${member}${fault.message}` });
    }
  }
  return { tools: tools.sort((a, b) => byCodeUnit(a.name, b.name)), refused };
}

/** One line for each tool that was left out. */
export function formatRefused(refused: LiveServer['refused']): string {
  return refused.map(({ name, reason }) => `The tool ${quoteText(name)} was left out: ${reason}.\n`).join('');
}

/** The text of an error may come from the server. */
function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return toShortText(text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' '), MAX_TEXT_CHARS);
}
