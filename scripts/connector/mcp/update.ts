/** Compares the tools of an MCP server with those that were reviewed, and takes over what it says now. */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Output } from '../../../shared/cli/output.ts';
import { MCP_LOCK_FILE, type McpLock } from '../../../shared/mcp/lock.ts';
import { withDefaultToken } from './access.ts';
import { formatRefused, type LiveRules, readLiveServer } from './live-server.ts';
import { compareTools, isSameLock, toLockText } from './lock-file.ts';
import { formatMarkedTexts } from './marked-texts.ts';

interface McpUpdate extends LiveRules {
  readonly root: string;
  readonly service: string;
  /** Default: that of the lock. */
  readonly source?: string | undefined;
}

/** Prints how the server differs from the lock. Writes nothing. @returns true if it does not differ. */
export async function checkMcpServer(lock: McpLock, update: McpUpdate, output: Output): Promise<boolean> {
  const { lines, marks } = await compare(lock, update, output);
  output.out(
    `${update.service}: ${lines.length === 0 ? 'as it was reviewed' : `differs from specs/${update.service}/${MCP_LOCK_FILE}`}\n`,
  );
  output.out(lines.map((line) => `  ${line}\n`).join('') + marks);
  return lines.length === 0;
}

/** Writes the new lock, if anything differs. */
export async function updateMcpServer(lock: McpLock, update: McpUpdate, output: Output): Promise<void> {
  const { root, service } = update;
  const { now, lines, marks } = await compare(lock, update, output);
  if (isSameLock(lock, now)) {
    output.out(`specs/${service}/ already has this list.\n`);
    return;
  }
  await writeFile(path.join(root, 'specs', service, MCP_LOCK_FILE), toLockText(now));
  output.out(`Wrote specs/${service}/${MCP_LOCK_FILE}.\n`);
  output.out(lines.map((line) => `  ${line}\n`).join('') + marks);
}

async function compare(lock: McpLock, { service, source, ...rules }: McpUpdate, output: Output) {
  const access = withDefaultToken(rules.access, service);
  const live = await readLiveServer(source ?? lock.url, { ...rules, access }, output);
  output.err(formatRefused(live.refused));
  return { now: live.lock, lines: compareTools(lock, live.lock), marks: formatMarkedTexts(live.lock, lock) };
}
