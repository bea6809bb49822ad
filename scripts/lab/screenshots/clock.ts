/** The clock that the pictures are taken by. */

const SystemDate = globalThis.Date;

/** Milliseconds from the system's clock to the moved one. */
let ahead = 0;

/** One function for all moves, because parts of the gateway hold `Date.now` from their start. */
const now = (): number => SystemDate.now() + ahead;

const MovedDate = new Proxy(SystemDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

/**
 * Replaces `Date` for everything in this process. Timers are not affected.
 *
 * @param time milliseconds since 1970; the clock continues from there.
 */
export function setClock(time: number): void {
  ahead = Math.round(time - SystemDate.now());
  globalThis.Date = MovedDate;
}

/** Restores the system's clock. */
export function restoreClock(): void {
  globalThis.Date = SystemDate;
}
