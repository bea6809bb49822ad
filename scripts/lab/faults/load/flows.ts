/** What users, clients and the partner do: one function per kind of request. */

import { createHash, randomBytes } from 'node:crypto';
import { digest, type KnownGrant, markOf } from '../ledger/ledger.ts';
import { SERVICES, type Service } from '../stage/index.ts';
import type { Visitor } from './visitor.ts';
import { type Answered, NoAnswerError } from './wire.ts';
import { asPartner, newVisitor, redeem, type Session, type User, type Uses, type World } from './world.ts';

const CLIENT_REDIRECT_URI = 'http://127.0.0.1:7000/callback';
const MAX_PAGES = SERVICES.length + 1;
const CALLS: Readonly<
  Record<Service, { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }>
> = {
  mailer: { tool: 'mailer_list_contacts', arguments: { brandId: '5f0c1f6e-3d0b-4c57-9a4e-0d6a3a1c7b21' } },
  retrieval: { tool: 'retrieval_list_partitions', arguments: {} },
};

/** Every function uses the visitor given here, if the node matters. */
type Via = { readonly world: World; readonly visitor: Visitor };

/** Any node, from a new address. */
export function anyWay(world: World): Via {
  return { world, visitor: newVisitor(world) };
}

/** One node only. */
export function byNode(world: World, node: number): Via {
  return { world, visitor: newVisitor(world, () => node) };
}

/** Registers a client. @returns its `client_id`. */
export async function register({ world, visitor }: Via): Promise<string> {
  const metadata = { redirect_uris: [CLIENT_REDIRECT_URI], token_endpoint_auth_method: 'none' };
  const path = '/api/mcp/oauth/register';
  const answer = await visitor.ask({ surface: 'machine', method: 'POST', path, body: JSON.stringify(metadata) });
  visitor.require(answer, answer.status === 201, 'registration');
  const { client_id: clientId } = JSON.parse(answer.text) as { client_id: string };
  world.ledger.registrations.push(clientId);
  return clientId;
}

/**
 * The partner connects a new user to every service. @param atOnce number of concurrent requests that redeem the code.
 */
export async function connect({ world, visitor }: Via, atOnce = 1): Promise<void> {
  const partner = world.random.pick(world.partners);
  if (partner === undefined) throw new Error('There is no partner.');
  const id = `user-${randomBytes(6).toString('hex')}`;
  const credentials = { mailer: `key-mailer-${id}`, retrieval: `key-retrieval-${id}` };
  const session = { user_id: id, services: SERVICES, redirect_uri: partner.redirectUri };
  const minted = await visitor.ask({
    surface: 'machine',
    method: 'POST',
    path: '/api/partner/connect-sessions',
    headers: asPartner(partner),
    body: JSON.stringify(session),
  });
  visitor.require(minted, minted.status === 201 || minted.status === 200, 'connect session');
  const { connect_url: address } = JSON.parse(minted.text) as { connect_url: string };
  const code = await typeCredentials(visitor, new URL(address), credentials, partner.redirectUri);
  const form = { grant_type: 'authorization_code', code, redirect_uri: partner.redirectUri, user_id: id };
  const post = () =>
    visitor.ask({
      surface: 'machine',
      method: 'POST',
      path: '/api/oauth/token',
      headers: asPartner(partner),
      body: new URLSearchParams(form),
    });
  const uses = await redeem(world, { what: 'connect code', secret: code, atOnce }, post, toPair);
  const tokens = takeTokens({ world, visitor }, uses, 'connect code');
  // The first use creates the connection, whatever a second use ends.
  for (const service of SERVICES) world.ledger.connections.push(`${id} ${service}`);
  if (tokens.grant.state === 'live') world.users.push({ id, partner, credentials, access: tokens.access });
}

async function typeCredentials(
  visitor: Visitor,
  address: URL,
  credentials: Readonly<Record<Service, string>>,
  redirectUri: string,
): Promise<string> {
  let page = await visitor.open(address.pathname + address.search);
  let service = 0;
  for (let step = 0; step < MAX_PAGES; step += 1) {
    const { answer, location, fields } = page;
    if (location?.startsWith(redirectUri) === true) return new URL(location).searchParams.get('code') ?? '';
    visitor.require(answer, answer.status === 200 && fields !== null, 'connect page');
    const form = new URLSearchParams(fields ?? '');
    const name = SERVICES[service] ?? SERVICES[0];
    for (const typed of page.typed) form.set(typed, credentials[name]);
    form.set('decision', 'connect');
    page = await visitor.open('/connect', form);
    service += 1;
  }
  throw new Error('The connect page did not lead back to the partner.');
}

