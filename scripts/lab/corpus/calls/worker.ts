/** A process that calls the tools of one document after another. Tasks arrive as messages. */

import type { Task } from '../outcome.ts';
import { callTools } from './call.ts';

process.on('message', ({ id, ...task }: Task & { readonly id: string }) => {
  void callTools(task, id).then(
    (calls) => process.send?.({ calls, failure: null }),
    (error) => process.send?.({ calls: [], failure: error instanceof Error ? error.stack : String(error) }),
  );
});
