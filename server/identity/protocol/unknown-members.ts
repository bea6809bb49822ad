/** Members that a request has and its operation does not: a misspelt one that narrows must not be taken for none. */

import { findNearest } from '../../call/tools/nearest.ts';
import type { FormOrJson } from './form.ts';

/** Members of a body that hold credentials (RFC 6749 §2.3.1). */
const CREDENTIALS = ['client_id', 'client_secret'];

/** Longer names are not repeated to the sender. */
const MAX_SHOWN_LENGTH = 60;

/**
 * What is wrong with the first member that is not known, as a sentence; null if every member is known.
 *
 * @param known names of members, beside credentials.
 */
export function findUnknownMember(body: FormOrJson, known: readonly string[]): string | null {
  return findUnknownName(
    namesOf(body).filter((name) => !CREDENTIALS.includes(name)),
    known,
    'member',
  );
}

/** What is wrong with the first name that is not known, as a sentence; null if every name is known. */
export function findUnknownName(
  names: readonly string[],
  known: readonly string[],
  kind: 'member' | 'parameter',
): string | null {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return null;
  const [nearest] = findNearest(unknown, known);
  const list = known.length === 0 ? '' : ` ${kind === 'member' ? 'Members' : 'Parameters'}: ${known.join(', ')}.`;
  const advice = nearest === undefined ? list : ` Did you mean ${nearest}?`;
  return `There is no ${kind} ${JSON.stringify(unknown.slice(0, MAX_SHOWN_LENGTH))}.${advice}`;
}

function namesOf(body: FormOrJson): readonly string[] {
  if ('form' in body) return body.form.names();
  const { json } = body;
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? Object.keys(json) : [];
}
