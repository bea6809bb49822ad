/** Values that no request can carry, found before anything is sent. */

/** One place of a request, and the argument that fills it. */
export interface WirePlace {
  readonly place: 'path' | 'query' | 'header' | 'cookie' | 'body';
  /** Wire name of the parameter, or of the member of the body; null: the whole body. */
  readonly parameter: string | null;
  /** Null: a constant, or several arguments together. */
  readonly argument: string | null;
}

const WORDS = { path: 'path parameter', query: 'query parameter', header: 'header', cookie: 'cookie', body: 'part' };

/** A value of a call's arguments cannot be sent in its place on the wire. Nothing was sent. */
export class CannotSendError extends Error {
  override readonly name = 'CannotSendError';
  readonly place: WirePlace['place'];
  readonly parameter: string | null;
  readonly argument: string | null;
  /** A clause about the value, such as `it holds a line break`. Repeats at most dots or a name of it. */
  readonly problem: string;

  /**
   * Its message is one sentence for a model.
   *
   * @param subject what the clause is about, when that is a part of the argument, such as `avatar.data`.
   */
  constructor({ place, parameter, argument }: WirePlace, problem: string, subject?: string) {
    const whole = parameter === null ? 'the body' : `the ${WORDS[place]} ${JSON.stringify(parameter)}`;
    const owner = argument === null ? 'It' : `"${argument}"`;
    super(subject === undefined ? `${owner} cannot be ${whole}: ${problem}.` : `"${subject}" ${problem}.`);
    this.place = place;
    this.parameter = parameter;
    this.argument = argument;
    this.problem = problem;
  }
}

/** Converts the error of a place that could not be written: `encodeURIComponent` throws on half of a surrogate pair. */
export function toCannotSend(error: unknown, place: WirePlace): unknown {
  return error instanceof URIError ? halfPair(place) : error;
}

/** The text of a place contains half of a surrogate pair, which no encoding can represent. */
export function halfPair(place: WirePlace): CannotSendError {
  return new CannotSendError(place, 'it holds half of a surrogate pair, which is no text');
}
