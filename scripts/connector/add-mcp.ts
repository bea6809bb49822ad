/** Adds a remote MCP server as a service: its list as it is now, a first `connector.yaml`, and its tools. */

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { toCleanText, toShortText } from '../../codegen/tools/words/texts.ts';
import type { Output } from '../../shared/cli/output.ts';
import { UsageError } from '../../shared/cli/run.ts';
import { quoteText } from '../../shared/invisible.ts';
import { MCP_LOCK_FILE } from '../../shared/mcp/lock.ts';
import { addFiles, requireNewService } from './add.ts';
import type { Outcome } from './add-report.ts';
import { proposeCredential } from './mcp/credential.ts';
import { formatRefused, type LiveRules, type LiveServer, readLiveServer } from './mcp/live-server.ts';
import { toLockText } from './mcp/lock-file.ts';
import { formatMarkedTexts } from './mcp/marked-texts.ts';
import { toCount } from './proposals/draft.ts';
import type { Selection } from './selection.ts';

interface McpAddition extends LiveRules {
  readonly root: string;
  readonly source: string;
  /** Undefined: made of the name that the server gives itself. */
  readonly service: string | undefined;
  readonly selection: Selection;
}

/**
 * Writes nothing if no tool of the server can become one here.
 *
 * @throws {UsageError} for a name that is taken or cannot name a service, and as `readLiveServer` does.
 */
export async function addMcpServer(addition: McpAddition, output: Output): Promise<Outcome> {
  const { root, source, selection, ...rules } = addition;
  if (addition.service !== undefined) await requireNewService(root, addition.service);
  const live = await readLiveServer(source, rules, output);
  const service = addition.service ?? toServiceName(live);
  if (addition.service === undefined) await requireNewService(root, service);
  const { lock, credential, refused } = live;
  const folder = path.join(root, 'specs', service);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, MCP_LOCK_FILE), toLockText(lock));
  const { name, version } = lock.serverInfo;
  output.out(
    `${source} is an MCP server: ${quoteText(toShortText(name, 80))} ${quoteText(toShortText(version, 40))}, MCP ${lock.protocolVersion}, ${toCount(lock.tools.length, 'tool')}.\n`,
  );
  output.err(formatRefused(refused));
  const title = toShortText(toCleanText(lock.serverInfo.title ?? name), 60) || service;
  const copied = {
    names: [MCP_LOCK_FILE],
    unfollowed: [],
    credential: proposeCredential(credential, lock.url, title),
    note: formatMarkedTexts(lock),
  };
  return addFiles({ root, service, source, selection }, copied, output);
}

/** `Acme Notes MCP Server` becomes `acme-notes`. @throws {UsageError} if nothing is left. */
function toServiceName({ lock }: LiveServer): string {
  const words = lock.serverInfo.name.toLowerCase().split(/[^a-z0-9]+/);
  const name = words
    .filter((word) => word !== '' && word !== 'mcp' && word !== 'server')
    .join('-')
    .slice(0, 32)
    .replace(/-$/, '');
  if (/^[a-z]/.test(name)) return name;
  throw new UsageError(
    `The server calls itself ${quoteText(toShortText(lock.serverInfo.name, 80))}: choose a name with --name <service>.`,
  );
}
