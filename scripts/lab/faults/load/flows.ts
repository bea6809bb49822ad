/** The requests of users, clients and the partner: one function per kind. */

import { createHash, randomBytes } from 'node:crypto';
import { digest, type KnownGrant, markOf, type Redeemable } from '../ledger/ledger.ts';
import { type Partner, SERVICES, type Service } from '../stage/index.ts';
import { FailedStepError, type RecordedAnswer, requireAnswer, type Visitor } from './visitor.ts';
import { newVisitor, pick, type Session, type User, type World } from './world.ts';

export const CLIENT_REDIRECT_URI = 'http://127.0.0.1:7000/callback';
const MAX_PAGES = SERVICES.length + 1;
const CALLS: Readonly<Record<Service, { readonly name: string; readonly arguments: object }>> = {
  mailer: { name: 'mailer_list_contacts', arguments: { brandId: '5f0c1f6e-3d0b-4c57-9a4e-0d6a3a1c7b21' } },
  retrieval: { name: 'retrieval_list_partitions', arguments: {} },
};

/** Registers a client. @returns its `client_id`. */
export async function register(world: World, visitor = newVisitor(world)): Promise<string> {
  const metadata = { redirect_uris: [CLIENT_REDIRECT_URI], token_endpoint_auth_method: 'none' };
  const answer = await visitor.post('machine', '/api/mcp/oauth/register', metadata);
  requireAnswer(answer, answer.status === 201, 'registration');
  const { client_id: clientId } = JSON.parse(answer.text) as { client_id: string };
  world.ledger.registrations.push(clientId);
  return clientId;
}

/** The partner connects a new user to every service. @param atOnce number of concurrent requests that redeem the code. */
export async function connect(world: World, atOnce = 1, visitor = newVisitor(world)): Promise<void> {
  const partner = pick(world.partners);
  if (partner === undefined) throw new Error('There is no partner.');
  const { redirectUri } = partner;
  const id = `user-${randomBytes(6).toString('hex')}`;
  const credentials = { mailer: `key-mailer-${id}`, retrieval: `key-retrieval-${id}` };
  const request = { user_id: id, services: SERVICES, redirect_uri: redirectUri };
  const minted = await visitor.post('machine', '/api/partner/connect-sessions', request, asPartner(partner));
  requireAnswer(minted, minted.status === 201 || minted.status === 200, 'connect session');
  const { connect_url: address } = JSON.parse(minted.text) as { connect_url: string };
  const code = await typeCredentials(visitor, new URL(address), credentials, redirectUri);
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, user_id: id };
  const redemption = await redeem(
    world,
    { kind: 'connect code', secret: code, atOnce },
    () => visitor.post('machine', '/api/oauth/token', new URLSearchParams(form), asPartner(partner)),
    readTokens,
  );
  const { access, grant } = takeTokens(world, redemption, 'connect code');
  // The first use creates the connection, whatever a second use ends.
  for (const service of SERVICES) world.ledger.connections.push(`${id} ${service}`);
  if (grant.state !== 'live') return;
  world.users.push({ id, partner, credentials, access, hasWrongExpiry: world.clockIsWrong });
}

async function typeCredentials(
  visitor: Visitor,
  address: URL,
  credentials: Readonly<Record<Service, string>>,
  redirectUri: string,
): Promise<string> {
  let page = await visitor.open(address.pathname + address.search);
  for (let step = 0; step < MAX_PAGES; step += 1) {
    const { answer, location, fields, textFields: typed } = page;
    if (location?.startsWith(redirectUri)) return new URL(location).searchParams.get('code') ?? '';
    requireAnswer(answer, answer.status === 200 && fields !== null, 'connect page');
    const form = new URLSearchParams(fields ?? '');
    for (const name of typed) form.set(name, credentials[SERVICES[step] ?? SERVICES[0]]);
    form.set('decision', 'connect');
    page = await visitor.open('/connect', form);
  }
  throw new Error('The connect page did not lead back to the partner.');
}

/** A user signs in to a client with a connection code, from the authorization request to the tokens. */
export async function signIn(
  world: World,
  user: User,
  clientId: string,
  atOnce = 1,
  visitor = newVisitor(world),
): Promise<Session> {
  const path = '/api/mcp/oauth/sessions';
  const minted = await visitor.post('machine', path, { user_id: user.id }, asPartner(user.partner));
  requireAnswer(minted, minted.status === 200, 'connection code');
  const { session_token: connectionCode } = JSON.parse(minted.text) as { session_token: string };
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const code = await consent(world, visitor, authorizationPath(clientId, challenge), connectionCode);
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: CLIENT_REDIRECT_URI,
    code_verifier: verifier,
  };
  const use = { kind: 'authorization code', secret: code, atOnce } as const;
  const redemption = await redeem(world, use, () => requestTokens(visitor, form), readTokens);
  const tokens = takeTokens(world, redemption, 'authorization code');
  return { user, clientId, ...tokens, hasWrongExpiry: world.clockIsWrong, isRefreshing: false };
}

