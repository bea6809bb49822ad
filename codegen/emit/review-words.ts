/** Words and figures of `TOOLS.md` that all kinds of tools use. */

import type { ListedTool } from '../tools/types.ts';

export type Effect = 'read' | 'write' | 'destroy';

export function effectOf({ annotations }: ListedTool): Effect {
  if (annotations.readOnlyHint) return 'read';
  return annotations.destructiveHint ? 'destroy' : 'write';
}

/** `read-only, not destructive, idempotent, open world`. */
export function hintWords({ annotations }: ListedTool): string {
  return [
    annotations.readOnlyHint ? 'read-only' : 'not read-only',
    annotations.destructiveHint ? 'destructive' : 'not destructive',
    annotations.idempotentHint ? 'idempotent' : 'not idempotent',
    annotations.openWorldHint ? 'open world' : 'closed world',
  ].join(', ');
}
