/** Questions between the primary process of a gateway and one of its workers, over the channel that Node opens between them. */

import type { CountedUses, Uses } from '../store/repositories/limits/rate-limits.ts';

/** The questions that workers and the primary process may ask, by topic: the question, and its answer. */
interface Questions {
  /** A worker: who am I? */
  readonly join: [null, WorkerInfo];
  /** A worker: I listen. */
  readonly ready: [null, null];
  /** The primary: stop as on a signal. */
  readonly stop: [null, null];
  /** A worker: add uses to counts of all workers. */
  readonly count: [{ readonly of: CountsKind; readonly uses: readonly Uses[] }, [string, CountedUses][]];
  /** A worker takes a slot. The answer is null if none is free. */
  readonly take: [{ readonly connectionId: string; readonly count: number; readonly until: number }, number | null];
  /** A worker: give a slot back. */
  readonly release: [number, null];
  /** A worker: tell all others; the primary: hear what another worker tells. */
  readonly tell: [{ readonly topic: string; readonly news: unknown }, null];
  /** A worker: ask all workers, this one too. */
  readonly gather: [string, WorkerAnswer[]];
  /** The primary: answer what a worker gathers. */
  readonly report: [string, unknown];
}

/** Counts that the primary keeps: those of rate limits, and those of turns at upstreams. */
export type CountsKind = 'limits' | 'turns';

/** The place of a worker in its gateway. */
export interface WorkerInfo {
  /** Random; the same for all workers. */
  readonly gatewayId: string;
  /** From 1. A worker that replaces another has its number. */
  readonly number: number;
  readonly count: number;
  /** The gateway starts with this worker, and with the others once it listens. */
  readonly isFirst: boolean;
}

/** The answer of one worker. */
export interface WorkerAnswer {
  readonly worker: number;
  readonly answer: unknown;
}

type Topic = keyof Questions;
type Answerer<T extends Topic> = (question: Questions[T][0]) => Promise<Questions[T][1]>;

type Message =
  | { readonly asked: number; readonly topic: Topic; readonly question: unknown }
  | { readonly answered: number; readonly answer?: unknown; readonly problem?: string };

/** One end of a channel. */
export class Channel {
  readonly #send: (messages: readonly Message[]) => void;
  readonly #answerers = new Map<Topic, (question: never) => Promise<unknown>>();
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  #lastQuestionId = 0;
  #unsent: Message[] = [];

  /** @param listen calls its argument with what the other end sends. */
  constructor(
    send: (messages: readonly Message[]) => void,
    listen: (hear: (messages: readonly Message[]) => void) => void,
  ) {
    this.#send = send;
    listen((messages) => {
      // A process manager may send texts of its own.
      if (Array.isArray(messages)) for (const message of messages) this.#hear(message);
    });
  }

  /** Answers questions of one topic. */
  answer<T extends Topic>(topic: T, answerer: Answerer<T>): void {
    this.#answerers.set(topic, answerer);
  }

  /** Rejects when the other end cannot answer, or has ended. */
  ask<T extends Topic>(topic: T, question: Questions[T][0]): Promise<Questions[T][1]> {
    this.#lastQuestionId += 1;
    const open = Promise.withResolvers<unknown>();
    this.#open.set(this.#lastQuestionId, open);
    this.#post({ asked: this.#lastQuestionId, topic, question });
    return open.promise as Promise<Questions[T][1]>;
  }

  /** Says something that needs no answer. */
  tell<T extends Topic>(topic: T, question: Questions[T][0]): void {
    this.ask(topic, question).catch(() => {});
  }

  /** The other end has ended. */
  close(): void {
    for (const { reject } of this.#open.values()) reject(new Error('the other process has ended'));
    this.#open.clear();
  }

  /** Messages of one turn of the event loop are sent together: each use of the channel costs a call more than its text. */
  #post(message: Message): void {
    this.#unsent.push(message);
    if (this.#unsent.length > 1) return;
    setImmediate(() => {
      const messages = this.#unsent;
      this.#unsent = [];
      this.#send(messages);
    });
  }

  #hear(message: Message): void {
    if ('asked' in message) {
      this.#answer(message.topic, message.question).then(
        (answer) => this.#post({ answered: message.asked, answer }),
        (error: unknown) => this.#post({ answered: message.asked, problem: String(error) }),
      );
      return;
    }
    const open = this.#open.get(message.answered);
    this.#open.delete(message.answered);
    if (message.problem === undefined) open?.resolve(message.answer);
    else open?.reject(new Error(message.problem));
  }

  async #answer(topic: Topic, question: unknown): Promise<unknown> {
    const answerer = this.#answerers.get(topic);
    if (answerer === undefined) throw new Error(`nobody answers ${topic}`);
    return answerer(question as never);
  }
}
