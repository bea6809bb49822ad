/** The clock of this process, set to a moment of one's choice, so that pictures show the same times whenever they are taken. */

export interface MovedClock {
  /** @param now milliseconds since 1970. The clock runs on from there. */
  set(now: number): void;
  /** Gives the system's clock back. */
  restore(): void;
}

/** Replaces `Date` for everything that runs in this process. Timers keep their pace. */
export function moveClock(now: number): MovedClock {
  const system = globalThis.Date;
  let ahead = now - system.now();
  const read = (): number => system.now() + ahead;
  globalThis.Date = new Proxy(system, {
    construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [read()] : given, made),
    get: (target, name) => (name === 'now' ? read : Reflect.get(target, name)),
  });
  return {
    set(moment) {
      ahead = moment - system.now();
    },
    restore() {
      globalThis.Date = system;
    },
  };
}
