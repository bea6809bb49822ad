/** Lets a model answer one request with the tools of a gateway, within bounds. */

import { figure } from '../../codegen/emit/figures.ts';
import { withoutUndefined } from '../../codegen/json.ts';
import type { Outcome } from '../tools-diff/eval-results.ts';
import { type ChatModel, type ModelMessage, parseObject } from './model.ts';
import { describeAnswer, type EvalRequest, watch } from './requests.ts';
import type { OpenWorld } from './world.ts';

const MAX_TURNS = 50;
const MAX_CALLS = 1000;
const SYSTEM =
  'You do what a person asks with the functions. Nobody can answer a question of yours: decide yourself. ' +
  'When everything is done, call the function answer once, with the result alone.';
const REMINDER = 'Call the function answer with the result, or go on with the other functions.';

/** The course of one request. */
type Course = Omit<Outcome, 'key' | 'ask' | 'mode'>;

interface RunContext {
  readonly world: OpenWorld;
  readonly model: ChatModel;
  /** Tokens of answers that it may read. */
  readonly limit: number;
}

/** @throws what `ChatModel.complete` throws. */
export async function runRequest(request: EvalRequest, context: RunContext): Promise<Course> {
  const { world, model } = context;
  const judge = watch(world.sandbox, request.expect);
  const [started, spent] = [performance.now(), model.spent];
  const conversation = new Conversation(context);
  const end = await conversation.run(request);
  const why = 'why' in end ? end.why : judge(end.answer);
  const { calls, read } = conversation;
  const ms = Math.round(performance.now() - started);
  return withoutUndefined({
    completed: why === null,
    calls,
    read,
    used: model.spent - spent,
    ms,
    why: why ?? undefined,
  });
}

type End = { readonly answer: unknown } | { readonly why: string };

class Conversation {
  calls = 0;
  read = 0;
  readonly #context: RunContext;
  /** Tools by the names of their functions, which match `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly #tools = new Map<string, string>();

  constructor(context: RunContext) {
    this.#context = context;
  }

  async run({ ask, expect }: EvalRequest): Promise<End> {
    const { model, world } = this.#context;
    const value = { description: describeAnswer(expect) };
    const answer = { type: 'object', properties: { value }, required: ['value'] };
    const functions = [toFunction('answer', 'Ends the work.', answer), ...(await this.#listFunctions())];
    const system = [SYSTEM, world.client.getInstructions() ?? ''].join('\n\n').trim();
    const messages: object[] = [
      { role: 'system', content: system },
      { role: 'user', content: ask },
    ];
    let wasReminded = false;
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      const { content = null, tool_calls } = await model.complete(messages, functions);
      const calls = tool_calls ?? [];
      messages.push({ role: 'assistant', content, tool_calls: calls.length === 0 ? undefined : calls });
      const end = await this.#makeCalls(calls, messages);
      if (end !== null) return end;
      if (calls.length > 0) continue;
      if (wasReminded) return { why: 'it never called answer' };
      wasReminded = true;
      messages.push({ role: 'user', content: REMINDER });
    }
    return { why: `more than ${MAX_TURNS} turns` };
  }

  /** Makes the calls of one turn, in their order. Returns null if the conversation continues. */
  async #makeCalls(calls: NonNullable<ModelMessage['tool_calls']>, messages: object[]): Promise<End | null> {
    const { model, limit } = this.#context;
    for (const { id, function: call } of calls) {
      const args = parseObject(call.arguments || '{}');
      if (call.name === 'answer' && args !== null) return { answer: args.value };
      const content =
        args === null
          ? 'The arguments are no JSON object. Send them as the schema says.'
          : await this.#call(call.name, args);
      messages.push({ role: 'tool', tool_call_id: id, content });
      this.calls += 1;
      this.read += model.options.count(content);
      if (this.read > limit) return { why: `more than ${figure(limit)} tokens` };
      if (this.calls === MAX_CALLS) return { why: `more than ${figure(MAX_CALLS)} calls` };
    }
    return null;
  }

  /** Calls a tool and returns the text that the model reads, also for errors. */
  async #call(functionName: string, args: Readonly<Record<string, unknown>>): Promise<string> {
    const name = this.#tools.get(functionName);
    if (name === undefined) return `There is no function ${functionName}.`;
    try {
      const { world, model } = this.#context;
      const call = () => world.client.callTool({ name, arguments: args }, { signal: model.options.signal });
      // All parts are in one process: while one is busy, another's idle connection may be closed.
      const isIdle = (error: Error) => error.message === 'fetch failed';
      const { content, structuredContent } = await call().catch((error) =>
        isIdle(error) ? call() : Promise.reject(error),
      );
      const text = (content as readonly { readonly text?: string }[]).map((part) => part.text ?? '').join('\n');
      return text === '' ? JSON.stringify(structuredContent ?? {}) : text;
    } catch (error) {
      return `The call failed: ${(error as Error).message}`;
    }
  }

  async #listFunctions(): Promise<object[]> {
    const { client } = this.#context.world;
    const functions: object[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor });
      for (const { name, description = '', inputSchema } of page.tools) {
        const baseName = name.replaceAll(/[^\w-]/g, '_').slice(0, 64);
        const functionName =
          this.#tools.has(baseName) || baseName === 'answer'
            ? `${baseName.slice(0, 58)}_${this.#tools.size}`
            : baseName;
        this.#tools.set(functionName, name);
        functions.push(toFunction(functionName, description, inputSchema));
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return functions;
  }
}

function toFunction(name: string, description: string, parameters: object): object {
  return { type: 'function', function: { name, description, parameters } };
}
