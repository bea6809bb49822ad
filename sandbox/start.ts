/**
 * Starts the sandbox on loopback: each service under its own path, and a control path.
 *
 * OAuth 2.0 endpoints keep the paths of their URLs below the path of their service, and at the root of an origin: the sandbox's own port
 * for the first service that has such endpoints, a separate port for each other service.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findErrorExample } from './answer/build-answer.ts';
import { CONTROL_PATH, handleControl } from './control.ts';
import { showPage } from './home-page.ts';
import { type PlainAnswer, type SandboxRequest, toJsonAnswer } from './http.ts';
import { MCP_FAILURES } from './mcp/endpoint.ts';
import {
  createMisbehaviourPlan,
  FAILS_UNREAD,
  type Misbehaviour,
  type MisbehaviourPlan,
  misbehave,
} from './misbehaviour.ts';
import type { AuthorizationServer } from './oauth/index.ts';
import { createRequestLog, type RecordedRequest, type RequestLog } from './request-log.ts';
import { createService, type SandboxService, type SandboxServiceOptions } from './service.ts';

export interface SandboxOptions {
  readonly services: readonly SandboxServiceOptions[];
  /** Default 0: any free port. Services with OAuth 2.0, except the first, use the following ports. */
  readonly port?: number;
  /** Following ports that it leaves to other programs. Default: none. */
  readonly reserved?: readonly number[];
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** The only secret that is accepted from users and OAuth clients. By default null, for any that is not empty. */
  readonly credential?: string | null;
  /** Milliseconds since 1970, for the expiry of tokens. Default: the system's clock. */
  readonly now?: () => number;
  /** Number of people in the world, which also sets the length of its lists. By default it is null, and answers are the descriptors' examples. */
  readonly world?: number | null;
}

export interface Sandbox {
  /** Such as `http://127.0.0.1:3001`; a service is at `<origin>/<name>`. */
  readonly origin: string;
  readonly services: ReadonlyMap<string, SandboxService>;
  /** The origin of the OAuth 2.0 endpoints, by service. */
  readonly oauthOrigins: ReadonlyMap<string, string>;
  /** The latest requests to services, oldest first. */
  requests(): readonly RecordedRequest[];
  /** Makes the next calls fail; see `misbehaviourSchema`. */
  misbehave(misbehaviour: Misbehaviour): void;
  /** Cancels every planned failure. */
  behave(): void;
  clearRequests(): void;
  /** @throws {Error} if the service does not speak OAuth 2.0. */
  authorizationServer(service: string): AuthorizationServer;
  close(): Promise<void>;
}

const MAX_REQUEST_BYTES = 10 * 1024 ** 2;

/** The parts of a running sandbox. */
interface RunningSandbox {
  readonly services: ReadonlyMap<string, SandboxService>;
  readonly plan: MisbehaviourPlan;
  readonly log: RequestLog;
  /** The first is the sandbox's own. */
  readonly origins: readonly string[];
}

/** @throws {NodeJS.ErrnoException} `EADDRINUSE` if the port is in use. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0, reserved = [], credential = null, now = Date.now, world = null } = options;
  const log = createRequestLog();
  const plan = createMisbehaviourPlan();
  const services = new Map(
    options.services.map((service) => [service.name, createService({ ...service, credential, now, worldSize: world })]),
  );
  const withOAuth = [...services].filter(([, { oauth }]) => oauth !== null).map(([name]) => name);
  const owners = [withOAuth[0] ?? null, ...withOAuth.slice(1)];
  const origins: string[] = [];
  const servers = owners.map((owner) => createSandboxServer({ services, plan, log, origins }, owner));
  const close = async (): Promise<void> => void (await Promise.all(servers.map(closeServer)));
  let next = port;
  for (const server of servers) {
    while (server !== servers[0] && reserved.includes(next)) next += 1;
    await listen(server, port === 0 ? 0 : next++, host).catch(async (error: unknown) => {
      await close();
      throw error;
    });
    origins.push(`http://${host}:${(server.address() as AddressInfo).port}`);
  }
  const origin = origins[0] ?? '';
  return {
    origin,
    services,
    oauthOrigins: new Map(withOAuth.map((name, index) => [name, origins[index] ?? origin])),
    requests: () => log.requests,
    misbehave: (misbehaviour) => plan.add(misbehaviour),
    behave: () => plan.clear(),
    clearRequests: () => log.clear(),
    authorizationServer(name) {
      const oauth = services.get(name)?.oauth ?? null;
      if (oauth === null) throw new Error(`${name} does not speak OAuth 2.0.`);
      return oauth;
    },
    close,
  };
}

/** @param owner the service whose OAuth 2.0 endpoints are at the root, or null. */
function createSandboxServer(running: RunningSandbox, owner: string | null): Server {
  return createServer((request, response) => {
    handle(running, owner, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendAnswer(response, toFailure(error));
    });
  });
}

