/** Narrows a grant: takes something away, and never gives anything back. Tokens of the grant lose it at once. */

import {
  everyToolOf,
  mayWrite,
  readPermission,
  toScopes,
  writePermission,
} from '../../../base/principal/permission.ts';
import { emit } from '../../../base/store/events.ts';
import { type GrantAccess, replaceGrantAccess } from '../../../base/store/repositories/oauth-grants.ts';
import type { Executor } from '../../../base/store/schema.ts';
import type { Catalogue } from '../../../call/tools/catalogue/catalogue.ts';
import { namesOf } from '../grant-outcome.ts';
import { findOwnGrant, type GrantChange, type GrantKey } from './revoke.ts';

/** Access that a grant keeps. Undefined members change nothing. */
export interface Narrowing {
  /** The services that the grant keeps. */
  readonly services?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
  /** False if the grant loses the tools that delete or overwrite. */
  readonly destructive?: boolean | undefined;
  /** All tools that are left out, including earlier ones; `<service>/*` for all tools of a service, also future ones. */
  readonly without?: readonly string[] | undefined;
}

/** The result of a narrowing, or the reason why it is refused. */
type Narrowed = { readonly access: GrantAccess; readonly refusal: null } | { readonly refusal: string };

/** `missing`: the user has no such grant, or it was revoked. */
type NarrowingResult =
  | { readonly kind: 'narrowed' | 'missing' }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Narrows one grant. Needs a transaction.
 *
 * @param toNarrowing receives the access that the grant allows now, and returns the narrowing.
 */
export async function narrowGrant(
  transaction: Executor,
  key: GrantKey,
  toNarrowing: (current: GrantAccess) => Narrowing,
  change: GrantChange & { catalogue: Catalogue },
): Promise<NarrowingResult> {
  const { by, catalogue, ...event } = change;
  const grant = await findOwnGrant(transaction, key);
  if (grant === undefined) return { kind: 'missing' };
  const narrowed = narrow(grant, toNarrowing(grant), catalogue);
  if (narrowed.refusal !== null) return { kind: 'refused', reason: narrowed.refusal };
  const changed = differences(grant, narrowed.access);
  if (Object.keys(changed).length === 0) return { kind: 'narrowed' };
  if (!(await replaceGrantAccess(transaction, grant.id, { from: grant, to: narrowed.access }))) {
    return narrowGrant(transaction, key, toNarrowing, change);
  }
  await emit(transaction, {
    type: 'grant_narrowed',
    ...namesOf(grant),
    details: { by, ...changed },
    ...event,
  });
  return { kind: 'narrowed' };
}

/** The part of a grant's access that a narrowing leaves. It is refused if it names anything that the grant does not have. */
export function narrow(current: GrantAccess, wanted: Narrowing, catalogue: Catalogue): Narrowed {
  const permission = readPermission(current.permission);
  const without = wanted.without?.map((name) => catalogue.find(name)?.tool.name ?? name);
  const refusal =
    refuseServices(current, wanted.services, catalogue) ??
    refuseAccess({ writing: isWriting(current), destructive: permission.destructive }, wanted) ??
    refuseTools(permission.without, without, catalogue);
  if (refusal !== null) return { refusal };
  return {
    refusal: null,
    access: {
      scopes: wanted.readOnly === true ? ['tools:read'] : current.scopes,
      services: wanted.services === undefined ? current.services : [...new Set(wanted.services)].sort(),
      permission: writePermission({
        ...permission,
        destructive: permission.destructive && wanted.destructive !== false,
        without: without === undefined ? permission.without : [...new Set(without)].sort(),
      }),
    },
  };
}

function refuseServices(
  current: GrantAccess,
  wanted: readonly string[] | undefined,
  { findConnector }: Catalogue,
): string | null {
  if (wanted === undefined) return null;
  if (wanted.length === 0) return 'services is empty, which would leave nothing: revoke the grant instead.';
  const foreign = wanted.find((service) => current.services?.includes(service) === false);
  if (foreign !== undefined) return `services: this grant does not include "${foreign}", and can only be narrowed.`;
  const unknown = wanted.find((service) => current.services === null && findConnector(service) === undefined);
  return unknown === undefined ? null : `services: there is no service "${unknown}".`;
}

function refuseAccess(has: { writing: boolean; destructive: boolean }, wanted: Narrowing): string | null {
  if (wanted.readOnly === false && !has.writing) return 'read_only: this grant only reads, and can only be narrowed.';
  if (wanted.destructive === true && !has.destructive) {
    return 'destructive: this grant has no tools that delete or overwrite, and can only be narrowed.';
  }
  return null;
}

function refuseTools(
  leftOut: readonly string[],
  wanted: readonly string[] | undefined,
  catalogue: Catalogue,
): string | null {
  if (wanted === undefined) return null;
  const back = leftOut.find((name) => !wanted.includes(name));
  if (back !== undefined) return `without: this grant leaves "${back}" out, and can only be narrowed: name it too.`;
  const services = new Set(catalogue.connectors.map(({ name }) => everyToolOf(name)));
  const isKnown = (name: string) => leftOut.includes(name) || services.has(name) || catalogue.find(name) !== undefined;
  const unknown = wanted.find((name) => !isKnown(name));
  return unknown === undefined ? null : `without: there is no tool "${unknown}".`;
}

/** Returns the members that a narrowing changed, for its audit event. */
function differences(from: GrantAccess, to: GrantAccess): Readonly<Record<string, unknown>> {
  const before = readPermission(from.permission);
  const after = readPermission(to.permission);
  const leftOut = after.without.filter((name) => !before.without.includes(name));
  const changed: Record<string, unknown> = {};
  if (isWriting(from) && !isWriting(to)) changed.readOnly = true;
  if (to.services !== null && to.services.join() !== from.services?.toSorted().join()) changed.services = to.services;
  if (before.destructive && !after.destructive) changed.destructive = false;
  if (leftOut.length > 0) changed.without = leftOut;
  return changed;
}

function isWriting({ scopes }: GrantAccess): boolean {
  return mayWrite(toScopes(scopes));
}
