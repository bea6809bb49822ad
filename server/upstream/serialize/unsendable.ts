/** Values that one place of a request cannot carry, found before anything is sent. */

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie' | 'body';

/** A value that a call's arguments ask for and that its place on the wire cannot carry. Nothing was sent. */
export class UnsendableError extends Error {
  override readonly name = 'UnsendableError';
  readonly place: ParameterPlace;
  /** Wire name of the parameter. */
  readonly parameter: string;
  /** A clause about the value, such as `it holds a line break`. Repeats no more of it than dots or a name. */
  readonly problem: string;
  /** What the parameter was to carry: tells which argument is meant. */
  readonly value: unknown;

  constructor(place: ParameterPlace, parameter: string, problem: string, value: unknown) {
    super(`the ${place} parameter ${parameter} cannot be sent: ${problem}`);
    this.place = place;
    this.parameter = parameter;
    this.problem = problem;
    this.value = value;
  }
}
