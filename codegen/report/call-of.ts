/** A short description of what a tool calls. */

import type { ToolSurface } from './types.ts';

/** `GET /documents/{document_id}`, or the tools that a hand-written one uses. */
export function callOf({ operation, members }: ToolSurface): string {
  if (operation !== null) return `${operation.method} ${operation.path}`;
  return `hand-written over ${Array.isArray(members.uses) ? members.uses.join(', ') : 'others'}`;
}
