/** Lists the calls made in a user's name, from the call records: calls of one client at one service within an hour are one entry. */

import { capitalize, clientNameText } from '../../../base/pages/client-name.ts';
import { callCategory } from '../../../base/store/reports/call-category.ts';
import { listPartnerCalls, type PartnerCall } from '../../../base/store/reports/partner-calls.ts';
import type { CallPosition } from '../../../base/store/repositories/calls/call-order.ts';
import { listConnections } from '../../../base/store/repositories/connections.ts';
import { findGrantHolders, type GrantHolder } from '../../../base/store/repositories/oauth-grants.ts';
import { listSharedAccounts } from '../../../base/store/repositories/teams.ts';
import type { User } from '../../../base/store/repositories/users.ts';
import type { Executor } from '../../../base/store/schema.ts';
import type { Catalogue } from '../../../call/tools/catalogue/catalogue.ts';
import { type Effect, effectOf } from '../../../call/tools/catalogue/facts.ts';

/** Kinds of callers: a client, the partner itself, an operator with an access token, or the holder of a grant that was deleted. */
export const CALLERS = ['client', 'partner', 'operator', 'unknown'] as const;

/** Calls that one caller made at one account of a service within an hour, with the same effect and outcome. */
export interface Activity {
  readonly caller: (typeof CALLERS)[number];
  /** Null if the caller is not a client. */
  readonly client: { readonly clientId: string; readonly clientName: string | null } | null;
  /** Connector name. */
  readonly service: string;
  readonly serviceTitle: string;
  /** Present name of the account. Null if the user had one account, or this one was removed. */
  readonly account: string | null;
  /** Null if the gateway no longer has such a tool. */
  readonly effect: Effect | null;
  readonly outcome: string;
  readonly calls: number;
  /** True if more of its calls may follow, which `calls` does not count. */
  readonly continues: boolean;
  /** By name as it was called, the most recently used first. */
  readonly tools: readonly { readonly name: string; readonly title: string; readonly calls: number }[];
  /** Start of the first call, in milliseconds since 1970. */
  readonly firstAt: number;
  /** Start of the last call, in milliseconds since 1970. */
  readonly lastAt: number;
}

/** Maximum of call records that one page examines. */
const MAX_EXAMINED = 1000;

const ENTRY_SPAN_MS = 3_600_000;

/** An entry whose calls are still counted, by tool. */
type ActivityEntry = Omit<Activity, 'calls' | 'tools' | 'firstAt' | 'continues'> & {
  firstAt: number;
  continues: boolean;
  readonly counts: Map<string, number>;
};

/**
 * Reads the `limit` latest entries of a user, and the position to continue from, which is null at the end of the list.
 *
 * A page examines at most `maxExamined` call records, so it may have fewer entries than `limit` although the list continues. Each call is on
 * one page: an entry that continues on the next page counts the calls of its own page.
 *
 * @param options.isExcerpt true if no next page is read: then entries also count their calls after the position where it would begin.
 * @param options.after the position that the previous page returned. Default: from the latest call.
 */
export async function listActivity(
  executor: Executor,
  user: User,
  options: {
    catalogue: Catalogue;
    limit: number;
    after?: CallPosition | undefined;
    isExcerpt?: boolean;
    maxExamined?: number;
  },
): Promise<{ entries: Activity[]; next: CallPosition | null }> {
  const { catalogue, limit, after, isExcerpt = false, maxExamined = MAX_EXAMINED } = options;
  const page = await listPartnerCalls(
    executor,
    {
      partnerId: user.partnerId,
      userId: user.id,
      span: { since: 0, until: Number.MAX_SAFE_INTEGER },
      after,
    },
    maxExamined,
  );
  const holders = await findGrantHolders(executor, [...new Set(page.calls.flatMap(({ grantId }) => grantId ?? []))]);
  const hasAccounts = page.calls.some(({ connectionId }) => connectionId != null);
  const connections = hasAccounts ? await listConnections(executor, user.id) : [];
  const shared = hasAccounts ? await listSharedAccounts(executor, user.id, connections) : [];
  const accounts = new Map([
    ...shared.map(({ connectionId, accountName }) => [connectionId, accountName] as const),
    ...connections.map(({ id, accountName }) => [id, accountName] as const),
  ]);
  const entries: ActivityEntry[] = [];
  const latest = new Map<string, ActivityEntry>();
  let position: CallPosition | null = null;
  let isFull = false;
  for (const call of page.calls) {
    const fresh = toEntry(call, { holders, accounts }, catalogue);
    const { caller, client, effect } = fresh;
    const key = JSON.stringify([caller, client?.clientId, call.service, call.connectionId, effect, call.outcome]);
    let entry = latest.get(key);
    if (entry === undefined || !isWithin(entry, call)) {
      isFull ||= entries.length === limit;
      if (isFull) continue;
      entry = fresh;
      entries.push(entry);
      latest.set(key, entry);
    }
    if (isFull && !isExcerpt) {
      entry.continues = true;
      continue;
    }
    entry.firstAt = call.createdAt;
    entry.counts.set(call.tool, (entry.counts.get(call.tool) ?? 0) + 1);
    if (!isFull) position = call;
  }
  const { next } = page;
  if (next !== null) for (const entry of entries) entry.continues ||= isWithin(entry, next);
  return { entries: entries.map((entry) => toActivity(entry, catalogue)), next: isFull ? position : next };
}

