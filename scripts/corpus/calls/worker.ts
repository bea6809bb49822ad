/** A process that calls the tools of documents one after another. Tasks come as messages. */

import type { Task } from '../outcome.ts';
import { callTools } from './call.ts';

process.on('message', ({ id, ...task }: Task & { readonly id: string }) => {
  void callTools(task, id).then(
    (calls) => process.send?.({ calls, failure: null }),
    (error) => process.send?.({ calls: [], failure: error instanceof Error ? error.stack : String(error) }),
  );
});
