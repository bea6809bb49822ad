/** Starts and controls the load generator. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** What is sent, and to which server. */
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

export type LoadMessage =
  | { readonly kind: 'open'; readonly target: LoadTarget }
  | { readonly kind: 'run'; readonly milliseconds: number }
  | { readonly kind: 'close' };

type Reply = { readonly value: LoadFigures | null } | { readonly error: string };

/** What one run measured. */
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

export interface Load {
  /** Connects the clients. @throws {Error} with the response if a client's first response is not a success. */
  open(target: LoadTarget): Promise<void>;
  /** @throws {Error} if any response is not 200. */
  run(milliseconds: number): Promise<LoadFigures>;
  close(): Promise<void>;
  stop(): Promise<void>;
}

let sent = 0;

/** The next request of a target: another id, and the headers of the next user. */
export function nextRequest({ path: target, headers, body: [before, after] }: LoadTarget) {
  sent += 1;
  return {
    method: 'POST',
    path: target,
    headers: headers[sent % headers.length] ?? {},
    body: `${before}${sent}${after}`,
  } as const;
}

/** Starts the load generator, which ends with this process. */
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
    async run(milliseconds) {
      const figures = await order({ kind: 'run', milliseconds });
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
