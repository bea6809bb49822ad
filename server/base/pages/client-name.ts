/** Names that clients gave themselves: marked on every page, and never in the words of the gateway or of a partner. */

import { LATIN_LETTERS } from '../look-alikes.ts';
import { type Html, html, shownName } from './html.ts';

/** First letters of alphabets of 26 signs that Unicode does not decompose: negative circled, negative squared, regional indicators. */
const ALPHABETS_OF_SIGNS = [0x1f150, 0x1f170, 0x1f1e6];

function toLatinLetter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const first = ALPHABETS_OF_SIGNS.find((start) => code >= start && code < start + 26);
  return first === undefined ? (LATIN_LETTERS.get(character) ?? character) : String.fromCharCode(0x61 + code - first);
}

/** A name as a reader takes it: without case, spaces, marks and alphabets. */
interface Skeleton {
  readonly text: string;
  /** Positions in the text at which words begin, and at which they end. A digit, a sign or a capital within a word may begin another one. */
  readonly starts: ReadonlySet<number>;
  readonly ends: ReadonlySet<number>;
}

function readSkeleton(name: string): Skeleton {
  const words = name
    .replaceAll(/[™℠]|[\s!|]+$|^[\s!|]+/gu, '')
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{C}\p{Lm}\p{Default_Ignorable_Code_Point}]/gu, '')
    .split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\P{L})|(?=\P{L})/u);
  let text = '';
  const starts = new Set<number>();
  const ends = new Set<number>();
  for (const word of words) {
    starts.add(text.length);
    for (const letter of [...word.toLowerCase()].map(toLatinLetter)) {
      if (/[\p{L}\p{N}]/u.test(letter)) text = mergeLookalikes(`${text}${letter}`);
    }
    ends.add(text.length);
  }
  return { text, starts, ends };
}

/** Two letters at the end that look like one. */
function mergeLookalikes(text: string): string {
  if (text.endsWith('rn')) return `${text.slice(0, -2)}m`;
  return text.endsWith('vv') ? `${text.slice(0, -2)}w` : text;
}

function skeletonOf(name: string): string {
  return readSkeleton(name).text;
}

/** Tells whether words of a name, one after the other, read like a phrase. */
function hasPhrase({ text, starts, ends }: Skeleton, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    if (starts.has(at) && ends.has(at + phrase.length)) return true;
  }
  return false;
}

const PRODUCT_TITLE = 'Unified Tool Gateway';

/** Names that the gateway itself uses for those who act. */
const RESERVED_NAMES = [
  PRODUCT_TITLE,
  'Gateway',
  'The gateway',
  'This gateway',
  'Operator',
  'The operator',
  'Partner',
  'The partner',
  'You',
  'The user',
  'This application',
  'Without a name',
  'No name',
  'A client without a name',
  'Administrator',
  'Admin',
].map(skeletonOf);

/** Phrases that would be a statement of the gateway in a name. */
const RESERVED_PHRASES = [
  PRODUCT_TITLE,
  'of this gateway',
  'operator of',
  'Approved by',
  'Verified by',
  'Trusted by',
  'Allowed by',
  'Verified name',
  'Verified website',
  'Minted for testing',
].map(skeletonOf);

/** End of the name of a partner that acts itself. */
const ITSELF = skeletonOf(' itself');

/** Tells whether a name, or what it looks like, is one of the gateway's own, or states something in its voice. */
export function isReservedName(name: string): boolean {
  const skeleton = readSkeleton(name);
  return (
    RESERVED_NAMES.includes(skeleton.text) ||
    skeleton.text.endsWith(ITSELF) ||
    RESERVED_PHRASES.some((phrase) => hasPhrase(skeleton, phrase))
  );
}

/** Tells whether a name looks like that of a partner. */
function isNameOf(name: string, partner: string): boolean {
  const skeleton = skeletonOf(partner);
  return skeleton !== '' && skeletonOf(name) === skeleton;
}

/**
 * Returns the name that a client gave itself, safe to show next to a mark; or what is wrong with it.
 *
 * @param partnerName of the partner that the page is about. Default: the page is about none.
 * @returns undefined if the client has no readable name.
 */
export function readClientName(clientName: string | null, partnerName?: string): ClientName | undefined {
  const name = shownName(clientName);
  if (name === null || clientName === null) return undefined;
  if (isReservedName(clientName)) return { kind: 'misleading', text: 'an application with a misleading name' };
  if (partnerName !== undefined && isNameOf(clientName, partnerName)) {
    const partner = shownName(partnerName) ?? 'the partner';
    return { kind: 'misleading', text: `an application that uses the name of ${partner}` };
  }
  // Quotation marks in it would end those around it.
  return { kind: 'self-given', text: name.replaceAll(/["“”„‟〝〞]/gu, '’') };
}

/** `misleading`: `text` describes the client in the gateway's words. */
export interface ClientName {
  readonly kind: 'self-given' | 'misleading';
  readonly text: string;
}

/** Begins a sentence or a heading with a name. */
export function capitalize(text: string): string {
  return text.replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

/** Names a client in a text, such as `"Cursor" (unverified name)`. @param otherwise for a client without a name. */
export function clientNameText(clientName: string | null, otherwise: string, partnerName?: string): string {
  const name = readClientName(clientName, partnerName);
  if (name === undefined) return otherwise;
  return name.kind === 'self-given' ? `“${name.text}” (unverified name)` : name.text;
}

/**
 * Names a client on a page, with the mark of a name that was not verified.
 *
 * @param otherwise for a client without a name.
 */
export function clientNameHtml(clientName: string | null, otherwise: string, partnerName?: string): Html {
  const name = readClientName(clientName, partnerName);
  if (name === undefined) return html`<bdi>${otherwise}</bdi>`;
  if (name.kind === 'misleading') return html`<bdi>${name.text}</bdi>`;
  return html`“<bdi>${name.text}</bdi>” <small class="unverified">unverified name</small>`;
}
