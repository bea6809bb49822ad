/** Calls some tools of one document through a gateway, and judges the requests that arrive. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import type { EmittedFile } from '../../../../codegen/emit/index.ts';
import { completeConnector } from '../../../../server/call/tools/catalogue/connectors.ts';
import type { Connector, GeneratedConnector, Tool } from '../../../../server/contract/index.ts';
import { startGateway } from '../../../../test/support/gateway.ts';
import { connectClient } from '../../../../test/support/mcp-client.ts';
import { readDocument } from '../document.ts';
import { generateService } from '../generate.ts';
import { addService } from '../layout.ts';
import type { Task } from '../outcome.ts';
import { lowest } from '../sources/packages.ts';
import { compareNulls, compareValues, constantsOf } from './arrived.ts';
import { type Arguments, drawArguments } from './draw.ts';
import { isUnjudged, type Judge, openJudge } from './judge.ts';
import { openWire, type Wire } from './wire.ts';

/**
 * `open`: right if the document is read as openly as tools read it. `refused`: the gateway sent nothing. `undrawn`: no arguments were
 * found. `unjudged`: the validator cannot read the document, or the document contradicts itself.
 */
export type Verdict = 'right' | 'open' | 'wrong' | 'refused' | 'undrawn' | 'unjudged';

export interface CallOutcome {
  readonly tool: string;
  readonly verdict: Verdict;
  /** What is wrong, or why nothing was sent. */
  readonly problems: readonly string[];
  readonly arguments: Arguments | null;
}

/** Documents may name servers in these networks; nothing is sent to them. */
const PRIVATE_NETWORKS = '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,::1';
/** The value of every field of the connection, also of a tenant. */
export const CREDENTIAL = 'corpus-secret';
const EXTENTS = ['all', 'some'] as const;
/** Number of tools per document: those whose names have the lowest hashes. */
const TOOLS = 3;

/** Calls some tools of a document. */
export async function callTools(task: Task, id: string): Promise<CallOutcome[]> {
  await addService(task.root, task.service, task);
  const { connector: isGenerated, files } = await generateService(task.root, task.service);
  const connector = isGenerated === null ? null : await loadConnector(task, files);
  if (connector === null || connector.tools.length === 0) return [];
  const names = new Set(
    lowest(
      connector.tools.map(({ name }) => name),
      TOOLS,
    ),
  );
  const document = readDocument(await readFile(task.file, 'utf8'));
  return callEach({ ...connector, tools: connector.tools.filter(({ name }) => names.has(name)) }, document, id);
}

/**
 * Calls each tool twice: with all arguments that can be generated, and with some of the optional ones.
 *
 * @param document as published, parsed. @param id seeds what is generated.
 */
export async function callEach(
  connector: Connector,
  document: ReturnType<typeof readDocument>,
  id: string,
): Promise<CallOutcome[]> {
  const { tools } = connector;
  const constants = constantsOf(document);
  const judge = await openJudge(
    document,
    tools.map(({ operation }) => operation),
  );
  const wire = await openWire();
  const gateway = await startGateway({
    connectors: [toCallable(connector)],
    secretOf: () => CREDENTIAL,
    outgoing: wire.outgoing,
    env: { PLAIN_HTTP_UPSTREAMS: hostsOf(connector).join(','), OUTGOING_NETWORKS: PRIVATE_NETWORKS },
  });
  const client = await connectClient(gateway);
  try {
    const outcomes: CallOutcome[] = [];
    for (const tool of tools) {
      for (const extent of EXTENTS) {
        const drawn = drawArguments(toDrawn(tool), `${id} ${tool.name} ${extent}`, extent);
        const args = drawn === null ? null : leaveCleared(tool, drawn);
        outcomes.push({
          tool: tool.name,
          arguments: args,
          ...(await callOnce(tool, args, { client, judge, wire, constants })),
        });
      }
    }
    return outcomes;
  } finally {
    await client.close();
    await gateway.close();
    await wire.close();
    await judge.close();
  }
}

