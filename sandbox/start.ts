/** Starts the sandbox: one server on loopback, each service under a path of its own, and a control path. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findErrorExample } from './answer/build-answer.ts';
import type { SandboxPageRule } from './answer/pages.ts';
import { CONTROL_PATH, handleControl } from './control.ts';
import type { JsonObject } from './json.ts';
import { createMisbehaviourPlan, type Misbehaviour, misbehave } from './misbehaviour.ts';
import { createRequestLog, type RecordedRequest } from './request-log.ts';
import { createService, type SandboxService, type ServiceAnswer } from './service.ts';

interface SandboxServiceOptions {
  readonly name: string;
  /** A bundled OpenAPI document, from `loadDescriptor`. */
  readonly document: JsonObject;
  readonly pages?: Readonly<Record<string, SandboxPageRule>>;
  readonly serverVariables?: Readonly<Record<string, string>>;
}

export interface SandboxOptions {
  readonly services: readonly SandboxServiceOptions[];
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** The only secret that is accepted; default null: any that is not empty. */
  readonly credential?: string | null;
}

export interface Sandbox {
  /** Such as `http://127.0.0.1:3001`; a service lives at `<origin>/<name>`. */
  readonly origin: string;
  readonly services: ReadonlyMap<string, SandboxService>;
  /** The latest requests to services, oldest first. */
  requests(): readonly RecordedRequest[];
  /** Makes the next calls fail; see `misbehaviourSchema`. */
  misbehave(misbehaviour: Misbehaviour): void;
  /** Forgets every planned failure. */
  behave(): void;
  clearRequests(): void;
  close(): Promise<void>;
}

const MAX_REQUEST_BYTES = 10 * 1024 ** 2;

/** @throws {NodeJS.ErrnoException} `EADDRINUSE` where the port is taken. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1';
  const log = createRequestLog();
  const plan = createMisbehaviourPlan();
  const services = new Map(
    options.services.map((service) => [
      service.name,
      createService({ ...service, credential: options.credential ?? null }),
    ]),
  );
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendAnswer(response, toFailure(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, host, resolve);
  });
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = request.url ?? '/';
    const pathname = target.split('?')[0] ?? '/';
    const body = await readBody(request);
    if (body === null) return sendAnswer(response, toProblem(413, 'The body is larger than 10 MiB.'));
    if (pathname.startsWith(CONTROL_PATH)) {
      return sendAnswer(
        response,
        handleControl({ method: request.method ?? 'GET', pathname, body, services, plan, log }),
      );
    }
    const [, name = '', ...segments] = pathname.split('/');
    const service = services.get(name);
    if (service === undefined) {
      const known = [...services.keys()].map((key) => `/${key}`).join(', ');
      return sendAnswer(response, toProblem(404, `No service has this path. Services: ${known}.`));
    }
    const headers = toHeaders(request);
    const url = new URL(target, `http://${headers.host ?? new URL(origin).host}`);
    const method = request.method ?? 'GET';
    const answer = await service.answer({ method, url, pathname: `/${segments.join('/')}`, headers, body });
    const operationId = answer.operation?.id ?? null;
    const record = log.add({ service: name, operationId, method, url: target, headers, body });
    const { socket } = request;
    const sentBefore = socket.bytesWritten;
    response.once('close', () => {
      record.status = response.headersSent ? response.statusCode : null;
      record.answerBytes = socket.bytesWritten - sentBefore;
    });
    if (operationId !== null && answer.operation !== null && answer.allowed) {
      const failure = plan.take(name, operationId);
      const { operation } = answer;
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      const faulty =
        failure !== null &&
        (await misbehave(failure, {
          response,
          good: {
            status: answer.status,
            mediaType: answer.headers['content-type'] ?? 'application/json',
            bytes: answer.body,
          },
          errorBody: (status, message) => {
            const example = findErrorExample(operation, status);
            return Buffer.from(JSON.stringify(example?.body ?? { message }));
          },
          signal: gone.signal,
        }));
      if (faulty) return;
    }
    sendAnswer(response, answer);
  }

  return {
    origin,
    services,
    requests: () => log.requests,
    misbehave: (misbehaviour) => plan.add(misbehaviour),
    behave: () => plan.clear(),
    clearRequests: () => log.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type PlainAnswer = Pick<ServiceAnswer, 'status' | 'headers' | 'body'>;

function sendAnswer(response: ServerResponse, { status, headers, body }: PlainAnswer): void {
  response.writeHead(status, { ...headers, ...(status === 204 ? {} : { 'content-length': String(body.length) }) });
  response.end(body);
}

function toProblem(status: number, message: string): PlainAnswer {
  const body = Buffer.from(JSON.stringify({ message, violations: [] }));
  return { status, headers: { 'content-type': 'application/json' }, body };
}

function toFailure(error: unknown): PlainAnswer {
  return toProblem(500, `The sandbox itself failed: ${error instanceof Error ? error.message : String(error)}`);
}

/** Null: larger than the sandbox takes. */
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
