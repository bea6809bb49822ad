/** What all parts of the load share: users, sessions, and what was acknowledged. */

import type { Violation } from '../ledger/judge.ts';
import type { KnownGrant, Ledger, Redeemable } from '../ledger/ledger.ts';
import { digest } from '../ledger/ledger.ts';
import type { Random } from '../random.ts';
import type { Partner, Service } from '../stage/index.ts';
import { createVisitor, type Visitor } from './visitor.ts';
import type { Answered, Wire } from './wire.ts';

/** A user who is connected to every service. */
export interface User {
  /** The partner's name for the user. */
  readonly id: string;
  readonly partner: Partner;
  readonly credentials: Readonly<Record<Service, string>>;
  /** The partner's access token from the connect flow. */
  readonly access: string;
}

/** A client that is signed in for a user. */
export interface Session {
  readonly user: User;
  readonly clientId: string;
  readonly grant: KnownGrant;
  access: string;
  refresh: string;
  /** Whether a refresh is in progress. */
  busy: boolean;
}

export interface World {
  readonly wire: Wire;
  readonly random: Random;
  readonly partners: readonly Partner[];
  readonly ledger: Ledger;
  readonly nodes: number;
  readonly users: User[];
  readonly sessions: Session[];
  /** Access tokens that were revoked. */
  readonly revoked: string[];
  /** Sessions that ended because a response was lost, so that their users sign in again. */
  lost: number;
  /** True while a node's clock is wrong: token lifetimes are then unpredictable. */
  clockIsWrong: boolean;
  /** Problems that only the course of events shows. */
  readonly problems: Violation[];
  /** One more than the number of callers so far. */
  nextCaller: number;
}

/** A visitor from an address that has not been used before. @param pickNode default: any node. */
export function newVisitor(world: World, pickNode?: () => number): Visitor {
  world.nextCaller += 1;
  const { nextCaller: n, random, wire, nodes } = world;
  const address = `127.${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
  return createVisitor(wire, address, pickNode ?? (() => random.below(nodes)));
}

/** The partner's `Authorization` header. */
export function asPartner({ clientId, secret }: Partner): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` };
}

/** Responses to one use of a secret. */
export interface Uses {
  readonly successes: readonly Answered[];
  /** Whether every request was answered, none of them with an outage. */
  readonly isSettled: boolean;
  /** `isSettled`, and only one request was sent. */
  readonly isPlain: boolean;
  /** The last response. */
  readonly last: Answered | null;
}

/**
 * Uses a single-use secret: usually once, again if the response is missing or reports an outage, and sometimes on two nodes concurrently.
 * Records every success.
 *
 * @param send sends one request. @param toAnswer returns what a success issued; null: not a success.
 */
export async function redeem(
  { ledger }: World,
  use: { readonly what: Redeemable; readonly secret: string; readonly atOnce: number },
  send: () => Promise<Answered>,
  toAnswer: (answer: Answered) => string | null,
): Promise<Uses> {
  const { what, secret } = use;
  const answers: (Answered | null)[] = [];
  const once = async (): Promise<void> => {
    const answer = await send().catch(() => null);
    answers.push(answer);
    const given = answer === null ? null : toAnswer(answer);
    if (given !== null) ledger.redeemed.push({ what, secret: digest(secret), answer: digest(given) });
  };
  await Promise.all(Array.from({ length: use.atOnce }, once));
  const isOpen = (answer: Answered | null): boolean => answer === null || answer.status >= 500;
  if (answers.every(isOpen) && what !== 'refresh token') await once();
  const answered = answers.filter((answer) => answer !== null);
  const successes = answered.filter((answer) => toAnswer(answer) !== null);
  const isSettled = !answers.some(isOpen);
  return { successes, isSettled, isPlain: isSettled && answers.length === 1, last: answered.at(-1) ?? null };
}
