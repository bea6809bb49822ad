/** The clock that the pictures are taken by. */

const SystemDate = globalThis.Date;

/**
 * Replaces `Date` for everything in this process. Timers are not affected.
 *
 * @param now milliseconds since 1970; the clock continues from there.
 */
export function setClock(now: number): void {
  const ahead = now - SystemDate.now();
  const read = (): number => SystemDate.now() + ahead;
  globalThis.Date = new Proxy(SystemDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [read()] : args, newTarget),
    get: (target, name) => (name === 'now' ? read : Reflect.get(target, name)),
  });
}

/** Restores the system's clock. */
export function restoreClock(): void {
  globalThis.Date = SystemDate;
}