/** Writes the generated files of a service, and loads them. */
export async function loadConnector(
  { root, service }: Pick<Task, 'root' | 'service'>,
  files: readonly EmittedFile[],
): Promise<Connector | null> {
  for (const { path: name, text } of files) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  const exported: Record<string, GeneratedConnector> = await import(
    pathToFileURL(path.join(root, 'generated', service, 'index.ts')).href
  );
  const [generated] = Object.values(exported);
  return generated === undefined ? null : completeConnector(generated);
}

/** For a user who typed a token: sign-in is not tested here. */
function toCallable(connector: Connector): Connector {
  const { account: _account, handWritten: _handWritten, synonyms: _synonyms, caps: _caps, ...rest } = connector;
  const { alternatives: _alternatives, ...credential } = connector.credential;
  const parts = credential.parts.map((part) =>
    part.type === 'oauth2' ? { id: part.id, type: 'bearer' as const, label: part.label, name: null } : part,
  );
  return { ...rest, verify: null, credential: { ...credential, parts } as Connector['credential'] };
}

/** The input schema without the gateway's own arguments. */
function toDrawn({ inputSchema, gatewayArguments = [] }: Tool): object {
  const properties = Object.entries(inputSchema.properties ?? {});
  const kept = properties.filter(([name]) => !gatewayArguments.some((own) => own === name));
  return { ...inputSchema, properties: Object.fromEntries(kept) };
}

/**
 * A tool may have an argument that lists others to send as null "instead of giving them": the listed ones are left out.
 */
export function leaveCleared(tool: Pick<Tool, 'request'>, drawn: Arguments): Arguments {
  const [, cleared] = clearedOf(tool, drawn);
  return Object.fromEntries(Object.entries(drawn).filter(([name]) => !cleared.includes(name)));
}

/** The name of that argument, and its items. */
function clearedOf({ request }: Pick<Tool, 'request'>, args: Arguments): [name: string, cleared: readonly unknown[]] {
  const { body } = request;
  const name = (body !== undefined && 'members' in body && body.clear) || '';
  const cleared = args[name];
  return [name, Array.isArray(cleared) ? cleared : []];
}

/** Host names of the connector's servers. */
function hostsOf({ servers }: Connector): string[] {
  const urls = servers.map(({ url, variables }) =>
    url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
      const variable = variables.find((one) => one.name === name);
      return variable?.asked === true ? CREDENTIAL : (variable?.default ?? whole);
    }),
  );
  return [...new Set(urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).hostname] : [])))];
}

interface Setting {
  readonly client: Client;
  readonly judge: Judge;
  readonly wire: Wire;
  readonly constants: ReadonlySet<string>;
}

async function callOnce(
  tool: Tool,
  args: Arguments | null,
  { client, judge, wire, constants }: Setting,
): Promise<{ verdict: Verdict; problems: readonly string[] }> {
  if (args === null) return { verdict: 'undrawn', problems: [] };
  wire.take();
  const answer = await client.callTool({ name: tool.name, arguments: { ...args } }).catch((error) => String(error));
  const [request, ...others] = wire.take();
  if (request === undefined) return { verdict: 'refused', problems: [textOf(answer)] };
  const repeated = others.length === 0 ? [] : [`${others.length + 1} requests were sent`];
  const strict = await judge.judge(request, tool.operation, false);
  const isOpen = strict.length > 0 && !strict.some(isUnjudged);
  const faults = isOpen ? await judge.judge(request, tool.operation, true) : strict;
  if (faults.some(isUnjudged)) return { verdict: 'unjudged', problems: faults };
  const [clear, cleared] = clearedOf(tool, args);
  const { [clear]: _clear, ...values } = args;
  const sent = { constants, path: tool.operation.path, credential: CREDENTIAL };
  const problems = [
    ...repeated,
    ...faults,
    ...compareValues(values, request, sent),
    ...compareNulls(values, request, cleared),
  ];
  if (problems.length > 0) return { verdict: 'wrong', problems };
  return isOpen ? { verdict: 'open', problems: strict } : { verdict: 'right', problems: [] };
}

function textOf(answer: unknown): string {
  if (typeof answer === 'string') return answer;
  const { content = [] } = answer as { content?: readonly { readonly text?: string }[] };
  return content.map(({ text = '' }) => text).join(' ');
}
