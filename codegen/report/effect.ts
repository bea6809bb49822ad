/** The effect of a tool, as its hints and its file say it. */

import type { ToolSurface } from './types.ts';

/** The effect that the hints of a tool promise. */
export function effectOf({ annotations }: ToolSurface): 'reads' | 'writes' | 'destroys' {
  if (annotations.readOnlyHint === true) return 'reads';
  return annotations.destructiveHint === true ? 'destroys' : 'writes';
}

/** Returns the sign from which the effect was inferred, such as `"delete" in the path`, or null if the method or connector.yaml says it. */
export function effectEvidence({ members }: ToolSurface): string | null {
  return typeof members.effectFrom === 'string' ? members.effectFrom : null;
}
