/** Decides who runs next: a bounded number at once, a bounded number that waits, and the users one after the other. */

/** The permit of one run. `end` must follow. */
export interface RunPermit {
  end(): void;
}

interface WaitingRun {
  readonly begin: () => void;
}

/** Runs that wait at one process: in a minute, most of them have begun. */
const MAX_WAITING = 50;

/** Runs of one user that wait: more than any client starts at once on purpose. */
const MAX_WAITING_OF_USER = 5;

/** The largest numbers of runs that wait. */
interface WaitingLimits {
  /** Runs of all users. Default: 50. */
  readonly waiting?: number;
  /** Runs of one user. Default: 5. */
  readonly waitingOfUser?: number;
}

/** Permits to run programs, or other work of users, at one process. */
export class RunQueue {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #maxWaitingOfUser: number;
  /** By user; the user whose run begins next comes first. */
  readonly #users = new Map<string, WaitingRun[]>();
  readonly #whenIdle: (() => void)[] = [];
  running = 0;
  waiting = 0;

  constructor(atOnce: number, limits: WaitingLimits = {}) {
    this.#atOnce = atOnce;
    this.#maxWaiting = limits.waiting ?? MAX_WAITING;
    this.#maxWaitingOfUser = limits.waitingOfUser ?? MAX_WAITING_OF_USER;
  }

  /**
   * Waits for a permit.
   *
   * @param signal ends the waiting.
   * @returns null if too many wait already, or the signal ended the waiting.
   */
  async take(user: string, signal: AbortSignal): Promise<RunPermit | null> {
    if (signal.aborted) return null;
    if (this.running < this.#atOnce) return this.#begin();
    const userQueue = this.#users.get(user) ?? [];
    if (this.waiting >= this.#maxWaiting || userQueue.length >= this.#maxWaitingOfUser) return null;
    return new Promise((resolve) => {
      const leave = (): void => {
        userQueue.splice(userQueue.indexOf(waitingRun), 1);
        this.waiting -= 1;
        if (userQueue.length === 0) this.#users.delete(user);
        resolve(null);
      };
      const waitingRun = {
        begin: () => {
          signal.removeEventListener('abort', leave);
          resolve(this.#begin());
        },
      };
      this.#users.set(user, userQueue);
      userQueue.push(waitingRun);
      this.waiting += 1;
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    if (this.running > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #begin(): RunPermit {
    this.running += 1;
    return {
      end: () => {
        this.running -= 1;
        this.#next();
        if (this.running === 0) for (const proceed of this.#whenIdle.splice(0)) proceed();
      },
    };
  }

  #next(): void {
    const [first] = this.#users;
    const [user, userQueue] = first ?? [];
    if (user === undefined || userQueue === undefined) return;
    const waitingRun = userQueue.shift();
    // The user goes to the end of the row.
    this.#users.delete(user);
    if (userQueue.length > 0) this.#users.set(user, userQueue);
    this.waiting -= 1;
    waitingRun?.begin();
  }
}
