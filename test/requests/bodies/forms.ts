/** The connector of `specs/forms`, freshly generated, and one call of it against a host that records requests. */

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Response } from 'undici';
import type { EmittedFile } from '../../../codegen/emit/index.ts';
import { generate } from '../../../codegen/generate.ts';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import type { UpstreamOptions } from '../../../server/call/upstream/index.ts';
import type { Connector } from '../../../server/contract/index.ts';
import { createLocalUpstream } from '../../support/outgoing.ts';

export const FORMS_ROOT = import.meta.dirname;
const PROJECT = path.resolve(FORMS_ROOT, '../../..');

export async function generateForms(): Promise<readonly EmittedFile[]> {
  const { files } = await generate({ root: FORMS_ROOT });
  return files;
}

/** Writes the files into a folder laid out like the project, and imports the connector from there. */
export async function importForms(
  files: readonly EmittedFile[],
): Promise<{ readonly connector: Connector; readonly root: string; remove(): Promise<void> }> {
  const root = await mkdtemp(path.join(tmpdir(), 'forms-'));
  for (const folder of ['server', 'node_modules']) await symlink(path.join(PROJECT, folder), path.join(root, folder));
  await writeFile(path.join(root, 'package.json'), '{ "type": "module" }\n');
  for (const { path: file, text } of files) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text);
  }
  const [connector] = await loadConnectors(root);
  if (connector === undefined) throw new Error('nothing was generated');
  return { connector, root, remove: () => rm(root, { recursive: true, force: true }) };
}

/** A request as it arrived. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly contentType: string | null;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface FormsHost {
  readonly origin: string;
  readonly arrived: readonly Arrived[];
  /** Calls a tool. @throws what the call throws before it sends anything. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<Arrived>;
  close(): Promise<void>;
}

/** @param options of the upstream side, such as the boundary. */
export async function startFormsHost(connector: Connector, options: Partial<UpstreamOptions> = {}): Promise<FormsHost> {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const contentType = headers['content-type'] ?? null;
      arrived.push({ method, url, contentType, headers, body: Buffer.concat(chunks) });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const upstream = createLocalUpstream({
    baseUrls: new Map([[connector.name, new Map(connector.servers.map(({ url }) => [url, origin]))]]),
    timeoutMs: 5000,
    maxResultBytes: 1024,
    userAgent: 'gateway-test/1.0',
    ...options,
  });
  return {
    origin,
    arrived,
    async call(name, args) {
      const tool = connector.tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      const { signal } = new AbortController();
      arrived.length = 0;
      await upstream.send(upstream.prepare({ connector, tool, args, fields: { key: 'secret' } }), { signal });
      const [request, ...others] = arrived;
      if (request === undefined || others.length > 0) throw new Error(`${arrived.length} requests`);
      return request;
    },
    async close() {
      await upstream.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The fields of a form body of either kind, read by undici's parser. */
export async function readForm({ body, contentType }: Arrived): Promise<[name: string, value: unknown][]> {
  const headers = { 'content-type': contentType ?? '' };
  const form = await new Response(new Uint8Array(body), { headers }).formData();
  const entries = [...form].map(async ([name, value]): Promise<[string, unknown]> => {
    if (typeof value === 'string') return [name, value];
    const data = Buffer.from(await value.arrayBuffer()).toString('base64');
    return [name, { data, name: value.name, mimeType: value.type }];
  });
  return Promise.all(entries);
}