/** A user signs in to a client with a connection code, from the authorization request to the tokens. */
export async function signIn({ world, visitor }: Via, user: User, clientId: string, atOnce = 1): Promise<Session> {
  const minted = await visitor.ask({
    surface: 'machine',
    method: 'POST',
    path: '/api/mcp/oauth/sessions',
    headers: asPartner(user.partner),
    body: JSON.stringify({ user_id: user.id }),
  });
  visitor.require(minted, minted.status === 200, 'connection code');
  const { session_token: connectionCode } = JSON.parse(minted.text) as { session_token: string };
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CLIENT_REDIRECT_URI,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const code = await consent({ world, visitor }, `/api/mcp/oauth/authorize?${query}`, connectionCode);
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: CLIENT_REDIRECT_URI,
    code_verifier: verifier,
  };
  const post = () => askForTokens(visitor, form);
  const uses = await redeem(world, { what: 'authorization code', secret: code, atOnce }, post, toPair);
  const tokens = takeTokens({ world, visitor }, uses, 'authorization code');
  return { user, clientId, ...tokens, busy: false };
}

async function consent({ world, visitor }: Via, path: string, connectionCode: string): Promise<string> {
  const first = await visitor.open(path);
  visitor.require(first.answer, first.answer.status === 200 && first.fields !== null, 'authorization request');
  const typed = new URLSearchParams(first.fields ?? '');
  typed.set('connection_code', connectionCode);
  typed.set('decision', 'continue');
  const second = await visitor.open(first.action, typed);
  visitor.require(second.answer, second.answer.status === 200 && second.fields !== null, 'connection code typed');
  const allowed = new URLSearchParams(second.fields ?? '');
  allowed.set('access', 'write');
  allowed.set('decision', 'allow');
  const allow = async () => (await visitor.open(second.action, allowed)).answer;
  const use = { what: 'connection code', secret: connectionCode, atOnce: 1 } as const;
  const uses = await redeem(world, use, allow, codeOf);
  const [success] = uses.successes;
  return success === undefined ? giveUp(visitor, uses, 'consent') : (codeOf(success) ?? '');
}

function codeOf({ status, headers }: Answered): string | null {
  if (status !== 303 && status !== 302) return null;
  return new URL(headers.location ?? '', CLIENT_REDIRECT_URI).searchParams.get('code');
}

/** A client uses its refresh token. @param atOnce number of concurrent requests with it, on any nodes. */
export async function refresh({ world, visitor }: Via, session: Session, atOnce = 1): Promise<boolean> {
  const { grant, clientId, refresh: secret } = session;
  const post = () => askForTokens(visitor, { grant_type: 'refresh_token', client_id: clientId, refresh_token: secret });
  const wasLive = grant.state === 'live';
  session.busy = true;
  const { successes, last } = await redeem(world, { what: 'refresh token', secret, atOnce }, post, toPair);
  session.busy = false;
  const pair = successes[0] === undefined ? null : readPair(successes[0]);
  if (pair !== null) {
    Object.assign(session, pair);
    // A node with a wrong clock may treat one of two concurrent uses as a replay.
    if (grant.state !== 'revoked') grant.state = world.clockIsWrong && atOnce > 1 ? 'unsure' : 'live';
    acknowledge(world, grant, pair);
    return true;
  }
  const isOver = last?.status === 400 && errorOf(last) === 'invalid_grant';
  if (isOver && wasLive && !world.clockIsWrong) {
    world.problems.push({ check: 'form', text: `a session ended although no answer of it was lost: ${last?.text}` });
  }
  if (isOver) {
    world.lost += 1;
    world.sessions.splice(world.sessions.indexOf(session), 1);
  }
  if (wasLive) grant.state = 'unsure';
  // If the session's earlier responses were lost, this request has not failed.
  if (last !== null && wasLive) last.exchange.failure = `refresh: ${errorOf(last)}`;
  return false;
}

