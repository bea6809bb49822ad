/** A user's request, played through the gateway by a reader who knows only the tools. */

/** One tool call: its structured content. An error of the tool is thrown with its text, as `ToolRefusal`. */
export type CallTool = (name: string, args?: Readonly<Record<string, unknown>>) => Promise<Content>;

export type Content = Readonly<Record<string, unknown>>;

/** What a model reads when a tool fails. */
export class ToolRefusal extends Error {}

export interface Journey {
  /** What the user types. */
  readonly request: string;
  /** Words of `tools/list` that the steps rely on, by tool: in its description or those of its arguments. */
  readonly words: Readonly<Record<string, readonly string[]>>;
  /** The answers of the service, by request: `GET /path?query`, or `POST /path {"body":1}`. Other requests get 404. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Calls tools by the request, the words and earlier answers. Returns the reply to the user. */
  readonly steps: (call: CallTool) => Promise<unknown>;
  /** The expected reply to the user. */
  readonly outcome: unknown;
  /** The requests that the service must receive, in order. Default: those of `answers`. */
  readonly sent?: readonly string[];
}

/** The items of all pages, as `page.nextArguments` leads from one to the next. */
export async function allItems(call: CallTool, tool: string, args: Content, member = 'data'): Promise<Content[]> {
  const items: Content[] = [];
  let next: Content | null = args;
  while (next !== null) {
    const answer: Content = await call(tool, next);
    items.push(...(answer[member] as Content[]));
    next = (answer.page as { readonly nextArguments: Content | null }).nextArguments;
  }
  return items;
}

/** The one item whose member has the value. @throws {Error} where there is none, or more than one. */
export function findBy(items: readonly Content[], member: string, value: unknown): Content {
  const found = items.filter((item) => item[member] === value);
  if (found.length !== 1) throw new Error(`${found.length} items have ${member} = ${String(value)}`);
  return found[0] ?? {};
}
