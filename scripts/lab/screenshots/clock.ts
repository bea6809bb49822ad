/** A clock that the pictures are taken by: it shows the time that it was set to. */

export interface MovedClock {
  /** @param now milliseconds since 1970. The clock continues from there. */
  set(now: number): void;
  /** Restores the system's clock. */
  restore(): void;
}

/** Replaces `Date` for everything in this process. Timers are not affected. */
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
