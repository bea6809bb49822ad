/** Starts and controls the load generator, a separate process that ends with this one. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The requests, and the server that they go to. */
export interface LoadTarget {
  readonly origin: string;
  readonly path: string;
  /** Headers of requests, used in turn: those of one user or session each. */
  readonly headers: readonly Readonly<Record<string, string>>[];
  /** The body before and after its request id. */
  readonly body: readonly [before: string, after: string];
  /** Each keeps its own connection open. */
  readonly clients: number;
}

/** How long requests are sent. */
export interface LoadRun {
  /** Default: no limit. */
  readonly milliseconds?: number;
  /** Requests of all clients together. Default: no limit. */
  readonly requests?: number;
  /** Requests a second. Default: each client sends its next request when the last one is answered. */
  readonly rate?: number | undefined;
}

/** Opens a target, or sends requests to it. */
export type LoadOrder = LoadTarget | LoadRun;
export type LoadReply = { readonly figures?: LoadFigures } | { readonly error: string };

export interface LoadFigures {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds from the first byte of the request to the last byte of the response. */
  readonly p50: number;
  readonly p99: number;
  /** Share of one core that the generator used, 0 to 1: above about 0.9, the run measured the generator. */
  readonly share: number;
  /** Bytes of a response body. */
  readonly answerBytes: number;
}

export interface LoadGenerator {
  /** Connects the clients instead of earlier ones. @throws {Error} with the response if a client's first response is not a success. */
  open(target: LoadTarget): Promise<void>;
  /** @throws {Error} if any response is not 200. */
  run(run: LoadRun): Promise<LoadFigures>;
  stop(): Promise<void>;
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(path.join(import.meta.dirname, 'load.ts'), { env: { ...process.env, NODE_OPTIONS: '' } });
  const ended = once(child, 'exit');
  const order = async (message: LoadOrder): Promise<LoadFigures | undefined> => {
    child.send(message);
    const [reply] = (await Promise.race([once(child, 'message'), ended])) as [LoadReply | number | null];
    if (reply === null || typeof reply === 'number') throw new Error('The load generator has ended.');
    if ('error' in reply) throw new Error(reply.error);
    return reply.figures;
  };
  return {
    async open(target) {
      await order(target);
    },
    async run(run) {
      const figures = await order(run);
      if (figures === undefined) throw new Error('The load generator measured nothing.');
      return figures;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
