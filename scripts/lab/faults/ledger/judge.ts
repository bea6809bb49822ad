/** Compares what was acknowledged with what is stored, and lists the violations. */

import type { AcknowledgedTokens, AnsweredCall, Ledger } from './ledger.ts';

/** The checks after each fault. */
export const CHECKS = {
  writes: 'every acknowledged write is there, and what was revoked stays revoked',
  once: 'no code and no token was used twice',
  own: 'every answer is the one for its user and call',
  form: 'every error was a documented one, with Retry-After where that is promised, and leaked nothing',
  well: 'every kind of request succeeds on every node within ten seconds, and goes on doing so',
  ready: 'a node says that it is not ready while the database refuses writes, and that it is ready afterwards',
  audit: 'the audit trail verifies',
  records: 'every call that was answered has its record, but for the last moments of a node that was killed',
  limits: 'limits on guesses and registrations hold over all nodes',
  others: "what a fault does not touch goes on: other nodes' requests, and calls of other services",
} as const;

export type Check = keyof typeof CHECKS;

export interface Violation {
  readonly check: Check;
  readonly text: string;
}

/** The content of the store. */
export interface StoredState {
  /** `client_id`s. */
  readonly clients: ReadonlySet<string>;
  /** The active connections, as in `Ledger.connections`. */
  readonly connections: ReadonlySet<string>;
  /** The hash under which the store keeps a secret with this `digest`. */
  hashOf(digest: string): string;
  /** By hash. */
  readonly access: ReadonlyMap<string, { readonly isRevoked: boolean }>;
  /** By hash. */
  readonly refresh: ReadonlyMap<
    string,
    { readonly grant: string; readonly isRevoked: boolean; readonly isUsed: boolean }
  >;
  /** Ids of requests that have a record. */
  readonly recorded: ReadonlySet<string>;
  /** Problems found by `utg audit verify`. */
  readonly audit: readonly string[];
}

/** Records wait for a second, then for the previous batch and for the database. */
const UNWRITTEN_MS = 2_500;

/** Returns every violation. */
export function judge(ledger: Ledger, stored: StoredState): Violation[] {
  return [
    ...judgeWrites(ledger, stored),
    ...judgeSingleUse(ledger, stored),
    ...judgeAnswers(ledger.calls),
    ...judgeRecords(ledger, stored),
    ...stored.audit.map((text): Violation => ({ check: 'audit', text })),
  ];
}

function judgeWrites(ledger: Ledger, stored: StoredState): Violation[] {
  const lost = [
    ...ledger.registrations.filter((id) => !stored.clients.has(id)).map((id) => `the registration of ${id} is lost`),
    ...ledger.connections
      .filter((connection) => !stored.connections.has(connection))
      .map((connection) => `the connection of ${connection} is lost`),
    ...ledger.tokens.flatMap((tokens) => judgeTokens(tokens, stored)),
  ];
  return lost.map((text) => ({ check: 'writes', text }));
}

function judgeTokens({ grant, access, refresh }: AcknowledgedTokens, stored: StoredState): string[] {
  const rows = [
    ['access', stored.access.get(stored.hashOf(access))],
    ['refresh', stored.refresh.get(stored.hashOf(refresh))],
  ] as const;
  return rows.flatMap(([kind, row]) => {
    if (row === undefined) return [`the ${kind} token of a ${grant.state} grant is lost`];
    if (grant.state === 'live' && row.isRevoked) return [`the ${kind} token of a live grant was revoked`];
    if (grant.state === 'revoked' && !row.isRevoked) return [`the ${kind} token of a revoked grant works again`];
    return [];
  });
}

function judgeSingleUse({ redeemed }: Ledger, { refresh }: StoredState): Violation[] {
  const bySecret = Map.groupBy(redeemed, ({ kind, secret }) => `${kind} ${secret}`);
  const twice = [...bySecret.values()].flatMap((uses) => {
    const kind = uses[0]?.kind;
    // Concurrent refreshes count as one use, and get the same response.
    const successes = kind === 'refresh token' ? new Set(uses.map(({ answer }) => answer)).size : uses.length;
    return successes > 1 ? [`one ${kind} gave ${successes} answers`] : [];
  });
  const unused = [...refresh.values()].filter(({ isUsed, isRevoked }) => !isUsed && !isRevoked);
  const byGrant = Map.groupBy(unused, ({ grant }) => grant);
  const forked = [...byGrant].flatMap(([grant, tokens]) =>
    tokens.length > 1 ? [`grant ${grant} has ${tokens.length} refresh tokens that are unused`] : [],
  );
  return [...twice, ...forked].map((text) => ({ check: 'once', text }));
}

function judgeAnswers(calls: readonly AnsweredCall[]): Violation[] {
  return calls
    .filter(({ expected, got }) => expected !== got)
    .map(({ node, expected, got }) => ({
      check: 'own',
      text: `node ${node + 1} answered a call for ${expected} with ${got === '' ? 'nothing of it' : got}`,
    }));
}

function judgeRecords({ calls, kills }: Ledger, { recorded }: StoredState): Violation[] {
  const missing = calls.filter(({ requestId }) => !recorded.has(requestId));
  const isExcused = (call: AnsweredCall): boolean =>
    kills.some(({ node, at }) => node === call.node && call.answeredAt <= at && call.answeredAt > at - UNWRITTEN_MS);
  const lost = missing.filter((call) => !isExcused(call));
  return lost.length === 0 ? [] : [{ check: 'records', text: `${lost.length} answered calls have no record` }];
}
