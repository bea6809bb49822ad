/** Watches statements: how long they take, whether they fail, and that no text in them has a NUL character. */

import type { DatabaseConnection, Logger as KyselyLogger } from 'kysely';

/** Facts of one executed statement. */
export interface StatementFacts {
  /** Its first word, or `OTHER`. */
  readonly operation: 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'OTHER';
  readonly milliseconds: number;
  readonly failed: boolean;
}

/** Called for every statement. Never throws. */
export type OnStatement = (statement: StatementFacts) => void;

const OPERATIONS: Readonly<Record<string, StatementFacts['operation']>> = {
  SelectQueryNode: 'SELECT',
  InsertQueryNode: 'INSERT',
  UpdateQueryNode: 'UPDATE',
  DeleteQueryNode: 'DELETE',
};

/** Reports Kysely's statements; those that begin and end transactions are `OTHER`. */
export function toKyselyLog(onStatement: OnStatement): KyselyLogger {
  return ({ level, query, queryDurationMillis: milliseconds }) =>
    onStatement({ operation: OPERATIONS[query.query.kind] ?? 'OTHER', milliseconds, failed: level === 'error' });
}

/** For statements sent without Kysely. @returns a function that runs `send` and reports the statement. */
export function createStatementWatch(onStatement: OnStatement) {
  return async <Result>(operation: StatementFacts['operation'], send: () => Promise<Result>): Promise<Result> => {
    const started = performance.now();
    let failed = true;
    try {
      const result = await send();
      failed = false;
      return result;
    } finally {
      onStatement({ operation, milliseconds: performance.now() - started, failed });
    }
  };
}

/** A value for the store contains U+0000. PostgreSQL cannot store it; SQLite stores it, but truncates text there. */
class NulCharacterError extends Error {
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
