/** The credential that a user must supply to connect a service: added and removed kinds, their texts, and the help page. */

import { isRecord, isSame, withoutUndefined } from '../../json.ts';
import type { Finding, ServiceSurface } from '../types.ts';

/** One part of a credential, as the committed file has it. */
export interface CredentialPart {
  readonly id: string;
  readonly label?: string;
  readonly [member: string]: unknown;
}

interface CredentialKind {
  readonly label?: string;
  readonly parts: readonly CredentialPart[];
  readonly help?: unknown;
  readonly url?: string | null;
  /** The member of the credential that lists it. Default: `alternatives`. */
  readonly listedUnder?: string;
}

type Members = ServiceSurface['members'];

/** Parts of all kinds and extras; empty for a missing service. */
export function partsOf(service: Pick<ServiceSurface, 'members'> | null): readonly CredentialPart[] {
  return service === null ? [] : kindsOf(service.members).flatMap(({ parts }) => parts);
}

export function checkCredential(old: Members, now: Members): Finding[] {
  const [oldKinds, newKinds] = [kindsOf(old), kindsOf(now)];
  const [first, preferred] = [oldKinds[0], newKinds[0]];
  const isStillAccepted = (kind: CredentialKind) => newKinds.some((other) => isSame(shapeOf(other), shapeOf(kind)));
  const findings: Finding[] = [];
  if (!isStillAccepted(first)) {
    findings.push({
      rule: 'credential-changed',
      place: 'credential.parts',
      before: shapeOf(first),
      after: shapeOf(preferred),
      pointer: ['credential', 'parts'],
    });
  }
  for (const kind of oldKinds.slice(1).filter((oldKind) => !isStillAccepted(oldKind))) {
    const place = `credential.${kind.listedUnder ?? 'alternatives'}.${kind.label}`;
    findings.push({ rule: 'credential-changed', place, before: shapeOf(kind), pointer: ['credential'] });
  }
  for (const kind of newKinds) {
    const isNew = !oldKinds.some((other) => isSame(shapeOf(other), shapeOf(kind)));
    if (!isNew || (kind === preferred && !isStillAccepted(first))) continue;
    const place = `credential.${kind.listedUnder ?? 'alternatives'}.${kind.label ?? kind.parts.map(({ id }) => id).join('+')}`;
    findings.push({ rule: 'credential-kind-added', place, after: shapeOf(kind), pointer: ['credential'] });
  }
  if (findings.length === 0 && !isSame(oldKinds.map(wordsOf), newKinds.map(wordsOf))) {
    const isOne = oldKinds.length === 1 && newKinds.length === 1;
    findings.push({
      rule: 'service-words-changed',
      place: 'credential',
      before: isOne ? wordsOf(first) : oldKinds.map(wordsOf),
      after: isOne ? wordsOf(preferred) : newKinds.map(wordsOf),
      pointer: ['credential'],
    });
  }
  return [...findings, ...checkPages(oldKinds, newKinds)];
}

/** Compares the first kind's page by name; the page of another kind is reported if no kind had it. */
function checkPages([first, ...others]: CredentialKinds, [preferred, ...added]: CredentialKinds): Finding[] {
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

type CredentialKinds = readonly [CredentialKind, ...CredentialKind[]];

function kindsOf({ credential }: Members): CredentialKinds {
  const first = (isRecord(credential) ? credential : { parts: [], url: null }) as unknown as CredentialKind & {
    readonly alternatives?: readonly CredentialKind[];
    readonly extras?: readonly CredentialKind[];
  };
  const { alternatives = [], extras = [], ...kind } = first;
  return [kind, ...alternatives, ...extras.map((extra) => ({ ...extra, listedUnder: 'extras' }))];
}

/** Returns the parts that a stored connection must have, without texts and the way to obtain a token. */
function shapeOf({ parts }: CredentialKind): readonly unknown[] {
  return parts.map(({ label: _, oauth2, ...part }) => (isRecord(oauth2) ? { ...part, flow: oauth2.flow } : part));
}

function wordsOf({ label, parts, help }: CredentialKind) {
  return withoutUndefined({ label, labels: parts.map((part) => part.label), help });
}
