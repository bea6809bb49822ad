/** Starts the load generator, and gives it orders. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** What is sent, and where to. */
export interface LoadTarget {
  /** Servers; clients are spread over them. */
  readonly origins: readonly string[];
  /** Request lines with headers, of requests in turn: one for each user or session. */
  readonly heads: readonly string[];
  /** The body before and after the nine digits of its id. */
  readonly body: readonly [before: string, after: string];
  /** Each on a connection of its own that is kept. */
  readonly clients: number;
}

export type LoadMessage =
  | { readonly kind: 'open'; readonly target: LoadTarget }
  | { readonly kind: 'run'; readonly milliseconds?: number; readonly requests?: number }
  | { readonly kind: 'close' };

type Reply = { readonly value: LoadFigures | null } | { readonly error: string };

/** What one run saw. */
export interface LoadFigures {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds from the request's first byte to the answer's last. */
  readonly p50: number;
  readonly p99: number;
  /** Part of one core that the generator itself used, 0 to 1: above about 0.9 it is what was measured. */
  readonly share: number;
  /** Bytes of the body of an answer. */
  readonly answerBytes: number;
}

export interface Load {
  /** Connects the clients. @throws {Error} with the answer, where the first answer to one of them is no success. */
  open(target: LoadTarget): Promise<void>;
  /** @throws {Error} where any answer is not 200. */
  run(until: { readonly milliseconds: number } | { readonly requests: number }): Promise<LoadFigures>;
  close(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it. It ends with this process. */
export function startLoad(): Load {
  const child = fork(path.join(import.meta.dirname, 'load.ts'), { env: { ...process.env, NODE_OPTIONS: '' } });
  const ended = once(child, 'exit');
  const lost = ended.then(() => Promise.reject(new Error('the load generator has ended')));
  lost.catch(() => {});
  const order = async (message: LoadMessage): Promise<LoadFigures | null> => {
    child.send(message);
    const [reply] = (await Promise.race([once(child, 'message'), lost])) as [Reply];
    if ('error' in reply) throw new Error(reply.error);
    return reply.value;
  };
  return {
    async open(target) {
      await order({ kind: 'open', target });
    },
    async run(until) {
      const figures = await order({ kind: 'run', ...until });
      if (figures === null) throw new Error('the load generator said nothing');
      return figures;
    },
    async close() {
      await order({ kind: 'close' });
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
