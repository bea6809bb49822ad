/** A tool that waits for the consent of its user: what changed, what can be allowed with it, and allowing it. */

import { isRegisteredForReading, readPermission } from '../../../base/principal/permission.ts';
import { emit } from '../../../base/store/events.ts';
import { findClient } from '../../../base/store/repositories/oauth-clients.ts';
import { findLiveGrant, type Grant } from '../../../base/store/repositories/oauth-grants.ts';
import type { Executor } from '../../../base/store/schema.ts';
import type { Catalogue, CatalogueEntry } from '../../../call/tools/catalogue/catalogue.ts';
import {
  countEffects,
  type EffectCounts,
  effectOf,
  findRisks,
  findSeenFacts,
  isAgreed,
} from '../../../call/tools/catalogue/facts.ts';
import { isPermitted } from '../../../call/tools/catalogue/permitted.ts';
import { acceptTool, type FindSeenFacts } from '../../../call/tools/tool-consent.ts';
import type { ManagementEvent } from '../../partners/manage.ts';
import { toServiceChoices } from './consent-options.ts';
import { namesAllowed } from './list.ts';

/** Dependencies of finding a tool that waits for consent. */
export interface ToolConsentSources {
  readonly db: Executor;
  readonly catalogue: Catalogue;
  readonly seenFacts: FindSeenFacts;
}

/** A tool that its user has not allowed. */
export interface ToolToAllow {
  readonly grant: Grant;
  /** The client's own name for itself. */
  readonly clientName: string | null;
  /** True for a tool that writes, of a client that registered only for reading: its user cannot allow it. */
  readonly isForReading: boolean;
  readonly entry: CatalogueEntry;
  /** The facts that the user sees. */
  readonly facts: string;
  /** Changes of the tool, as sentences. Empty for a tool that the user did not agree to. */
  readonly risks: readonly string[];
  /** Tools of the service that the client may call, for a tool that the user did not agree to. Null for a tool that has changed. */
  readonly already: EffectCounts | null;
  /** The tools of its service with the same effect that the grant includes, where the user can allow all of them; else none. */
  readonly alike: readonly CatalogueEntry[];
}

/**
 * Finds out whether a grant lacks the consent to a tool.
 *
 * @returns null if the tool is allowed, and undefined if the grant has ended or excludes the tool, or there is no such tool.
 */
export async function findToolToAllow(
  { grantId, tool: name }: { readonly grantId: string; readonly tool: string },
  { db, catalogue, seenFacts }: ToolConsentSources,
): Promise<ToolToAllow | null | undefined> {
  const grant = await findLiveGrant(db, grantId);
  const entry = catalogue.find(name);
  const facts = entry && catalogue.facts.byTool[entry.tool.name];
  if (grant === undefined || entry === undefined || facts === undefined) return undefined;
  const permission = readPermission(grant.permission);
  if (!isPermitted(entry, permission)) return undefined;
  const client = grant.clientId === null ? undefined : await findClient(db, grant.clientId);
  const isForReading = effectOf(entry.tool) !== 'reads' && isRegisteredForReading(client?.scopes ?? null);
  const base = { grant, clientName: client?.clientName ?? null, isForReading, entry, facts };
  if (!isAgreed(entry, permission, catalogue.facts.byTool)) {
    const ofService = catalogue.toolsOf(entry.connector).flatMap((other) => catalogue.find(other.name) ?? []);
    const alike = ofService.filter(
      (other) => effectOf(other.tool) === effectOf(entry.tool) && isPermitted(other, permission),
    );
    const may = toServiceChoices(
      namesAllowed(grant, { connected: [entry.connector.name], catalogue, allowance: null }),
      catalogue,
    );
    const already = countEffects(may.flatMap(({ tools }) => tools.map(({ effect }) => effect)));
    return { ...base, risks: [], already, alike };
  }
  const { seen, accepted } = permission;
  if (seen === null || seen === catalogue.facts.hash) return null;
  const earlierFacts = findSeenFacts(accepted, entry.tool) ?? findSeenFacts(await seenFacts(seen), entry.tool);
  const risks = findRisks(earlierFacts, facts);
  return risks.length === 0 ? null : { ...base, risks, already: null, alike: [] };
}

/** Returns the tools that a choice allows: this one, or also those that are alike. */
export function toolsToAllow({ entry, alike }: ToolToAllow, isEvery: boolean): readonly CatalogueEntry[] {
  return isEvery && alike.length > 1 && effectOf(entry.tool) !== 'reads' ? [entry, ...alike] : [entry];
}

/**
 * Allows the tool, as its user decided. Needs a transaction.
 *
 * @param isEvery true to allow every tool of the service that has the same effect.
 * @returns false if the grant was revoked or removed, or the user cannot allow the tool.
 */
export async function allowTool(
  transaction: Executor,
  tool: ToolToAllow,
  { isEvery, ...event }: ManagementEvent & { readonly isEvery: boolean },
): Promise<boolean> {
  const { grant, entry, facts, isForReading } = tool;
  if (isForReading) return false;
  const { userId, clientId, partnerId, id: grantId } = grant;
  const effect = effectOf(entry.tool);
  const allowsAlike = toolsToAllow(tool, isEvery).length > 1 && effect !== 'reads';
  const every = allowsAlike ? { service: entry.connector.name, effect } : undefined;
  if (!(await acceptTool(transaction, grantId, { tool: entry.tool.name, facts, every }))) return false;
  const details = { tool: entry.tool.name, facts, by: 'user', every };
  await emit(transaction, { type: 'tool_allowed', grantId, clientId, partnerId, userId, details, ...event });
  return true;
}
