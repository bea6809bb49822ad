/** Reports how long statements take, and whether they fail. */

import type { Logger as KyselyLogger } from 'kysely';

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
