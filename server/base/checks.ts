/** The findings of checks of a gateway. */

/** `skipped`: it could not be judged, and `seen` says why. */
type FindingState = 'ok' | 'warning' | 'error' | 'skipped';

/** The result of a check. Contains no secret, and no name of a user. */
export interface CheckResult {
  readonly state: FindingState;
  /** One sentence without a full stop. */
  readonly seen: string;
  /** The way to solve the problem. */
  readonly fix?: string;
  /** Names of others in these sentences, which the JSON of the doctor hides. Default: none. */
  readonly names?: readonly string[];
}

export interface Finding extends CheckResult {
  /** Name of the check. */
  readonly check: string;
}

/** One check. */
export interface Check {
  readonly name: string;
  /** Stops when `signal` aborts. */
  run(signal: AbortSignal): Promise<readonly CheckResult[]>;
}

export const ok = (seen: string): CheckResult => ({ state: 'ok', seen });
export const skipped = (seen: string): CheckResult => ({ state: 'skipped', seen });
export const warning = (seen: string, fix: string): CheckResult => ({ state: 'warning', seen, fix });
export const error = (seen: string, fix: string): CheckResult => ({ state: 'error', seen, fix });

/** Of a check that reads the store. */
export const NO_STORE = [skipped('the store cannot be read, or is not migrated')];

/** `1 key`, `2 keys`, `3 addresses`. */
export function count(number: number, noun: string): string {
  const plural = noun.endsWith('s') ? `${noun}es` : `${noun}s`;
  return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`;
}
