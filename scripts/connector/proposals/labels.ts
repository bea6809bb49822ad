/** Names for the service and its credential, built from the descriptor's text. */

import { getDomainWithoutSuffix } from 'tldts';
import type { ConnectorModel, CredentialPart } from '../../../codegen/tools/types.ts';
import { toCapitalized, toWords } from '../../../codegen/tools/words/words.ts';

const MAX_NAME = 30;
/** Parts of a title that are not the service's name. */
const TITLE_NOISE =
  /^the\s+|\s*[-–(:].*$|\s+(?:public|rest|web|http|open|platform|v?\d+(?:\.\d+)*|api|apis|reference|specification|documentation)\b.*$/gi;
const SECRETS = new Set(['key', 'pat', 'password', 'secret', 'token']);
/** Words that say how a secret is sent rather than what it is. */
const TRANSPORT_WORDS = new Set([
  'auth',
  'authentication',
  'authorization',
  'basic',
  'bearer',
  'header',
  'http',
  'in',
  'oauth',
  'query',
  'x',
]);
const SPELLINGS: Readonly<Record<string, string>> = { api: 'API', id: 'ID', jwt: 'JWT', pat: 'personal access token' };

/** Names that say nothing without the vendor's. */
const GENERIC =
  /^(?:account|admin|application|backend|billing|client|cloud|control|core|customer|data|developer|gateway|main|management|partner|platform|public|server|service|user|webhook)s?$/i;

/** Returns the service's name as people use it: `Ably Control` for a `Control API` at `control.ably.net`. */
export function nameOfService({
  title,
  servers,
}: {
  readonly title: string;
  readonly servers: ConnectorModel['servers'];
}): string {
  const name = toServiceName(title) ?? title;
  const vendor = getDomainWithoutSuffix(servers[0]?.url ?? '') ?? '';
  return GENERIC.test(name) && vendor !== '' ? `${toCapitalized(vendor)} ${name}` : name;
}

/** Shortens `Zoom API` to `Zoom`; null if no short name is left. */
function toServiceName(title: string): string | null {
  const name = title.trim().replaceAll(TITLE_NOISE, '').trim();
  return name === '' || name.length > MAX_NAME ? null : name;
}

/** Returns words without those that occur again later, and without the beginning with which the words before them end: `API key`, not `API key key`. */
function withoutRepeats(words: readonly string[], before: readonly string[]): readonly string[] {
  const lower = words.map((word) => word.toLowerCase());
  const unique = words.filter((_, at) => lower.lastIndexOf(lower[at] ?? '') === at);
  const isRepeated = (count: number) =>
    toComparable(unique.slice(0, count)) === toComparable(before.slice(before.length - count));
  const repeated = unique.findLastIndex((_, at) => at < before.length && isRepeated(at + 1));
  return unique.slice(repeated + 1);
}

function toComparable(words: readonly string[]): string {
  return words.join(' ').toLowerCase().replace(/s$/, '');
}

/**
 * Returns the label of a part, such as `Asana personal access token`.
 *
 * It consists of the words of the scheme or its header if they name a secret, otherwise of the kind of credential. If several parts are sent under a
 * name, each of them gets the words of its scheme.
 */
export function toLabel(
  { id, name, label, type }: CredentialPart,
  title: string,
  all: readonly CredentialPart[],
): string {
  const service = toServiceName(title);
  const isOneOfMany = name !== null && all.filter((other) => other.name !== null).length > 1;
  const words = [id, name ?? '']
    .map((text) => toWords(text.replace(/api(?=key|token)/i, 'api_')).filter((word) => !TRANSPORT_WORDS.has(word)))
    .find(
      (candidate) => type !== 'oauth2' && candidate.length > 1 && (SECRETS.has(candidate.at(-1) ?? '') || isOneOfMany),
    );
  const serviceWords = toWords(service ?? '');
  const schemeWords = words
    ?.filter((word) => !serviceWords.includes(word))
    .flatMap((word) => (SPELLINGS[word] ?? word).split(' '));
  const labelWords = service === null ? label : `${label.slice(0, 1).toLowerCase()}${label.slice(1)}`;
  const kind = schemeWords ?? labelWords.replace(/^aPI/, 'API').split(' ');
  const fullLabel = [service, ...withoutRepeats(kind, serviceWords)].filter((word) => word !== null).join(' ');
  return `${fullLabel.slice(0, 1).toUpperCase()}${fullLabel.slice(1)}`;
}
