/** NUL characters never reach a table. */

import type { DatabaseConnection } from 'kysely';

/** A value for the store holds the character U+0000. PostgreSQL cannot keep it, SQLite keeps it and then cuts text there. */
export class NulCharacterError extends Error {
  override readonly name = 'NulCharacterError';

  constructor() {
    super('a text for the store holds a NUL character');
  }
}

/**
 * Makes a connection refuse texts with NUL before they are sent.
 *
 * The connection is changed in place, because a Kysely driver recognises the objects that it handed out.
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
