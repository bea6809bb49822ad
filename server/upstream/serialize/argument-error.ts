/** What is wrong with an argument and shows only while the request is written: a file, bytes, a media type. */

/** Thrown before anything is sent. Its text holds no data of the argument, so that it may reach a model and a log. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
  /** Name of the argument, such as `avatar`. */
  readonly argument: string;

  /** @param problem one sentence for the model, which begins with the place: `"avatar.data" is not base64.` */
  constructor(argument: string, problem: string) {
    super(problem);
    this.argument = argument;
  }
}
