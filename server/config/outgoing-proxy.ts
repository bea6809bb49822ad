/** The proxy for outgoing requests. */

import type { OutgoingProxy } from '../base/guarded-fetch/proxy.ts';
import type { Settings } from './variables.ts';

/** @param onProblem called with the problem, to follow the variable's name. */
export function toOutgoingProxy(
  { OUTGOING_PROXY: url, OUTGOING_NO_PROXY: directHosts = [] }: Partial<Settings>,
  onProblem: (variable: 'OUTGOING_PROXY', problem: string) => void,
): OutgoingProxy | null {
  if (url !== undefined) return { url, directHosts };
  if (directHosts.length > 0) onProblem('OUTGOING_PROXY', 'must be set, because OUTGOING_NO_PROXY is');
  return null;
}

/** @returns a sentence if the environment names a proxy for other programs. */
export function findIgnoredProxy(env: Readonly<Record<string, string | undefined>>): string[] {
  const name = Object.keys(env).find((each) => /^(?:https?|all)_proxy$/i.test(each));
  return name === undefined
    ? []
    : [`${name} is set, but requests leave directly: the gateway reads only OUTGOING_PROXY.`];
}