/** A user calls a tool. */
export async function call(
  { world, visitor }: Via,
  who: { readonly user: User; readonly access: string; readonly grant?: KnownGrant },
  service: Service,
): Promise<boolean> {
  const { user, access, grant } = who;
  const nonce = randomBytes(6).toString('hex');
  const { tool, arguments: fixed } = CALLS[service];
  const params = { name: tool, arguments: { ...fixed, cursor: nonce } };
  const answer = await ask(visitor, access, { method: 'tools/call', params });
  if (answer.status === 401 && grant?.state === 'live' && !world.clockIsWrong) {
    world.problems.push({ check: 'form', text: 'a valid access token was refused' });
  }
  const result = answer.status === 200 ? resultOf(answer) : null;
  if (result === null || result.isError === true) {
    if (grant !== undefined && grant.state !== 'live') return false;
    answer.exchange.failure = `${tool}: ${answer.status === 200 ? codeOfError(result) : answer.status}`;
    return false;
  }
  const expected = `${markOf(user.credentials[service])}:${nonce}`;
  const [got = ''] = /[\w-]{16}:[0-9a-f]*/.exec(JSON.stringify(result)) ?? [];
  const requestId = String(answer.headers['x-request-id']);
  world.ledger.calls.push({ node: answer.exchange.node, answeredAt: Date.now(), requestId, expected, got });
  return true;
}

/** A client revokes its tokens. @returns whether this was acknowledged. */
export async function revoke({ world, visitor }: Via, session: Session): Promise<boolean> {
  const body = new URLSearchParams({ token: session.refresh, client_id: session.clientId });
  const path = '/api/mcp/oauth/revoke';
  if (session.grant.state === 'live') session.grant.state = 'unsure';
  const answer = await visitor.ask({ surface: 'machine', method: 'POST', path, body });
  visitor.require(answer, answer.status === 200, 'revocation');
  session.grant.state = 'revoked';
  world.revoked.push(session.access);
  return true;
}

/** Whether a token is refused, as a revoked one must be. */
export async function isRefused({ visitor }: Via, access: string): Promise<boolean> {
  const answer = await ask(visitor, access, { method: 'tools/list' });
  return answer.status === 401;
}

function ask(visitor: Visitor, access: string, message: object): Promise<Answered> {
  return visitor.ask({
    surface: 'mcp',
    method: 'POST',
    path: '/api/mcp/unified',
    headers: { authorization: `Bearer ${access}`, accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
}

function askForTokens(visitor: Visitor, form: Readonly<Record<string, string>>): Promise<Answered> {
  const body = new URLSearchParams(form);
  return visitor.ask({ surface: 'machine', method: 'POST', path: '/api/mcp/oauth/token', body });
}

interface Pair {
  readonly access: string;
  readonly refresh: string;
}

function readPair({ status, text }: Answered): Pair | null {
  if (status !== 200) return null;
  const { access_token: access, refresh_token } = JSON.parse(text) as Record<string, string | undefined>;
  return access === undefined || refresh_token === undefined ? null : { access, refresh: refresh_token };
}

function toPair(answer: Answered): string | null {
  const pair = readPair(answer);
  return pair === null ? null : `${pair.access} ${pair.refresh}`;
}

/** Records the tokens issued for a code. A code that was sent twice may have ended them. */
function takeTokens({ world, visitor }: Via, uses: Uses, what: string): Pair & { readonly grant: KnownGrant } {
  const [success] = uses.successes;
  const pair = success === undefined ? null : readPair(success);
  if (pair === null) return giveUp(visitor, uses, what);
  const grant: KnownGrant = { state: uses.isPlain ? 'live' : 'unsure' };
  acknowledge(world, grant, pair);
  return { ...pair, grant };
}

/** A refusal is a failure, unless an earlier request without a response may have used the secret. */
function giveUp(visitor: Visitor, { isSettled, last }: Uses, what: string): never {
  if (last !== null && isSettled) visitor.require(last, false, what);
  throw new NoAnswerError(what);
}

function acknowledge({ ledger }: World, grant: KnownGrant, { access, refresh: next }: Pair): void {
  ledger.tokens.push({ grant, access: digest(access), refresh: digest(next) });
}

interface ToolResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
}

function resultOf({ text }: Answered): ToolResult | null {
  return (JSON.parse(text) as { readonly result?: ToolResult }).result ?? null;
}

function codeOfError(result: ToolResult | null): string {
  const texts = (result?.content ?? []).map(({ text = '' }) => text).join(' ');
  return /"code":\s*"(\w+)"/.exec(texts)?.[1] ?? 'no result';
}

function errorOf({ status, text }: Answered): string {
  return /"error":\s*"(\w+)"/.exec(text)?.[1] ?? String(status);
}