function isWithin({ lastAt }: ActivityEntry, { createdAt }: CallPosition): boolean {
  return lastAt - createdAt < ENTRY_SPAN_MS;
}

/** Rows that calls refer to, by id. */
interface CallReferences {
  readonly holders: ReadonlyMap<string, GrantHolder>;
  /** Short names of accounts, by connection. */
  readonly accounts: ReadonlyMap<string, string | null>;
}

function toEntry(call: PartnerCall, { holders, accounts }: CallReferences, catalogue: Catalogue): ActivityEntry {
  const { grantId, service, outcome, createdAt } = call;
  const holder = grantId === null ? undefined : holders.get(grantId);
  const tool = catalogue.find(call.tool)?.tool;
  const clientId = holder?.clientId ?? null;
  return {
    caller: callerOf(grantId, holder),
    client: clientId === null ? null : { clientId, clientName: holder?.clientName ?? null },
    service,
    serviceTitle: catalogue.findConnector(service)?.title ?? service,
    account: accounts.get(call.connectionId ?? '') ?? null,
    effect: tool === undefined ? null : effectOf(tool),
    outcome,
    firstAt: createdAt,
    lastAt: createdAt,
    continues: false,
    counts: new Map(),
  };
}

function callerOf(grantId: string | null, holder: GrantHolder | undefined): Activity['caller'] {
  if (grantId === null) return 'operator';
  if (holder === undefined) return 'unknown';
  return holder.clientId === null ? 'partner' : 'client';
}

function toActivity({ counts, ...entry }: ActivityEntry, catalogue: Catalogue): Activity {
  const tools = [...counts].map(([name, calls]) => ({ name, title: catalogue.find(name)?.tool.title ?? name, calls }));
  return { ...entry, tools, calls: tools.reduce((sum, { calls }) => sum + calls, 0) };
}

/** Names the caller in a text. A client's own name is marked. @param partnerName as `partnerNameOf` returns it. */
export function callerName({ caller, client }: Activity, partnerName: string): string {
  switch (caller) {
    case 'client':
      return capitalize(clientNameText(client?.clientName ?? null, 'a client without a name', partnerName));
    case 'partner':
      return `${partnerName} itself`;
    case 'operator':
      return 'The operator of this gateway';
    case 'unknown':
      return 'A client that no longer has access';
  }
}

const DEEDS: Readonly<Record<Effect, readonly [done: string, tried: string]>> = {
  reads: ['read data', 'read data'],
  writes: ['wrote data', 'write data'],
  destroys: ['deleted or overwrote data', 'delete or overwrite data'],
};

/** Returns the sentence about an entry after the caller's name, without its time, such as `read data in Affinity 12 times`. */
export function deedOf({ effect, outcome, serviceTitle, account, calls, continues }: Activity): string {
  const [done, tried] = effect === null ? ['called a tool', 'call a tool'] : DEEDS[effect];
  let where = account === null ? serviceTitle : `${serviceTitle} (${account})`;
  if (continues) where += ` at least ${calls === 1 ? 'once' : `${calls} times`}`;
  else if (calls > 1) where += ` ${calls} times`;
  const category = callCategory(outcome);
  if (category === 'ok') return `${done} in ${where}`;
  const deed = `${tried} in ${where}`;
  if (category === 'waiting') return `asked to ${deed}`;
  if (category === 'denied') return `asked to ${deed}, which was denied`;
  return `tried to ${deed}, which failed (${outcome.replaceAll('_', ' ')})`;
}
