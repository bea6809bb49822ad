/** What to do when the thing that a call would create exists already. */

import type { Connector, Tool } from '../../../contract/index.ts';

/** How upstreams say it, in a code or a message. */
const SAYS_IT_EXISTS = /already[\s_-]*(exist|in[\s_-]*use|taken|been[\s_-]*(taken|used))|duplicate|not[\s_-]*unique/i;

/** Whether an error answer says that something exists already. @param words the upstream's code and message. */
export function saysItExists(status: number, words: readonly (string | null)[]): boolean {
  if (status !== 400 && status !== 409 && status !== 422) return false;
  return words.some((word) => word !== null && SAYS_IT_EXISTS.test(word));
}

/**
 * The tools that change what a creating tool would have made: those that write to a member of its collection without deleting it,
 * such as `PATCH /contacts/{id}` and `POST /contacts/upsert` for `POST /contacts`. Creating or updating at once comes first.
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
