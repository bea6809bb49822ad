/** The control path of a running sandbox: shows recorded requests and plans failures, without a restart. */

import { z } from 'zod';
import { planFault } from './home-page.ts';
import type { PlainAnswer } from './http.ts';
import { MISBEHAVIOURS, type MisbehaviourPlan, misbehaviourSchema } from './misbehaviour.ts';
import { OAUTH_SETTINGS, oauthChangeSchema } from './oauth/grants.ts';
import { type AuthorizationServer, OAUTH_ENDPOINTS } from './oauth/index.ts';
import type { RequestLog } from './request-log.ts';
import type { SandboxService } from './service.ts';

export const CONTROL_PATH = '/__sandbox';

const LOCAL_HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

interface ControlRequest {
  readonly method: string;
  readonly pathname: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly services: ReadonlyMap<string, SandboxService>;
  readonly plan: MisbehaviourPlan;
  readonly log: RequestLog;
}

/** The text that `--help` and `GET /__sandbox` show. */
export const CONTROL_HELP = {
  [`GET ${CONTROL_PATH}`]: 'services, their operations, and this help',
  [`GET ${CONTROL_PATH}/requests`]: 'the latest requests, oldest first',
  [`DELETE ${CONTROL_PATH}/requests`]: 'forget them',
  [`POST ${CONTROL_PATH}/misbehave`]: `plan failures: {"kind", "service"?, "operationId"?, "times"?, ...}; an operationId may be ${OAUTH_ENDPOINTS.join(', ')}`,
  [`DELETE ${CONTROL_PATH}/misbehave`]: 'forget planned failures',
  [`POST ${CONTROL_PATH}/fault`]: 'the form of the page at /: fault, service, times',
  [`POST ${CONTROL_PATH}/webhooks`]:
    'call an address of this machine when the world of a service changes: {"service", "url", "secret"}',
  [`DELETE ${CONTROL_PATH}/webhooks`]: 'call nobody any more',
  [`GET ${CONTROL_PATH}/oauth`]: 'authorization servers: settings, endpoints, how often each was asked and granted',
  [`POST ${CONTROL_PATH}/oauth`]: 'change settings: {"service"?, ...}',
  [`DELETE ${CONTROL_PATH}/oauth/access-tokens`]: 'every access token expires now',
  [`DELETE ${CONTROL_PATH}/oauth/grants`]: 'every user revokes what was allowed',
} as const;

export function handleControl(request: ControlRequest): PlainAnswer {
  const { services, plan, log } = request;
  if (request.method !== 'GET' && !isOwnRequest(request.headers)) {
    return reply(403, { message: 'Pages of other sites change nothing here.' });
  }
  switch (`${request.method} ${request.pathname}`) {
    case `GET ${CONTROL_PATH}`: {
      const operations = [...services].map(([name, { descriptor }]) => [
        name,
        descriptor.operations.map(({ id, method, route }) => `${id}: ${method} /${name}${route}`),
      ]);
      return reply(200, { help: CONTROL_HELP, misbehaviours: MISBEHAVIOURS, services: Object.fromEntries(operations) });
    }
    case `GET ${CONTROL_PATH}/requests`:
      return reply(
        200,
        log.requests.map(({ bytes: _, ...request }) => request),
      );
    case `DELETE ${CONTROL_PATH}/requests`:
      log.clear();
      return reply(200, {});
    case `POST ${CONTROL_PATH}/misbehave`:
      return planFailure(request);
    case `POST ${CONTROL_PATH}/fault`:
      return planFault(new URLSearchParams(request.body.toString('utf8')), request);
    case `DELETE ${CONTROL_PATH}/misbehave`:
      plan.clear();
      return reply(200, {});
    case `POST ${CONTROL_PATH}/webhooks`:
      return addAddress(request);
    case `DELETE ${CONTROL_PATH}/webhooks`:
      for (const { webhooks } of services.values()) webhooks?.addresses.splice(0);
      return reply(200, {});
    case `GET ${CONTROL_PATH}/oauth`:
      return reply(200, describeOAuth(services));
    case `POST ${CONTROL_PATH}/oauth`:
      return changeOAuth(request);
    case `DELETE ${CONTROL_PATH}/oauth/access-tokens`:
      for (const [, server] of authorizationServers(services)) server.expireAccessTokens();
      return reply(200, {});
    case `DELETE ${CONTROL_PATH}/oauth/grants`:
      for (const [, server] of authorizationServers(services)) server.revokeGrants();
      return reply(200, {});
    default:
      return reply(404, { message: 'No such control.', help: CONTROL_HELP });
  }
}

