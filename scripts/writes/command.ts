/** The writes command: stops everything that writes on every gateway of the store, and allows it again. */

import type { Command } from 'commander';
import type { Store } from '../../server/base/store/index.ts';
import { readWritingStopped, setWritingStopped } from '../../server/base/store/repositories/switches.ts';
import { createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { withOpenStore } from '../store/settings.ts';

/** `utg writes`. */
export function createWritesCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('writes', output)
    .usage('<command>')
    .summary('stop everything that writes, at once')
    .description(
      'Stops the calls of every tool that writes, deletes, sends or pays, for all users, on every gateway of the store, from the ' +
        'next call on. Tools that read still work. The gateway may be running. The database is that of the gateway: DATABASE_URL ' +
        '(see npm start -- --help).',
    );
  command
    .command('stop')
    .description('Refuse every call that writes')
    .action(withOpenStore(change(true)));
  command
    .command('resume')
    .description('Let calls write again')
    .action(withOpenStore(change(false)));
  command.command('status').description('Print whether calls may write').action(withOpenStore(status));
  return command;
}

const change = (isStopped: boolean) => async (store: Store) => {
  await store.db.transaction().execute((transaction) => setWritingStopped(transaction, isStopped, { now: Date.now() }));
  await status(store);
};

async function status({ db }: Store): Promise<void> {
  const stoppedAt = await readWritingStopped(db);
  console.log(
    stoppedAt === null ? 'Calls may write.' : `Writing is stopped since ${new Date(stoppedAt).toISOString()}.`,
  );
}