export function authorizationPath(clientId: string, challenge: string): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CLIENT_REDIRECT_URI,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  return `/api/mcp/oauth/authorize?${query}`;
}

async function consent(world: World, visitor: Visitor, path: string, connectionCode: string): Promise<string> {
  const first = await visitor.open(path);
  requireAnswer(first.answer, first.answer.status === 200 && first.fields !== null, 'authorization request');
  const typed = new URLSearchParams(first.fields ?? '');
  typed.set('connection_code', connectionCode);
  typed.set('decision', 'continue');
  const second = await visitor.open(first.action, typed);
  requireAnswer(second.answer, second.answer.status === 200 && second.fields !== null, 'connection code typed');
  const allowed = new URLSearchParams(second.fields ?? '');
  allowed.set('access', 'write');
  allowed.set('decision', 'allow');
  const redemption = await redeem(
    world,
    { kind: 'connection code', secret: connectionCode, atOnce: 1 },
    async () => (await visitor.open(second.action, allowed)).answer,
    readCode,
  );
  return readCode(requireSuccess(redemption, 'consent')) ?? '';
}

function readCode({ status, headers }: RecordedAnswer): string | null {
  if (status !== 303 && status !== 302) return null;
  return new URL(headers.location ?? '', CLIENT_REDIRECT_URI).searchParams.get('code');
}

/** A client uses its refresh token. @param atOnce number of concurrent requests with it, on any nodes. */
export async function refresh(
  world: World,
  session: Session,
  atOnce = 1,
  visitor = newVisitor(world),
): Promise<boolean> {
  const { grant, clientId, refresh: secret } = session;
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: secret };
  const wasLive = grant.state === 'live';
  session.isRefreshing = true;
  const use = { kind: 'refresh token', secret, atOnce } as const;
  const { success, last } = await redeem(world, use, () => requestTokens(visitor, form), readTokens);
  session.isRefreshing = false;
  const tokens = success && readTokens(success);
  if (tokens) {
    Object.assign(session, tokens);
    session.hasWrongExpiry = world.clockIsWrong;
    // A node with a wrong clock may treat one of two concurrent uses as a replay.
    if (grant.state !== 'revoked') grant.state = world.clockIsWrong && atOnce > 1 ? 'unsure' : 'live';
    acknowledge(world, grant, tokens);
    return true;
  }
  const isOver = last?.status === 400 && readError(last) === 'invalid_grant';
  if (isOver && wasLive && !world.clockIsWrong) {
    world.problems.push({ check: 'form', text: `a session ended although no answer of it was lost: ${last.text}` });
  }
  if (isOver) world.sessions = world.sessions.filter((other) => other !== session);
  if (wasLive) grant.state = 'unsure';
  // If the session's earlier responses were lost, this request has not failed.
  if (last !== undefined && wasLive) last.exchange.failure = `refresh: ${readError(last)}`;
  return false;
}

/** A user calls a tool. */
export async function call(
  world: World,
  caller: { readonly user: User; readonly access: string; readonly grant?: KnownGrant },
  service: Service,
  visitor = newVisitor(world),
): Promise<boolean> {
  const { user, access, grant } = caller;
  const nonce = randomBytes(6).toString('hex');
  const { name, arguments: fixed } = CALLS[service];
  const params = { name, arguments: { ...fixed, cursor: nonce } };
  const answer = await postMessage(visitor, access, { method: 'tools/call', params });
  if (answer.status === 401 && grant?.state === 'live' && !world.clockIsWrong) {
    world.problems.push({ check: 'form', text: 'a valid access token was refused' });
  }
  const result = answer.status === 200 ? (JSON.parse(answer.text) as { result?: ToolResult }).result : undefined;
  if (result === undefined || result.isError === true) {
    if (grant !== undefined && grant.state !== 'live') return false;
    answer.exchange.failure = `${name}: ${answer.status === 200 ? readToolError(result) : answer.status}`;
    return false;
  }
  world.ledger.calls.push({
    node: answer.exchange.node,
    answeredAt: Date.now(),
    requestId: String(answer.headers['x-request-id']),
    expected: `${markOf(user.credentials[service])}:${nonce}`,
    got: /[\w-]{16}:[0-9a-f]*/.exec(JSON.stringify(result))?.[0] ?? '',
  });
  return true;
}

interface ToolResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
}

function readToolError(result: ToolResult | undefined): string {
  const texts = (result?.content ?? []).map(({ text = '' }) => text).join(' ');
  return /"code":\s*"(\w+)"/.exec(texts)?.[1] ?? 'no result';
}

