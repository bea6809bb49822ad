/** The portal's own tables: sessions, people with their sealed refresh tokens, and used logout ids. Everything else is the gateway's. */

import { defineTables, type RowsOf } from '../../../server/base/store/tables/table-set.ts';

export const PORTAL_TABLES = defineTables('portal', {
  /** People who signed in, while they have a session or a grant. */
  portal_people: {
    columns: {
      /** `user_id` at the gateway. */
      user_id: 'text primary key',
      /** `sub` at the provider. */
      subject: 'text not null',
      name: 'text not null',
      /** JSON array of the names of their groups. */
      group_names: 'text not null',
      /** The provider's refresh token, sealed for the person. Null if there is none. */
      sealed_refresh: 'text',
      /** Time at which the provider last confirmed the person. */
      verified_at: 'bigint not null',
      /** Time of the next check. Null if the person is never checked, as those of the demo. */
      next_check_at: 'bigint',
      /** Identifies the check that runs. Null if none does. */
      holder: 'text',
      /** Time at which another process may check, if the check that runs does not end. */
      held_until: 'bigint not null',
      /** Time at which the provider refused the person: their access is to be ended. Null if it did not. */
      gone_at: 'bigint',
    },
    indexes: { portal_people_by_check: '(next_check_at)', portal_people_by_subject: '(subject)' },
  },
  portal_sessions: {
    columns: {
      /** SHA-256 of the value of the cookie. */
      id_hash: 'text primary key',
      user_id: 'text not null references portal_people (user_id) on delete cascade',
      /** `sid` of the provider's session. Null if it did not say. */
      provider_session: 'text',
      expires_at: 'bigint not null',
    },
    indexes: {
      portal_sessions_of_person: '(user_id)',
      portal_sessions_by_provider: '(provider_session)',
      portal_sessions_by_expiry: '(expires_at)',
    },
  },
  /** Logout tokens that were used. */
  portal_logouts: {
    columns: {
      /** SHA-256 of `jti`. */
      id_hash: 'text primary key',
      expires_at: 'bigint not null',
    },
    indexes: { portal_logouts_by_expiry: '(expires_at)' },
  },
});

export interface PortalDatabase extends RowsOf<typeof PORTAL_TABLES> {}
