/** Detects that an upstream refuses a constant of the connector, such as a pinned API version. */

import type { Binding, Tool } from '../../../../contract/index.ts';

/** Statuses that mean that the request itself is wrong. */
const STATUSES = new Set([400, 403, 406, 410, 412, 415, 422]);

/** A constant that the upstream's error names. */
export interface RefusedConstant {
  readonly name: string;
  readonly value: string;
}

/**
 * Finds the constant header of the tool, or the constant version in its query, that an error answer names. The model
 * did not choose it and cannot change it.
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