/** A client revokes its tokens. */
export async function revoke(world: World, session: Session, visitor = newVisitor(world)): Promise<void> {
  const form = new URLSearchParams({ token: session.refresh, client_id: session.clientId });
  if (session.grant.state === 'live') session.grant.state = 'unsure';
  const answer = await visitor.post('machine', '/api/mcp/oauth/revoke', form);
  requireAnswer(answer, answer.status === 200, 'revocation');
  session.grant.state = 'revoked';
  world.revoked.push(session.access);
}

/** Sends a JSON-RPC message to the MCP endpoint. */
export function postMessage(visitor: Visitor, access: string, message: object): Promise<RecordedAnswer> {
  const headers = { authorization: `Bearer ${access}`, accept: 'application/json, text/event-stream' };
  return visitor.post('mcp', '/api/mcp/unified', { jsonrpc: '2.0', id: 1, ...message }, headers);
}

function requestTokens(visitor: Visitor, form: Readonly<Record<string, string>>): Promise<RecordedAnswer> {
  return visitor.post('machine', '/api/mcp/oauth/token', new URLSearchParams(form));
}

function asPartner({ clientId, secret }: Partner): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` };
}

interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

function readTokens({ status, text }: RecordedAnswer): Tokens | null {
  if (status !== 200) return null;
  const { access_token: access, refresh_token } = JSON.parse(text) as Record<string, string | undefined>;
  return access === undefined || refresh_token === undefined ? null : { access, refresh: refresh_token };
}

function readError({ status, text }: RecordedAnswer): string {
  return /"error":\s*"(\w+)"/.exec(text)?.[1] ?? String(status);
}

/** The outcome of using a secret. */
interface Redemption {
  /** The first success; undefined if there was none. */
  readonly success: RecordedAnswer | undefined;
  /** True if every request was answered, without an outage. */
  readonly isSettled: boolean;
  /** True if only one request was sent. */
  readonly isSingle: boolean;
  /** The last response; undefined if there was none. */
  readonly last: RecordedAnswer | undefined;
}

/**
 * Uses a single-use secret: usually once, again if the response is missing or reports an outage, and sometimes on two nodes concurrently.
 * Records every success.
 *
 * @param send sends one request. @param readIssued returns what a success issued; null if the answer is no success.
 */
async function redeem(
  { ledger }: World,
  { kind, secret, atOnce }: { readonly kind: Redeemable; readonly secret: string; readonly atOnce: number },
  send: () => Promise<RecordedAnswer>,
  readIssued: (answer: RecordedAnswer) => unknown,
): Promise<Redemption> {
  const answers: (RecordedAnswer | null)[] = [];
  const use = async (): Promise<void> => {
    const answer = await send().catch(() => null);
    answers.push(answer);
    const issued = answer === null ? null : readIssued(answer);
    if (issued !== null && !isReturned(secret, issued)) {
      ledger.redeemed.push({ kind, secret: digest(secret), answer: digest(JSON.stringify(issued)) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, use));
  const isOutage = (answer: RecordedAnswer | null): boolean => answer === null || answer.status >= 500;
  if (answers.every(isOutage) && kind !== 'refresh token') await use();
  const received = answers.filter((answer) => answer !== null);
  return {
    success: received.find((answer) => readIssued(answer) !== null),
    isSettled: !answers.some(isOutage),
    isSingle: answers.length === 1,
    last: received.at(-1),
  };
}

/** A refresh token that was issued less than REFRESH_HOLD_MS ago comes back with another access token, and is not used by that. */
function isReturned(secret: string, issued: unknown): boolean {
  return typeof issued === 'object' && issued !== null && 'refresh' in issued && issued.refresh === secret;
}

/** A refusal is a failure, unless an earlier request without a response may have used the secret. @throws {FailedStepError} */
function requireSuccess({ success, isSettled, last }: Redemption, step: string): RecordedAnswer {
  if (success !== undefined) return success;
  if (last !== undefined && isSettled) requireAnswer(last, false, step);
  throw new FailedStepError(step);
}

/** Records the tokens issued for a code. A code that was sent twice may have ended them. */
function takeTokens(world: World, redemption: Redemption, step: string): Tokens & { readonly grant: KnownGrant } {
  const tokens = readTokens(requireSuccess(redemption, step)) ?? { access: '', refresh: '' };
  const grant: KnownGrant = { state: redemption.isSettled && redemption.isSingle ? 'live' : 'unsure' };
  acknowledge(world, grant, tokens);
  return { ...tokens, grant };
}

function acknowledge({ ledger }: World, grant: KnownGrant, { access, refresh: next }: Tokens): void {
  ledger.tokens.push({ grant, access: digest(access), refresh: digest(next) });
}
