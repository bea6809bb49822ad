/**
 * Questions of MCP servers that wait for their user on a page, and the answers until the call is made again. Both are sealed, and kept for minutes.
 *
 * An answer is for one call: of the same user and client, with the same arguments. It is used once.
 */

import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { EncryptionKey } from '../../../base/credentials/index.ts';
import { createValueSealer, type ValueSealer } from '../../../base/credentials/sealed-value.ts';
import { digestOf, hashSecret } from '../../../base/principal/secrets.ts';
import {
  countSingleUseCodes,
  peekSingleUseCode,
  removeSingleUseCode,
  replaceSingleUseCode,
} from '../../../base/store/repositories/single-use-codes.ts';
import { lockUser } from '../../../base/store/repositories/users.ts';
import type { Database, Executor } from '../../../base/store/schema.ts';
import type { McpQuestions } from '../../upstream/index.ts';
import type { CallToResume } from '../ask-user.ts';
import { isObject, stableJson } from '../json.ts';
import { readFields } from './fields.ts';

/** Time in which the user must answer, and then the client must call again, in milliseconds. */
export const QUESTION_TTL_MS = 600_000;
/** Questions of one user that wait at a time. */
const MAX_WAITING = 20;
/** Characters of the JSON of all questions of one call. */
const MAX_CHARS = 64 * 1024;

const QUESTION = z.object({
  service: z.string(),
  tool: z.string(),
  /** JSON of the arguments of the call. */
  arguments: z.string(),
  grantId: z.string().nullable(),
  clientId: z.string().nullable(),
  /** Milliseconds since 1970. */
  askedAt: z.number(),
  requests: z.record(z.string(), z.record(z.string(), z.unknown())),
  state: z.string().optional(),
  /** Names the call that uses the answers. */
  answersHash: z.string(),
});

/** A question that waits, with the call that asks it. */
export type WaitingQuestion = Readonly<z.output<typeof QUESTION>> & {
  /** Names the question in the address of its page. */
  readonly id: string;
  /** Names what the server asks: another question to the same call has another digest, the same one asked again has not. */
  readonly digest: string;
};

/** Answers of a user, and the state of the server to which they belong. */
export interface StoredAnswers {
  /** By the server's keys. */
  readonly responses: Readonly<Record<string, unknown>>;
  readonly state?: string | undefined;
}

/** Dependencies of the store of questions. */
export interface QuestionStoreOptions {
  readonly db: Kysely<Database>;
  readonly keys: readonly EncryptionKey[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The questions that wait for users. */
export class QuestionStore {
  readonly #db: Kysely<Database>;
  readonly #sealer: ValueSealer;
  readonly #now: () => number;

  constructor({ db, keys, now }: QuestionStoreOptions) {
    this.#db = db;
    this.#now = now;
    this.#sealer = createValueSealer({ keys, purpose: 'question of a server' });
  }

  /**
   * Stores the questions of a call, in place of earlier ones of the same call.
   *
   * @returns the id, or undefined if a page cannot show them, or too many wait.
   */
  async add(call: CallToResume, service: string, questions: McpQuestions): Promise<string | undefined> {
    const { principal, tool, args, now } = call;
    const { userId, grantId, clientId } = principal;
    const { requests, state } = questions;
    if (!Object.values(requests).every(isShowable)) return undefined;
    if (JSON.stringify(questions).length > MAX_CHARS) return undefined;
    const argumentsJson = stableJson(args);
    // The page shows the whole call.
    if (argumentsJson.length > MAX_CHARS) return undefined;
    const id = this.#hashOf('question', call);
    const question = {
      service,
      tool,
      arguments: argumentsJson,
      grantId,
      clientId,
      askedAt: now,
      requests,
      state,
      answersHash: this.#hashOf('answers', call),
    };
    const expiresAt = now + QUESTION_TTL_MS;
    const payload = this.#sealer.seal(question, { holder: `${userId} ${id}`, expiresAt });
    return this.#db.transaction().execute(async (transaction) => {
      await lockUser(transaction, userId);
      const code = { codeHash: id, purpose: 'question', userId, payload, now, expiresAt };
      const waiting = await countSingleUseCodes(transaction, code);
      if (waiting >= MAX_WAITING && (await peekSingleUseCode(transaction, code)) === undefined) return undefined;
      await replaceSingleUseCode(transaction, code);
      return id;
    });
  }

  /** True if a question waits for its answer. */
  async isWaiting(id: string): Promise<boolean> {
    return (await peekSingleUseCode(this.#db, { codeHash: id, purpose: 'question', now: this.#now() })) !== undefined;
  }

  /** Finds a question of a user. */
  async find(userId: string, id: string): Promise<WaitingQuestion | undefined> {
    const now = this.#now();
    const row = await peekSingleUseCode(this.#db, { codeHash: id, purpose: 'question', now });
    if (row?.userId !== userId) return undefined;
    const opened = QUESTION.safeParse(this.#sealer.open(String(row.payload), { holder: `${userId} ${id}`, now }));
    if (!opened.success) return undefined;
    return { ...opened.data, id, digest: digestOf(stableJson(opened.data.requests)) };
  }

  /**
   * Stores the answers to a question, once. Needs a transaction.
   *
   * @returns false if it waits no more.
   */
  async answer(
    transaction: Executor,
    { id, answersHash, state }: WaitingQuestion,
    { userId, responses }: { readonly userId: string; readonly responses: StoredAnswers['responses'] },
  ): Promise<boolean> {
    const now = this.#now();
    if ((await removeSingleUseCode(transaction, { codeHash: id, purpose: 'question', now })) === undefined)
      return false;
    const expiresAt = now + QUESTION_TTL_MS;
    const payload = this.#sealer.seal({ responses, state }, { holder: answersHash, expiresAt });
    await replaceSingleUseCode(transaction, {
      codeHash: answersHash,
      purpose: 'answers',
      userId,
      payload,
      now,
      expiresAt,
    });
    return true;
  }

  /** Returns the answers of the user to what this call asked before, once. */
  async takeAnswers(call: CallToResume): Promise<StoredAnswers | undefined> {
    const codeHash = this.#hashOf('answers', call);
    const row = await removeSingleUseCode(this.#db, { codeHash, purpose: 'answers', now: call.now });
    const answers = row && this.#sealer.open(String(row.payload), { holder: codeHash, now: call.now });
    return isObject(answers) ? (answers as unknown as StoredAnswers) : undefined;
  }

  #hashOf(purpose: 'question' | 'answers', { principal, tool, args }: CallToResume): string {
    const { partnerId, userId, grantId, tokenId } = principal;
    const caller = grantId === null ? ['token', tokenId] : ['grant', grantId];
    return hashSecret(this.#db, stableJson([purpose, partnerId, userId, caller, tool, args]));
  }
}

/** The store of questions, and the addresses of their pages. */
export interface QuestionPages {
  readonly store: QuestionStore;
  urlOf(id: string): string;
}

/** Returns the address of the page that a question leads to. Null if it leads to none that may be shown. */
export function pageOf({ url }: Readonly<Record<string, unknown>>): URL | null {
  const address = typeof url === 'string' ? URL.parse(url) : null;
  const isPlain = address?.protocol === 'https:' && address.username === '' && address.password === '';
  return isPlain ? address : null;
}

function isShowable(request: Readonly<Record<string, unknown>>): boolean {
  const { mode = 'form', requestedSchema } = request;
  if (mode === 'url') return pageOf(request) !== null;
  return mode === 'form' && readFields(requestedSchema) !== null;
}
