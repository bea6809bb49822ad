/** Tells whether an upstream refuses what the connector itself sends with every call, such as a pinned version of its API. */

import type { Binding, Tool } from '../../../contract/index.ts';

/** Statuses that say that a request is wrong in itself. */
const STATUSES = new Set([400, 403, 406, 410, 412, 415, 422]);

/** A fixed value that the upstream names in its refusal. */
export interface RefusedConstant {
  readonly name: string;
  readonly value: string;
}

/**
 * The constant header of the tool, or its constant version in the query, that an error answer names. No model chose it, and none
 * can change it.
 *
 * @param body parsed JSON, else text.
 */
export function findRefusedConstant({ request }: Tool, status: number, body: unknown): RefusedConstant | null {
  if (!STATUSES.has(status)) return null;
  const headers = constants(request.header);
  const versions = constants(request.query).filter(({ name }) => /version/i.test(name));
  const sent = [...headers, ...versions];
  if (sent.length === 0) return null;
  const words = (typeof body === 'string' ? body : (JSON.stringify(body) ?? '')).toLowerCase();
  return sent.find(({ name }) => words.includes(name.toLowerCase())) ?? null;
}

function constants(bindings: Readonly<Record<string, Binding<unknown>>> | undefined): RefusedConstant[] {
  return Object.entries(bindings ?? {}).flatMap(([name, binding]) =>
    typeof binding === 'object' && binding !== null && 'constant' in binding
      ? [{ name, value: String(binding.constant) }]
      : [],
  );
}
