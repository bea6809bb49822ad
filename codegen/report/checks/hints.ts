/** The four MCP hints, by which hosts decide whether to warn the user before a call. */

import type { Finding, ToolSurface } from '../types.ts';

/** The value of each hint that makes a host less careful. */
const RELAXED: Readonly<Record<string, boolean>> = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export function checkHints(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [before.annotations, after.annotations];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((hint): Finding[] => {
    if (old[hint] === now[hint]) return [];
    const change = {
      place: `annotations.${hint}`,
      before: old[hint],
      after: now[hint],
      pointer: ['annotations', hint],
    };
    if (hint === 'readOnlyHint' && old[hint] === true) return [{ rule: 'read-tool-writes', ...change }];
    return [{ rule: now[hint] === RELAXED[hint] ? 'hint-relaxed' : 'hint-tightened', ...change }];
  });
}
