/** The state that all parts of the load share: users, sessions, and what was acknowledged. */

import { randomInt } from 'node:crypto';
import type { Violation } from '../ledger/judge.ts';
import { createLedger, type KnownGrant, type Ledger } from '../ledger/ledger.ts';
import type { Partner, Service, Stage } from '../stage/index.ts';
import { createVisitor, type Exchange, type Visitor } from './visitor.ts';

/** A user who is connected to every service. */
export interface User {
  /** The partner's name for the user. */
  readonly id: string;
  readonly partner: Partner;
  readonly credentials: Readonly<Record<Service, string>>;
  /** The partner's access token from the connect flow. */
  readonly access: string;
  /** True if the token was issued while a node's clock was wrong, and expires at the wrong time. */
  readonly hasWrongExpiry: boolean;
}

/** A client that is signed in for a user. */
export interface Session {
  readonly user: User;
  readonly clientId: string;
  readonly grant: KnownGrant;
  access: string;
  refresh: string;
  /** As of users. */
  hasWrongExpiry: boolean;
  isRefreshing: boolean;
}

export interface World {
  /** Of the nodes. */
  readonly ports: readonly number[];
  readonly partners: readonly Partner[];
  readonly ledger: Ledger;
  users: User[];
  sessions: Session[];
  /** Access tokens that were revoked. */
  readonly revoked: string[];
  /** True while a node's clock is wrong: token lifetimes are then unpredictable. */
  clockIsWrong: boolean;
  /** Requests since the list was last emptied. */
  exchanges: Exchange[];
  /** Violations that only the course of events shows, since the list was last emptied. */
  problems: Violation[];
  /** Number of visitors so far. */
  visitors: number;
}

export function createWorld({ nodes, partners }: Stage): World {
  return {
    ports: nodes.map(({ port }) => port),
    partners,
    ledger: createLedger(),
    users: [],
    sessions: [],
    revoked: [],
    clockIsWrong: false,
    exchanges: [],
    problems: [],
    visitors: 0,
  };
}

/** Creates a visitor from an address that has not been used before. @param pickNode default: any node. */
export function newVisitor(world: World, pickNode = (): number => randomInt(world.ports.length)): Visitor {
  world.visitors += 1;
  const { visitors: n, ports } = world;
  const address = `127.${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
  return createVisitor(ports, address, pickNode, (exchange) => world.exchanges.push(exchange));
}

/** Picks an item at random; undefined if there are none. */
export function pick<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 0 ? undefined : items[randomInt(items.length)];
}
