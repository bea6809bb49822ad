/** Recognises the one database error that callers handle: a unique violation. */

/** True for a unique violation of either dialect: SQLSTATE 23505, or SQLite's extended codes for it. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return (
    error.code === '23505' || error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
  );
}
