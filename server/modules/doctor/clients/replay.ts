/**
 * Sends the recorded requests that known clients make before a user signs in, and judges the responses as they would.
 */

import { count, error, ok, type Seen, warning } from '../../../base/checks.ts';
import { type Answer, ask, NoAnswerError } from '../../../base/guarded-fetch/reach.ts';
import type { Config } from '../../../config/index.ts';
import { MCP_PATH } from '../../../gateway-paths.ts';
import { OAuthError } from '../../../identity/protocol/error.ts';
import { selectRedirectUris } from '../../../identity/protocol/redirect-uri.ts';
import { mayRegister } from '../../../identity/protocol/registration-policy.ts';
import { judgeChallenge, problemOfResource, problemOfServer } from '../discovery.ts';
import type { Target } from '../gateway-checks.ts';
import { CLIENTS_FROM_SOURCE } from './from-source.ts';
import { fill, RECORDINGS, type RecordedRequest, type Recording } from './recording.ts';

const FIREWALL =
  'look for a rule of the proxy or of a firewall in front that goes by User-Agent, method, path or Accept';
const WELL_KNOWN = '/.well-known/';
const REGISTER_PATH = '/api/mcp/oauth/register';

/** Whether a request depends on neither a registration nor a user. */
function isOfDiscovery({ path, headers, body = '' }: RecordedRequest): boolean {
  const needsMore = /\{(client_id|code|access_token|refresh_token)\}/.test(JSON.stringify([headers, body, path]));
  return !needsMore && (path.startsWith(WELL_KNOWN) || path === MCP_PATH);
}

/** @param registers whether to register each client too: an unused registration is removed after a day. */
export function createReplays(target: Target, registers: boolean): ((signal: AbortSignal) => Promise<Seen>)[] {
  const asked = new Map<string, Promise<Answer>>();
  const send = (request: RecordedRequest, signal: AbortSignal): Promise<Answer> => {
    const key = JSON.stringify([request.method, request.path, request.headers, request.body]);
    const answer = asked.get(key) ?? sendRecorded(target, request, signal);
    asked.set(key, answer);
    return answer;
  };
  return RECORDINGS.map((recording) => async (signal) => {
    const requests = recording.requests.filter(
      (each) => isOfDiscovery(each) || (registers && each.path === REGISTER_PATH),
    );
    for (const request of requests) {
      const problem = problemOf(request, await send(request, signal).catch(toNoAnswer), target.origin);
      if (problem !== null) return { ...problem, seen: `${titleOf(recording)}: ${problem.seen}` };
    }
    return ok(`${titleOf(recording)} finds its way (${count(requests.length, 'recorded request')})`);
  });
}

function titleOf({ client, version }: Recording): string {
  return `${client} ${version}`;
}

function sendRecorded({ reach, origin }: Target, request: RecordedRequest, signal: AbortSignal): Promise<Answer> {
  const { method, headers, body } = request;
  const values = { origin };
  return ask(reach.anywhere, origin + fill(request.path, values), {
    method,
    signal,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, fill(value, values)]),
    ...(body === undefined ? {} : { body: fill(body, values) }),
  });
}

function toNoAnswer(problem: unknown): NoAnswerError {
  if (problem instanceof NoAnswerError) return problem;
  throw problem;
}

function problemOf(
  { method, path, status }: RecordedRequest,
  answer: Answer | NoAnswerError,
  origin: string,
): Seen | null {
  if (answer instanceof NoAnswerError) return error(`${method} ${path}: ${answer.message}`, FIREWALL);
  if (answer.status !== status) {
    return error(`${method} ${path} is answered with ${answer.status} and not with ${status}`, FIREWALL);
  }
  if (status === 401) {
    const seen = judgeChallenge(answer, origin);
    return seen.state === 'ok' ? null : seen;
  }
  if (!path.startsWith(WELL_KNOWN)) return null;
  const judge = path.includes('protected-resource') ? problemOfResource : problemOfServer;
  const problem = typeof answer.json === 'object' && answer.json !== null ? judge(answer.json, origin) : null;
  if (problem !== null) return error(`${path} ${problem.seen}`, problem.fix);
  return answer.json === undefined ? error(`${path} is not JSON`, 'let the proxy pass it on unchanged') : null;
}

/** Which known clients the settings accept, by their redirect URIs from recordings or client sources. */
export function judgeClientSettings({ registration, privateUseSchemes, clientDocuments }: Config): Seen {
  const clients = [
    ...RECORDINGS.flatMap(({ client, requests }) => {
      const { body } = requests.find(({ path }) => path === REGISTER_PATH) ?? {};
      return body === undefined
        ? []
        : [[client, (JSON.parse(body) as { redirect_uris: string[] }).redirect_uris] as const];
    }),
    ...CLIENTS_FROM_SOURCE.map(({ client, redirectUri }) => [client, [redirectUri]] as const),
  ];
  const out = clients
    .filter(([, uris]) => !isAccepted(uris, privateUseSchemes, (uri) => mayRegister(registration, uri)))
    .map(([client]) => client);
  if (registration === 'off' && !clientDocuments) {
    return warning(
      'no client can identify itself: CLIENT_REGISTRATION and CLIENT_ID_METADATA_DOCUMENTS are off',
      'set one of them, or tell users that they need a token',
    );
  }
  if (registration === 'off') return ok('registration is off: clients sign in with their metadata documents alone');
  if (out.length === 0) return ok(`the settings let all ${clients.length} known clients register`);
  return ok(
    `the settings let ${clients.length - out.length} of ${clients.length} known clients register; not ${out.join(', ')}`,
  );
}

function isAccepted(uris: readonly string[], schemes: readonly string[], isAllowed: (uri: string) => boolean): boolean {
  try {
    return selectRedirectUris(uris, schemes, { isAllowed }).accepted.length > 0;
  } catch (refused) {
    if (refused instanceof OAuthError) return false;
    throw refused;
  }
}
