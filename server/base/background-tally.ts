/** Adds up counts in memory, and writes the sums periodically, off the request path. */

/** A sum with a unique key. */
interface Tallied {
  readonly key: string;
}

/** Accepts counts. */
interface BackgroundTally<Row extends Tallied> {
  /** Adds a row to the sum with its key. Never waits, never throws. */
  add(row: Row): void;
  /** Writes the sums so far. */
  flush(): Promise<void>;
  /** Stops the timer and writes the sums once; sums that fail then are lost and reported. */
  stop(): Promise<void>;
}

/** Options of a background tally. */
interface BackgroundTallyOptions<Row extends Tallied> {
  readonly write: (rows: readonly Row[]) => Promise<void>;
  /** Merges two rows with the same key. */
  readonly merge: (sum: Row, more: Row) => Row;
  /** Longest time that a count waits before it is written, in milliseconds. Default: one minute. */
  readonly intervalMs?: number;
  /** Maximum of waiting keys; beyond it, counts with another key are lost. Default 20,000. */
  readonly maxKeys?: number;
  /** Called when counts were lost, or a write failed and will be retried (`lost` 0). */
  readonly onProblem: (problem: { readonly lost: number; readonly error?: unknown }) => void;
}

/** Rows per write, few enough that writers of other processes never wait long. */
const BATCH_ROWS = 200;

/** Creates the tally. Its timer does not keep the process alive. */
export function createBackgroundTally<Row extends Tallied>(options: BackgroundTallyOptions<Row>): BackgroundTally<Row> {
  const { write, merge, intervalMs = 60_000, maxKeys = 20_000, onProblem } = options;
  let sums = new Map<string, Row>();
  let lost = 0;
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const schedule = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush();
    }, intervalMs).unref();
  };

  const add = (row: Row): void => {
    const existing = sums.get(row.key);
    if (existing !== undefined) sums.set(row.key, merge(existing, row));
    else if (sums.size < maxKeys) sums.set(row.key, row);
    else lost += 1;
    schedule();
  };

  const writeAll = async (): Promise<void> => {
    // Sorted by key, so that concurrent writers do not deadlock.
    const rows = [...sums.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    sums = new Map();
    if (lost > 0) onProblem({ lost });
    lost = 0;
    for (let at = 0; at < rows.length; at += BATCH_ROWS) {
      try {
        await write(rows.slice(at, at + BATCH_ROWS));
      } catch (error) {
        for (const row of rows.slice(at)) add(row);
        onProblem({ lost: 0, error });
        return;
      }
    }
  };

  const flush = (): Promise<void> => {
    writing = writing.then(writeAll);
    return writing;
  };

  return {
    add,
    flush,
    async stop() {
      await flush();
      clearTimeout(timer);
      if (sums.size > 0) onProblem({ lost: sums.size });
      sums = new Map();
    },
  };
}