async function handle(
  running: RunningSandbox,
  owner: string | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = request.url ?? '/';
  const pathname = target.split('?')[0] ?? '/';
  const method = request.method ?? 'GET';
  const headers = toHeaders(request);
  const body = await readBody(request);
  if (body === null) return sendAnswer(response, toProblem(413, 'The body is larger than 10 MiB.'));
  if (pathname.startsWith(CONTROL_PATH)) {
    return sendAnswer(response, handleControl({ method, pathname, headers, body, ...running }));
  }
  const url = new URL(target, `http://${headers.host ?? new URL(running.origins[0] ?? '').host}`);
  const sandboxRequest = { method, url, base: url.origin, pathname, headers, body };
  if (owner !== null && (await answerOAuth(running, owner, sandboxRequest, response))) return;
  if (pathname === '/' && method === 'GET') return sendAnswer(response, showPage(running, url.searchParams));
  await answerService(running, sandboxRequest, response, target);
}

async function answerService(
  { services, plan, log }: RunningSandbox,
  request: SandboxRequest,
  response: ServerResponse,
  target: string,
): Promise<void> {
  const { method, headers, body } = request;
  const [, name = '', ...segments] = request.pathname.split('/');
  const service = services.get(name);
  if (service === undefined) {
    const paths = [...services.keys()].map((key) => `/${key}`).join(', ');
    return sendAnswer(response, toProblem(404, `No service has this path. Services: ${paths}.`));
  }
  const serviceRequest = { ...request, base: `${request.base}/${name}`, pathname: `/${segments.join('/')}` };
  if (await answerOAuth({ services, plan, log }, name, serviceRequest, response)) return;
  if (service.mcp?.path === serviceRequest.pathname.replace(/\/+$/, '')) {
    const operationId = service.mcp.nameOf(serviceRequest);
    record(log, response, { service: name, operationId, method, url: target, headers, body });
    return answerMcp(service, serviceRequest, response, plan.take(name, operationId));
  }
  const answer = await service.answer(serviceRequest);
  const { operation } = answer;
  const operationId = operation?.id ?? null;
  record(log, response, { service: name, operationId, method, url: target, headers, body });
  const failure = operation !== null && answer.allowed ? plan.take(name, operation.id) : null;
  await sendOrFail(response, answer, failure, (status, message) => {
    const example = operation === null ? null : findErrorExample(operation, status);
    return Buffer.from(JSON.stringify(example?.body ?? { message }));
  });
}

/** Answers a message of MCP, or sends the planned failure. */
async function answerMcp(
  { mcp, authorize }: SandboxService,
  request: SandboxRequest,
  response: ServerResponse,
  failure: ReturnType<MisbehaviourPlan['take']>,
): Promise<void> {
  const mcpFailure = MCP_FAILURES.find((kind) => kind === failure?.kind) ?? null;
  const answer =
    authorize(request) ?? (await mcp?.answer(request, mcpFailure)) ?? toProblem(404, 'This is no MCP server.');
  await sendOrFail(response, answer, mcpFailure === null ? failure : null, (_, message) =>
    Buffer.from(JSON.stringify({ message })),
  );
}

/** False: the path is no OAuth endpoint of the service. */
async function answerOAuth(
  { services, plan, log }: Pick<RunningSandbox, 'services' | 'plan' | 'log'>,
  service: string,
  request: SandboxRequest,
  response: ServerResponse,
): Promise<boolean> {
  const endpoint = services.get(service)?.oauth?.find(request) ?? null;
  if (endpoint === null) return false;
  const { method, url, headers, body } = request;
  const { id: operationId } = endpoint;
  record(log, response, { service, operationId, method, url: `${url.pathname}${url.search}`, headers, body });
  const failure = plan.take(service, operationId);
  const isUnread = failure !== null && FAILS_UNREAD.has(failure.kind);
  await sendOrFail(response, isUnread ? toProblem(500, '') : endpoint.answer(), failure, (_, message) =>
    Buffer.from(JSON.stringify({ error: 'temporarily_unavailable', error_description: message })),
  );
  return true;
}

function record(log: RequestLog, response: ServerResponse, request: Parameters<RequestLog['add']>[0]): void {
  const entry = log.add(request);
  const { socket } = response;
  const sentBefore = socket?.bytesWritten ?? 0;
  response.once('close', () => {
    entry.status = response.headersSent ? response.statusCode : null;
    entry.answerBytes = (socket?.bytesWritten ?? 0) - sentBefore;
  });
}

/** Sends the answer, or the planned failure instead. */
async function sendOrFail(
  response: ServerResponse,
  answer: PlainAnswer,
  failure: Parameters<typeof misbehave>[0] | null,
  errorBody: (status: number, message: string) => Buffer,
): Promise<void> {
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  const { status, headers, body } = answer;
  const good = { status, mediaType: headers['content-type'] ?? 'application/json', bytes: body };
  const isSent =
    failure !== null && (await misbehave(failure, { response, good, errorBody, signal: disconnected.signal }));
  if (!isSent) sendAnswer(response, answer);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function sendAnswer(response: ServerResponse, { status, headers, body }: PlainAnswer): void {
  response.writeHead(status, { ...headers, ...(status === 204 ? {} : { 'content-length': String(body.length) }) });
  response.end(body);
}

function toProblem(status: number, message: string): PlainAnswer {
  return toJsonAnswer(status, { message, violations: [] });
}

function toFailure(error: unknown): PlainAnswer {
  return toProblem(500, `The sandbox itself failed: ${error instanceof Error ? error.message : String(error)}`);
}

/** Returns null if the body is larger than the sandbox accepts. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MAX_REQUEST_BYTES) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function toHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return Object.fromEntries(entries) as Record<string, string>;
}
