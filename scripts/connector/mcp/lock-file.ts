/** `specs/<name>/mcp.json`: read, written, and compared with what the server says now. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isSame } from '../../../codegen/json.ts';
import { UsageError } from '../../../shared/cli/run.ts';
import { quoteText } from '../../../shared/invisible.ts';
import {
  DEFINITION_MEMBERS,
  definitionDigest,
  MCP_LOCK_FILE,
  type McpLock,
  type McpTool,
  readMcpLock,
} from '../../../shared/mcp/lock.ts';

/** Null if the service has no MCP server. @throws {UsageError} if the file is no lock. */
export async function loadLock(folder: string): Promise<McpLock | null> {
  const file = path.join(folder, MCP_LOCK_FILE);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  const read = readMcpLock(parse(text));
  if ('lock' in read) return read.lock;
  throw new UsageError(`${file} is not the list of an MCP server. Restore it from Git.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function toLockText(lock: McpLock): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** True if nothing but the day differs. */
export function isSameLock(before: McpLock, after: McpLock): boolean {
  return isSame({ ...before, lockedAt: '' }, { ...after, lockedAt: '' });
}

/** One line for each difference that a model or a call would notice; empty if there is none. */
export function compareTools(before: McpLock, after: McpLock): readonly string[] {
  const old = new Map(before.tools.map((tool) => [tool.name, tool]));
  const now = new Map(after.tools.map((tool) => [tool.name, tool]));
  const lines = before.tools.flatMap(({ name }) => (now.has(name) ? [] : [`removed: ${quoteText(name)}`]));
  for (const tool of after.tools) {
    const oldTool = old.get(tool.name);
    if (oldTool === undefined) lines.push(`added: ${quoteText(tool.name)}`);
    else if (definitionDigest(oldTool) !== definitionDigest(tool))
      lines.push(`changed: ${quoteText(tool.name)} (${changedMembers(oldTool, tool).join(', ')})`);
  }
  if (before.instructions !== after.instructions) lines.push('changed: the instructions of the server');
  return lines;
}

function changedMembers(before: McpTool, after: McpTool): readonly string[] {
  return DEFINITION_MEMBERS.filter((member) => !isSame(before[member], after[member]));
}
