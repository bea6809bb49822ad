/** What a generated tool answers, as types from `schema.d.ts`, for hand-written tools that call it. */

type Success = 200 | 201 | 202 | 203 | 204 | 206;

/** The JSON of an operation's successful answers; `unknown` if the descriptor describes none. */
export type AnswerOf<Operation> = Operation extends { readonly responses: infer Responses }
  ? Known<JsonOf<ContentOf<Responses[keyof Responses & Success]>>>
  : unknown;

/** An array answer, which is published as `{items: [...]}`. */
export interface ItemsOf<Answer> {
  readonly items: Answer;
}

/** What the gateway adds to a paged answer. */
export interface PageOf<Arguments> {
  /** `nextArguments`: all arguments of the call for the next page, or null at the end. */
  readonly page?: { readonly nextArguments: Arguments | null };
}

type ContentOf<Response> = Response extends { readonly content: infer Content } ? Content : never;

type JsonOf<Content> = Content extends unknown
  ? { [Type in keyof Content]: Type extends `${string}json${string}` ? Content[Type] : never }[keyof Content]
  : never;

type Known<Value> = [Value] extends [never] ? unknown : Value;
