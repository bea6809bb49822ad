/** The credential that a user must supply to connect a service: added and removed kinds, their texts, and the help page. */

import { isRecord, isSame } from '../../json.ts';
import type { Finding, ServiceSurface } from '../types.ts';

/** One part of a credential, as the committed file has it. */
export interface Part {
  readonly id: string;
  readonly label?: string;
  readonly [member: string]: unknown;
}

interface Kind {
  readonly label?: string;
  readonly parts: readonly Part[];
  readonly help?: unknown;
  readonly url?: string | null;
  /** The member of the credential that lists it. Default: `alternatives`. */
  readonly of?: string;
}

type Members = ServiceSurface['members'];

/** Parts of all kinds and extras; empty for a missing service. */
export function partsOf(service: Pick<ServiceSurface, 'members'> | null): readonly Part[] {
  return service === null ? [] : kindsOf(service.members).flatMap(({ parts }) => parts);
}

export function checkCredential(old: Members, now: Members): Finding[] {
  const [was, is] = [kindsOf(old), kindsOf(now)];
  const [first, preferred] = [was[0], is[0]];
  const isKept = (kind: Kind) => is.some((other) => isSame(shapeOf(other), shapeOf(kind)));
  const findings: Finding[] = [];
  if (!isKept(first)) {
    findings.push({
      rule: 'credential-changed',
      place: 'credential.parts',
      before: shapeOf(first),
      after: shapeOf(preferred),
      pointer: ['credential', 'parts'],
    });
  }
  for (const kind of was.slice(1).filter((one) => !isKept(one))) {
    const place = `credential.${kind.of ?? 'alternatives'}.${kind.label}`;
    findings.push({ rule: 'credential-changed', place, before: shapeOf(kind), pointer: ['credential'] });
  }
  for (const kind of is) {
    const isNew = !was.some((other) => isSame(shapeOf(other), shapeOf(kind)));
    if (!isNew || (kind === preferred && !isKept(first))) continue;
    const place = `credential.${kind.of ?? 'alternatives'}.${kind.label ?? kind.parts.map(({ id }) => id).join('+')}`;
    findings.push({ rule: 'credential-kind-added', place, after: shapeOf(kind), pointer: ['credential'] });
  }
  if (findings.length === 0 && !isSame(was.map(wordsOf), is.map(wordsOf))) {
    const isOne = was.length === 1 && is.length === 1;
    findings.push({
      rule: 'service-words-changed',
      place: 'credential',
      before: isOne ? wordsOf(first) : was.map(wordsOf),
      after: isOne ? wordsOf(preferred) : is.map(wordsOf),
      pointer: ['credential'],
    });
  }
  return [...findings, ...checkPages(was, is)];
}

/** Compares the first kind's page by name; the page of another kind is reported if no kind had it. */
function checkPages([first, ...others]: Kinds, [preferred, ...added]: Kinds): Finding[] {
  const rule = 'credential-page-changed';
  const pagesBefore = [first, ...others].map(({ url }) => url);
  const page = (place: string, before: unknown, after: unknown): Finding => {
    return { rule, place, before: before ?? undefined, after: after ?? undefined, pointer: place.split('.') };
  };
  return [
    ...(first.url === preferred.url ? [] : [page('credential.url', first.url, preferred.url)]),
    ...added.flatMap(({ url }) =>
      url == null || pagesBefore.includes(url) ? [] : [page('credential.alternatives', undefined, url)],
    ),
  ];
}

type Kinds = readonly [Kind, ...Kind[]];

function kindsOf({ credential }: Members): Kinds {
  const first = (isRecord(credential) ? credential : { parts: [], url: null }) as unknown as Kind & {
    readonly alternatives?: readonly Kind[];
    readonly extras?: readonly Kind[];
  };
  const { alternatives = [], extras = [], ...kind } = first;
  return [kind, ...alternatives, ...extras.map((extra) => ({ ...extra, of: 'extras' }))];
}

/** Returns the parts that a stored connection must have, without texts and the way to obtain a token. */
function shapeOf({ parts }: Kind): readonly unknown[] {
  return parts.map(({ label: _, oauth2, ...part }) => (isRecord(oauth2) ? { ...part, flow: oauth2.flow } : part));
}

function wordsOf({ label, parts, help }: Kind) {
  return { ...(label === undefined ? {} : { label }), labels: parts.map((part) => part.label), help };
}
