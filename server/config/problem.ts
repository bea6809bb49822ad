/** A problem with a setting. */

/** One setting that cannot be used. */
export interface ConfigProblem {
  readonly variable: string;
  /** Continues the sentence that begins with the variable's name. */
  readonly problem: string;
  /** A valid value, as it is written in a shell. */
  readonly example: string;
}
