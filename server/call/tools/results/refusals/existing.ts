/** Advice if the resource that a call would create already exists. */

import type { Connector, Tool } from '../../../../contract/index.ts';

/** Usual phrases in codes and messages of upstreams. */
const SAYS_IT_EXISTS = /already[\s_-]*(exist|in[\s_-]*use|taken|been[\s_-]*(taken|used))|duplicate|not[\s_-]*unique/i;

/** Whether an error answer says that something already exists. @param words the upstream's code and message. */
export function saysItExists(status: number, words: readonly (string | null)[]): boolean {
  if (status !== 400 && status !== 409 && status !== 422) return false;
  return words.some((word) => word !== null && SAYS_IT_EXISTS.test(word));
}

/**
 * Finds the tools that update what a creating tool would have created: tools that write to a member of its collection
 * without deleting it, such as `PATCH /contacts/{id}` and `POST /contacts/upsert` for `POST /contacts`. Upserts come
 * first.
 */
export function findUpdaters(connector: Connector, { operation, annotations }: Tool): readonly string[] {
  if (operation.method !== 'POST' || annotations.readOnlyHint) return [];
  const path = operation.path.replace(/\/$/, '');
  const updaters = connector.tools.filter(({ operation: other, annotations: hints }) => {
    if (hints.readOnlyHint || other.method === 'DELETE' || other.server !== operation.server) return false;
    if (other.path === path) return other.method === 'PUT' || other.method === 'PATCH';
    const member = other.path.startsWith(`${path}/`) ? other.path.slice(path.length + 1).replace(/\/$/, '') : '';
    return /^\{[^{}/]+\}$/.test(member) || /^(create[_-]or[_-]update|upsert|createorupdate)$/i.test(member);
  });
  const isMember = ({ operation: { path: other } }: Tool) => Number(other.includes('{', path.length));
  return updaters.toSorted((a, b) => isMember(a) - isMember(b)).map(({ name }) => name);
}
