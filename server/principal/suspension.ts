/** What everybody reads whose partner is suspended. */

/** Two sentences: what is so, and whom to ask. */
export interface Suspension {
  readonly text: string;
  readonly advice: string;
}

/** @param name of the partner, or what stands for it. */
export function describeSuspension(name: string): Suspension {
  return {
    text: `${name} is suspended at this gateway, so nothing is done for its users.`,
    advice: `Ask ${name} when it is available again. Nothing that was allowed or connected is lost.`,
  };
}