function authorizationServers(services: ControlRequest['services']): [string, AuthorizationServer][] {
  return [...services].flatMap(([name, { oauth }]) => (oauth === null ? [] : [[name, oauth]]));
}

function describeOAuth(services: ControlRequest['services']): Record<string, unknown> {
  const servers = authorizationServers(services).map(([name, { paths, settings, counts }]) => [
    name,
    { paths, settings, counts },
  ]);
  return { help: OAUTH_SETTINGS, services: Object.fromEntries(servers) };
}

function changeOAuth({ body, services }: ControlRequest): PlainAnswer {
  const parsed = oauthChangeSchema.safeParse(readJson(body));
  if (!parsed.success) return reply(400, { message: z.prettifyError(parsed.error), settings: OAUTH_SETTINGS });
  const { service, ...change } = parsed.data;
  const servers = authorizationServers(services).filter(([name]) => (service ?? name) === name);
  if (servers.length === 0) return reply(400, { message: 'No such service speaks OAuth 2.0.' });
  for (const [, server] of servers) server.change(change);
  return reply(200, describeOAuth(services));
}

const addressSchema = z.strictObject({
  service: z.string(),
  url: z.url().refine((text) => LOCAL_HOSTS.includes(new URL(text).hostname), 'must be an address of this machine'),
  secret: z.string().min(1),
});

function addAddress({ body, services }: ControlRequest): PlainAnswer {
  const parsed = addressSchema.safeParse(readJson(body));
  if (!parsed.success) return reply(400, { message: z.prettifyError(parsed.error) });
  const { service, ...address } = parsed.data;
  const { webhooks = null } = services.get(service) ?? {};
  if (webhooks === null) return reply(400, { message: 'No such service calls anyone: see `webhooks` in world.yaml.' });
  webhooks.addresses.push(address);
  return reply(200, {});
}

/** Undefined if the body is not JSON. */
function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Names of messages for planning failures; a `tools/call` has the name of its tool. */
const MCP_MESSAGES = ['mcp:initialize', 'mcp:server/discover', 'mcp:tools/list'];

function planFailure({ body, services, plan }: ControlRequest): PlainAnswer {
  const json = readJson(body);
  if (json === undefined) return reply(400, { message: 'The body is not JSON.', misbehaviours: MISBEHAVIOURS });
  const parsed = misbehaviourSchema.safeParse(json);
  if (!parsed.success) return reply(400, { message: z.prettifyError(parsed.error), misbehaviours: MISBEHAVIOURS });
  const { service, operationId } = parsed.data;
  const chosenServices = [...services].filter(([name]) => (service ?? name) === name);
  const operations = chosenServices.flatMap(([, { descriptor, oauth, mcp }]) => [
    ...descriptor.operations.map(({ id }) => id),
    ...(oauth === null ? [] : OAUTH_ENDPOINTS),
    ...(mcp === null ? [] : MCP_MESSAGES),
  ]);
  if (chosenServices.length === 0) return reply(400, { message: `Services: ${[...services.keys()].join(', ')}.` });
  if (operationId !== undefined && !operations.includes(operationId)) {
    return reply(400, { message: `Operations: ${operations.join(', ')}.` });
  }
  plan.add(parsed.data);
  return reply(200, { planned: parsed.data });
}

function reply(status: number, value: unknown): PlainAnswer {
  const headers = { 'content-type': 'application/json' };
  return { status, headers, body: Buffer.from(`${JSON.stringify(value, null, 2)}\n`) };
}

/**
 * Returns true for requests that may change the sandbox: those of the sandbox's page and of programs, but not those of other sites' pages.
 *
 * A request without `Origin` is from a program, because browsers send it with every POST and DELETE. A request with the sandbox's origin is accepted
 * only if its host is this machine: a foreign host name that resolves to this machine would also have the request's own origin.
 *
 * @param headers lower-case names.
 */
function isOwnRequest({ origin, host }: Readonly<Record<string, string>>): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.protocol === 'http:' && url.host === host && LOCAL_HOSTS.includes(url.hostname);
}
