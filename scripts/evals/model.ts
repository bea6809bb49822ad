/** A model behind an endpoint of OpenAI's chat completions. Sends a conversation, retries if that can help, and counts tokens. */

import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { figure } from '../../codegen/emit/figures.ts';
import type { CountTokens } from '../../codegen/emit/tool-size.ts';
import { isRecord, toRecord } from '../../codegen/json.ts';
import { isLoopbackHostname } from '../../server/base/http/loopback.ts';
import { UsageError } from '../../shared/cli/run.ts';

const MAX_WRITTEN_TOKENS = 8_192;
const MAX_ATTEMPTS = 5;
const MAX_WAIT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 180_000;

const callSchema = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const messageSchema = z.looseObject({ content: z.string().nullish(), tool_calls: z.array(callSchema).nullish() });
const completionSchema = z.looseObject({
  choices: z.array(z.looseObject({ message: messageSchema })).min(1),
  usage: z.looseObject({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
});

/** The message of a model in one turn. */
export type ModelMessage = z.infer<typeof messageSchema>;

/** The endpoint refused, did not answer after some attempts, or is not asked because that could pass the bound of tokens. */
export class ModelError extends Error {}

interface ModelOptions {
  /** From `requireModelUrl`. */
  readonly url: string;
  readonly model: string;
  /** The bearer token of requests. Undefined for an endpoint without a token. */
  readonly key: string | undefined;
  /** Tokens that it may read and write in all. */
  readonly maxTokens: number;
  /** Tokens of a value, in o200k_base. */
  readonly count: CountTokens;
  /** Cancels requests that wait for the model. */
  readonly signal: AbortSignal;
  /** The wait before the second attempt, in milliseconds, where the endpoint says none; each next one is twice as long. Default: 1000. */
  readonly firstWaitMs?: number;
}

/**
 * Returns the base URL of an endpoint.
 *
 * @throws {UsageError} unless it is https, or http on this machine, and holds no secret.
 */
export function requireModelUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopbackHostname(url.hostname)))
    throw new UsageError('--model-url is an https URL, or an http URL of this machine.');
  if (url.username + url.password + url.search + url.hash !== '')
    throw new UsageError('--model-url has no user, query or fragment: the key comes from MODEL_API_KEY.');
  return url.href.replace(/\/$/, '');
}

export class ChatModel {
  readonly options: ModelOptions;
  readonly #counted = new WeakMap<object, number>();
  /** Tokens of this model per token of o200k_base. The ratio only grows. */
  #ratio = 1;

  /** Tokens read and written so far, as reported by the endpoint, or counted here if it reports nothing. */
  spent: number;

  constructor(options: ModelOptions, spent: number) {
    this.options = options;
    this.spent = spent;
  }

  /** @throws {ModelError} */
  async complete(messages: readonly object[], tools: readonly object[]): Promise<ModelMessage> {
    const { model, maxTokens, signal, firstWaitMs = 1000 } = this.options;
    const countedTokens = [...messages, ...tools].reduce((sum, each) => sum + this.#count(each), 0);
    const body = JSON.stringify({ model, messages, tools, max_completion_tokens: MAX_WRITTEN_TOKENS });
    for (let attempt = 1; ; attempt += 1) {
      const sentTokens = Math.ceil(countedTokens * this.#ratio);
      if (this.spent + sentTokens + MAX_WRITTEN_TOKENS > maxTokens)
        throw new ModelError(`The next turn could pass ${figure(maxTokens)} tokens (--max-tokens).`);
      const { status, text, waitMs = firstWaitMs * 2 ** (attempt - 1) } = await this.#post(body);
      if (status === 200) return this.#read(text, countedTokens);
      // What got no answer may have been read.
      if (status === 0) this.spent += sentTokens;
      const isTransient = status === 0 || status === 429 || status >= 500;
      if (!isTransient || attempt === MAX_ATTEMPTS || waitMs > MAX_WAIT_MS) throw this.#failure(status, text);
      await delay(waitMs, undefined, { signal });
    }
  }

  /** Sends a request. If there was no answer, the status is 0 and `text` says why. */
  async #post(body: string): Promise<{ status: number; text: string; waitMs?: number }> {
    const { url, key, signal } = this.options;
    const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    try {
      const response = await fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...authorization },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
      });
      const retryAfter = response.headers.get('Retry-After') ?? '';
      const waitMs = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
      const answer = { status: response.status, text: await response.text() };
      return Number.isNaN(waitMs) ? answer : { ...answer, waitMs: Math.max(0, waitMs) };
    } catch (error) {
      signal.throwIfAborted();
      const { message, cause } = error as Error;
      return {
        status: 0,
        text: JSON.stringify({ error: { message: cause instanceof Error ? cause.message : message } }),
      };
    }
  }

  #read(text: string, countedTokens: number): ModelMessage {
    const { data } = completionSchema.safeParse(parseObject(text));
    const message = data?.choices[0]?.message;
    if (data === undefined || message === undefined)
      throw new ModelError('The model endpoint answered with no chat completion.');
    const { usage } = data;
    if (usage) this.#ratio = Math.max(this.#ratio, usage.prompt_tokens / countedTokens);
    this.spent += usage ? usage.prompt_tokens + usage.completion_tokens : countedTokens + this.#count(message);
    return message;
  }

  #failure(status: number, text: string): ModelError {
    const { message } = toRecord(toRecord(parseObject(text)).error);
    const reason =
      typeof message === 'string'
        ? `: ${message
            .replaceAll(this.options.key ?? '\0', '***')
            .slice(0, 300)
            .replace(/\.?$/, '.')}`
        : '.';
    return new ModelError(`The model endpoint ${status === 0 ? 'does not answer' : `answers ${status}`}${reason}`);
  }

  #count(value: object): number {
    const tokens = this.#counted.get(value) ?? this.options.count(value);
    this.#counted.set(value, tokens);
    return tokens;
  }
}

/** Returns null if the text is not a JSON object. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
