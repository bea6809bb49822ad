/** The message for users and clients of a suspended partner. */

/** Two sentences: what happened, and whom to ask. */
export interface Suspension {
  readonly text: string;
  readonly advice: string;
}

/** @param name of the partner, or words in its place. */
export function describeSuspension(name: string): Suspension {
  return {
    text: `${name} is suspended at this gateway, so its users cannot use their tools now.`,
    advice: `Ask ${name} when this will change. Everything that was allowed and connected is still there.`,
  };
}
