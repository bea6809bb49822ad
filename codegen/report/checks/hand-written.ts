/** Changes of a hand-written tool: the tools that it calls, and its code. */

import { callOf } from '../call-of.ts';
import { isSame } from '../canonical.ts';
import type { Finding, ToolSurface } from '../types.ts';

/** A tool that became hand-written or stopped being so, calls other tools, or runs other code. */
export function checkHandWritten(before: ToolSurface, after: ToolSurface): Finding[] {
  const reads = after.annotations.readOnlyHint === true;
  if ((before.operation === null) !== (after.operation === null)) {
    const rule = reads ? 'code-changed' : 'code-of-write-changed';
    return [{ rule, place: 'operation', before: callOf(before), after: callOf(after) }];
  }
  const [old, now] = [before.members, after.members];
  const findings: Finding[] = [];
  if (!isSame(old.uses, now.uses)) {
    findings.push({ rule: 'uses-changed', place: 'uses', before: old.uses, after: now.uses, pointer: ['uses'] });
  }
  if (old.code !== now.code) {
    const rule = reads ? 'code-changed' : 'code-of-write-changed';
    findings.push({ rule, place: 'code', before: old.code, after: now.code, pointer: ['code'] });
  }
  return findings;
}
