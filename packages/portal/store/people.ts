/** People and their sessions, as the portal's store has them. */

import { hash, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { ValueSealer } from '../../../server/base/credentials/sealed-value.ts';
import type { Person } from '../request.ts';
import type { PortalDatabase } from './tables.ts';

/** A person as the provider describes them at a sign-in. */
export interface SignedInPerson extends Person {
  /** `sub` at the provider. */
  readonly subject: string;
  /** Null if the provider issued none. */
  readonly refreshToken: string | null;
}

/** A person whose turn it is, held by one check. */
export interface HeldPerson {
  readonly userId: string;
  readonly subject: string;
  readonly groups: readonly string[];
  readonly name: string;
  /** Null if there is none, or its key is missing. */
  readonly refreshToken: string | null;
  readonly verifiedAt: number;
  readonly goneAt: number | null;
  readonly holder: string;
}

/** What a check changes about a person. Undefined members stay. */
export interface PersonChange {
  readonly name?: string;
  readonly groups?: readonly string[];
  /** Null removes it. */
  readonly refreshToken?: string | null;
  readonly verifiedAt?: number;
  readonly goneAt?: number;
  /** Time of the next check. */
  readonly nextCheckAt: number;
}

/** What a valid logout token says. Subject or session is there. */
export interface Logout {
  /** `jti`. */
  readonly id: string;
  readonly subject: string | null;
  readonly providerSession: string | null;
  /** Milliseconds since 1970 after which the token is not accepted any more. */
  readonly expiresAt: number;
}

/** Time for which one process holds a person. A check that lasts longer may lose it to another process, and then changes nothing. */
const HOLD_MS = 60_000;

/** A refresh token stays sealed for as long as its row is kept, so this end is never reached. */
const NEVER = Number.MAX_SAFE_INTEGER;

export class People {
  readonly #db: Kysely<PortalDatabase>;
  readonly #sealer: ValueSealer;

  constructor(db: Kysely<PortalDatabase>, sealer: ValueSealer) {
    this.#db = db;
    this.#sealer = sealer;
  }

  /**
   * Stores a person who signed in, with a session. A check that runs meanwhile loses its hold.
   *
   * @param session.nextCheckAt null for a person who is never checked.
   */
  async signIn(
    person: SignedInPerson,
    session: {
      readonly token: string;
      readonly providerSession: string | null;
      readonly now: number;
      readonly expiresAt: number;
      readonly nextCheckAt: number | null;
    },
  ): Promise<void> {
    const { userId, refreshToken } = person;
    const values = {
      subject: person.subject,
      name: person.name,
      group_names: JSON.stringify(person.groups),
      sealed_refresh: refreshToken === null ? null : this.#seal(userId, refreshToken),
      verified_at: session.now,
      next_check_at: session.nextCheckAt,
      holder: null,
      held_until: 0,
      gone_at: null,
    };
    await this.#db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('portal_people')
        .values({ user_id: userId, ...values })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
        .execute();
      await transaction
        .insertInto('portal_sessions')
        .values({
          id_hash: digest(session.token),
          user_id: userId,
          provider_session: session.providerSession,
          expires_at: session.expiresAt,
        })
        .execute();
    });
  }

  /** Finds the person of a session that has not expired. */
  async findBySession(token: string, now: number): Promise<Person | undefined> {
    const row = await this.#db
      .selectFrom('portal_sessions')
      .innerJoin('portal_people', 'portal_people.user_id', 'portal_sessions.user_id')
      .select(['portal_people.user_id', 'name', 'group_names'])
      .where('id_hash', '=', digest(token))
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return row && { userId: row.user_id, name: row.name, groups: readGroups(row.group_names) };
  }

  async endSession(token: string): Promise<void> {
    await this.#db.deleteFrom('portal_sessions').where('id_hash', '=', digest(token)).execute();
  }

  /** Returns true if the person has a session that has not expired. */
  async hasSession(userId: string, now: number): Promise<boolean> {
    const row = await this.#db
      .selectFrom('portal_sessions')
      .select('id_hash')
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Ends all sessions of a person, unless the check lost its hold. */
  async endSessionsOf({ userId, holder }: HeldPerson): Promise<void> {
    const held = this.#db.selectFrom('portal_people').select('user_id').where('holder', '=', holder);
    await this.#db.deleteFrom('portal_sessions').where('user_id', '=', userId).where('user_id', 'in', held).execute();
  }

  /**
   * Uses a logout token: ends the sessions that it names, and makes the next check of their people due. If that fails, the token is not used up, so
   * that the provider can send it again.
   *
   * @param logout.providerSession null for every session of the subject. @param logout.subject null for the session alone.
   * @returns false if the token was used before.
   */
  async logOut({ id, subject, providerSession, expiresAt }: Logout, now: number): Promise<boolean> {
    return this.#db.transaction().execute(async (transaction) => {
      const used = await transaction
        .insertInto('portal_logouts')
        .values({ id_hash: digest(id), expires_at: expiresAt })
        .onConflict((conflict) => conflict.column('id_hash').doNothing())
        .returning('id_hash')
        .executeTakeFirst();
      if (used === undefined) return false;
      let sessions = transaction
        .selectFrom('portal_sessions')
        .innerJoin('portal_people', 'portal_people.user_id', 'portal_sessions.user_id')
        .select(['id_hash', 'portal_people.user_id']);
      if (subject !== null) sessions = sessions.where('subject', '=', subject);
      if (providerSession !== null) {
        // A sign-in that did not say its session may be this one.
        sessions = sessions.where((row) => {
          const isNamed = row('provider_session', '=', providerSession);
          return subject === null ? isNamed : row.or([isNamed, row('provider_session', 'is', null)]);
        });
      }
      const found = await sessions.execute();
      let people = found.map(({ user_id }) => user_id);
      if (subject !== null) {
        const ofSubject = await transaction
          .selectFrom('portal_people')
          .select('user_id')
          .where('subject', '=', subject)
          .execute();
        people = ofSubject.map(({ user_id }) => user_id);
      }
      for (const { id_hash } of found) {
        await transaction.deleteFrom('portal_sessions').where('id_hash', '=', id_hash).execute();
      }
      for (const userId of people) {
        await transaction
          .updateTable('portal_people')
          .set({ next_check_at: now })
          .where('user_id', '=', userId)
          .where('next_check_at', 'is not', null)
          .execute();
      }
      return true;
    });
  }

  /** Takes hold of up to `limit` people whose check is due, so that no other process checks them meanwhile. */
  async takeDue(limit: number, now: number): Promise<HeldPerson[]> {
    const due = await this.#db
      .selectFrom('portal_people')
      .select('user_id')
      .where('next_check_at', '<=', now)
      .where('held_until', '<=', now)
      .orderBy('next_check_at')
      .limit(limit)
      .execute();
    const held: HeldPerson[] = [];
    for (const { user_id: userId } of due) {
      const holder = randomUUID();
      const row = await this.#db
        .updateTable('portal_people')
        .set({ holder, held_until: now + HOLD_MS })
        .where('user_id', '=', userId)
        .where('next_check_at', '<=', now)
        .where('held_until', '<=', now)
        .returning(['subject', 'name', 'group_names', 'sealed_refresh', 'verified_at', 'gone_at'])
        .executeTakeFirst();
      if (row === undefined) continue;
      held.push({
        userId,
        holder,
        subject: row.subject,
        name: row.name,
        groups: readGroups(row.group_names),
        refreshToken: row.sealed_refresh === null ? null : this.#open(userId, row.sealed_refresh),
        verifiedAt: row.verified_at,
        goneAt: row.gone_at,
      });
    }
    return held;
  }

  /** Stores what a check found. @returns false if the check lost its hold, as by another sign-in. */
  async change({ userId, holder }: HeldPerson, change: PersonChange): Promise<boolean> {
    const { refreshToken } = change;
    const values: Record<string, string | number | null> = { next_check_at: change.nextCheckAt };
    if (change.name !== undefined) values.name = change.name;
    if (change.groups !== undefined) values.group_names = JSON.stringify(change.groups);
    if (refreshToken !== undefined)
      values.sealed_refresh = refreshToken === null ? null : this.#seal(userId, refreshToken);
    if (change.verifiedAt !== undefined) values.verified_at = change.verifiedAt;
    if (change.goneAt !== undefined) values.gone_at = change.goneAt;
    const changed = await this.#db
      .updateTable('portal_people')
      .set(values)
      .where('user_id', '=', userId)
      .where('holder', '=', holder)
      .returning('user_id')
      .executeTakeFirst();
    return changed !== undefined;
  }

  /**
   * Lets others check the person again. After a check that lost its hold they do so at once: what it told the gateway may be older than the sign-in that
   * took the hold.
   */
  async release({ userId, holder }: HeldPerson, now: number): Promise<void> {
    const people = this.#db.updateTable('portal_people').where('user_id', '=', userId);
    const released = await people
      .set({ holder: null, held_until: 0 })
      .where('holder', '=', holder)
      .returning('user_id')
      .executeTakeFirst();
    if (released !== undefined) return;
    await people.set({ next_check_at: now }).where('next_check_at', 'is not', null).execute();
  }

  /** Removes a person with all sessions, unless the check lost its hold. */
  async remove({ userId, holder }: HeldPerson): Promise<void> {
    await this.#db.deleteFrom('portal_people').where('user_id', '=', userId).where('holder', '=', holder).execute();
  }

  /** Deletes expired sessions and logout ids. */
  async purge(now: number): Promise<void> {
    await this.#db.deleteFrom('portal_sessions').where('expires_at', '<=', now).execute();
    await this.#db.deleteFrom('portal_logouts').where('expires_at', '<=', now).execute();
  }

  #seal(userId: string, refreshToken: string): string {
    return this.#sealer.seal(refreshToken, { holder: userId, expiresAt: NEVER });
  }

  #open(userId: string, sealed: string): string | null {
    const opened = this.#sealer.open(sealed, { holder: userId, now: 0 });
    return typeof opened === 'string' ? opened : null;
  }
}

function readGroups(text: string): readonly string[] {
  return JSON.parse(text) as string[];
}

/** Session tokens have 256 random bits, so a plain hash cannot be reversed. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}
