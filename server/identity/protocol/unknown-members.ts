/**
 * Finds members of a request that its operation does not know. They are refused: ignoring a misspelt restriction would grant more access than the
 * sender meant.
 */

import { findNearest } from '../../call/tools/nearest.ts';
import type { FormOrJson } from './form.ts';

/** Members of a body that hold credentials (RFC 6749 §2.3.1). */
const CREDENTIALS = ['client_id', 'client_secret'];

/** Longer names are not repeated to the sender. */
const MAX_SHOWN_LENGTH = 60;

/**
 * Returns the problem with the first unknown member, as a sentence. Returns null if every member is known.
 *
 * @param known names of members, without those of credentials.
 */
export function findUnknownMember(body: FormOrJson, known: readonly string[]): string | null {
  return findUnknownName(
    namesOf(body).filter((name) => !CREDENTIALS.includes(name)),
    known,
    'member',
  );
}

/** Returns the problem with the first unknown name, as a sentence. Returns null if every name is known. */
export function findUnknownName(
  names: readonly string[],
  known: readonly string[],
  kind: 'member' | 'parameter',
): string | null {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return null;
  const [nearest] = findNearest(unknown, known);
  const heading = kind === 'member' ? 'Members' : 'Parameters';
  const list = known.length === 0 ? '' : ` ${heading}: ${known.join(', ')}.`;
  const advice = nearest === undefined ? list : ` Did you mean ${nearest}?`;
  return `There is no ${kind} ${JSON.stringify(unknown.slice(0, MAX_SHOWN_LENGTH))}.${advice}`;
}

function namesOf(body: FormOrJson): readonly string[] {
  if ('form' in body) return body.form.names();
  const { json } = body;
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? Object.keys(json) : [];
}
