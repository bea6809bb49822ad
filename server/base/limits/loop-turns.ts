/** Turns of the event loop: of the work that waits here, one piece begins in each, and the users take turns. */

interface WaitingWork {
  readonly userId: string;
  readonly begin: () => void;
}

/** Spreads pieces of work, so that whatever else has arrived is done between two of them. */
export class LoopTurns {
  /** By user; the user whose turn is next comes first. */
  readonly #users = new Map<string, WaitingWork[]>();
  readonly #onWork: (userId: string, ms: number) => void;
  #isRunning = false;

  /** @param onWork called with the milliseconds for which a piece of work kept the event loop, until it waited for something. */
  constructor(onWork: (userId: string, ms: number) => void) {
    this.#onWork = onWork;
  }

  /** Resolves in a turn of the event loop in which no other work of these turns begins. */
  take(userId: string): Promise<void> {
    return new Promise((begin) => {
      const userQueue = this.#users.get(userId) ?? [];
      userQueue.push({ userId, begin });
      this.#users.set(userId, userQueue);
      if (!this.#isRunning) this.#schedule();
    });
  }

  #schedule(): void {
    this.#isRunning = true;
    let startedAt = 0;
    let work: WaitingWork | undefined;
    setImmediate(() => {
      work = this.#next();
      startedAt = performance.now();
      work?.begin();
    });
    // Between these two, Node runs only what the work does until it waits for something.
    setImmediate(() => {
      if (work !== undefined) this.#onWork(work.userId, performance.now() - startedAt);
      if (this.#users.size > 0) this.#schedule();
      else this.#isRunning = false;
    });
  }

  #next(): WaitingWork | undefined {
    const [first] = this.#users;
    if (first === undefined) return undefined;
    const [userId, userQueue] = first;
    const work = userQueue.shift();
    // The user goes to the end of the row.
    this.#users.delete(userId);
    if (userQueue.length > 0) this.#users.set(userId, userQueue);
    return work;
  }
}
