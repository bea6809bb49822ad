/** A `fetch` for libraries that read whole answers: it ends those that are too large. */

import type { Outgoing } from './outgoing.ts';

/** Returns the `fetch` of a sender with a limit. Reading the body of a larger answer fails, and the connection is closed. */
export function limitAnswers(outgoing: Outgoing, maxBytes: number): Outgoing['fetch'] {
  return async (url, init) => {
    const answer = await outgoing.fetch(url, init);
    if (answer.body === null) return answer;
    let bytes = 0;
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) controller.error(new Error(`the answer is larger than ${maxBytes} bytes`));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = answer;
    return new Response(answer.body.pipeThrough(limit), { status, statusText, headers });
  };
}
