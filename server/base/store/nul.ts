/** Keeps NUL characters out of the database. */

import type { DatabaseConnection } from 'kysely';

/** A value for the store contains U+0000. PostgreSQL cannot store it; SQLite stores it, but truncates text there. */
export class NulCharacterError extends Error {
  override readonly name = 'NulCharacterError';

  constructor() {
    super('a text for the store holds a NUL character');
  }
}

/**
 * Makes a connection reject texts with NUL before they are sent.
 *
 * The connection is changed in place, because a Kysely driver compares the objects that it handed out by identity.
 */
export function refuseNul(connection: DatabaseConnection): DatabaseConnection {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async (...query) => {
    for (const value of query[0].parameters) {
      if (typeof value === 'string' && value.includes('\0')) throw new NulCharacterError();
    }
    return execute(...query);
  };
  return connection;
}
