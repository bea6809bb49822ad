/** Stage `approval`: whether the tool's risk is still what its user, or the partner, allowed. */

import { findRisks, findSeenFacts, type ToolFacts } from '../catalogue/facts.ts';
import type { Call, CallDependencies } from './call.ts';
import { type Ending, refuse } from './ending.ts';

/** Stops a call of a tool whose risk grew since the grant was created. Costs nothing while no tool has changed. */
export function checkApproval(
  call: Call,
  { catalogue, seenFacts }: CallDependencies,
): Ending | null | Promise<Ending | null> {
  const { seen } = call.principal.permission;
  if (seen === null || seen === catalogue.facts.hash) return null;
  const found = seenFacts(seen);
  const current = catalogue.facts.byTool;
  return found instanceof Promise
    ? found.then((facts) => compare(call, facts, current))
    : compare(call, found, current);
}

function compare({ principal, entry: { tool } }: Call, seen: ToolFacts, current: ToolFacts): Ending | null {
  const now = current[tool.name];
  if (now === undefined) throw new Error('the catalogue has no facts of a tool that it serves');
  const was = findSeenFacts(principal.permission.accepted, tool) ?? findSeenFacts(seen, tool);
  const risks = findRisks(was, now);
  if (risks.length === 0) return null;
  const who = principal.clientId === null ? 'the application that owns this token' : 'the user';
  return refuse('needs_approval', {
    message: `${tool.name} is riskier than what was allowed. ${risks.join(' ')}`,
    advice: `Call again after ${who} has allowed it.`,
    details: { tool: tool.name, allowed: was ?? null, now },
  });
}
