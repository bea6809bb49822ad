/** Runs the doctor in this process, and a proxy with TLS in front of a gateway that does things to requests and answers. */

import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Finding } from '../../../../server/base/checks.ts';
import { createDoctorCommand, type Surroundings } from '../../../../server/modules/doctor/command.ts';
import { MODULES } from '../../../../server/modules/index.ts';
import { createCertificate } from '../../../support/certificate.ts';
import { runInProcess } from '../../../support/run-command.ts';

export interface Examination {
  readonly code: number;
  readonly findings: readonly Finding[];
}

export async function examine(argv: readonly string[], surroundings: Surroundings): Promise<Examination> {
  const { code, out, err } = await runInProcess(
    (output) => createDoctorCommand(MODULES, output, surroundings),
    ['--json', ...argv],
  );
  if (out === '') throw new Error(err);
  return { code, findings: (JSON.parse(out) as { findings: Finding[] }).findings };
}

/** Findings that are neither ok nor skipped, as `check: seen`. */
export function problemsOf({ findings }: Examination): string[] {
  return findings
    .filter(({ state }) => state === 'error' || state === 'warning')
    .map(({ check, seen }) => `${check}: ${seen}`);
}

/** What a proxy does besides passing on. */
export interface Faults {
  /** Changes what is sent on. */
  readonly request?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders;
  /** Answers itself. @returns whether it did. */
  readonly answers?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Changes headers of the answer. */
  readonly response?: (headers: IncomingHttpHeaders, request: IncomingMessage) => IncomingHttpHeaders;
  /** Sends an answer when all of it is there. */
  readonly buffers?: boolean;
}

export interface TestProxy {
  readonly origin: string;
  /** Where it passes requests on to. */
  target: string;
  faults: Faults;
  readonly surroundings: Pick<Surroundings, 'resolve' | 'ca'>;
  close(): Promise<void>;
}

export const HOST = 'tools.example.test';

/** Adds the address of the client to `X-Forwarded-For`, as proxies do. */
export function addForwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const before = headers['x-forwarded-for'];
  return { ...headers, 'x-forwarded-for': before === undefined ? '198.51.100.9' : `${String(before)}, 198.51.100.9` };
}

export async function startProxy(certificate = createCertificate([HOST], { days: 90 })): Promise<TestProxy> {
  const server = createServer({ key: certificate.key, cert: certificate.certificate });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: TestProxy = {
    origin: `https://${HOST}:${(server.address() as AddressInfo).port}`,
    target: 'http://127.0.0.1:1',
    faults: {},
    surroundings: {
      ca: certificate.certificate,
      resolve: async (name) => {
        if (name === HOST) return [{ address: '127.0.0.1', family: 4 }];
        throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
      },
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('request', (request, response) => pass(proxy, request, response));
  return proxy;
}

function pass({ target, faults }: TestProxy, request: IncomingMessage, response: ServerResponse): void {
  if (faults.answers?.(request, response) === true) return;
  const headers = (faults.request ?? addForwarded)(request.headers);
  const url = new URL(request.url ?? '', target);
  const onward = sendRequest(url, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, faults.response?.(answer.headers, request) ?? answer.headers);
    if (faults.buffers !== true) return void answer.pipe(response);
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => response.end(Buffer.concat(chunks)));
  });
  onward.on('error', () => response.writeHead(502).end());
  request.pipe(onward);
}
