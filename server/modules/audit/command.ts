/** The audit command: verifies and exports the audit trail. */

import { type Command, InvalidArgumentError } from 'commander';
import { addHelpTable, createCommand } from '../../../shared/cli/command.ts';
import { type Output, PROCESS_OUTPUT } from '../../../shared/cli/output.ts';
import { FailureError } from '../../../shared/cli/run.ts';
import type { Store } from '../../base/store/index.ts';
import { loadSettings, requireKeyRing, withStore } from '../../cli/with-store.ts';
import type { AnyModule } from '../../module.ts';
import { loadAuditKeys } from './keys.ts';
import { readAuditEvents, timeOf } from './read.ts';
import { type AuditVerdict, verifyAuditTrail } from './verify.ts';

const OTHER_KEYS = 'The audit trail was signed with other keys. Set ENCRYPTION_KEYS as the gateway has it.';

interface ExportOptions {
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly until?: number;
}

/** `utg audit`. */
export function createAuditCommand(modules: readonly AnyModule[], output = PROCESS_OUTPUT): Command {
  const command = createCommand('audit', output)
    .usage('<command> [options]')
    .summary('verify and export the audit trail')
    .description(
      'Verifies and exports the audit trail. The gateway may be running. Database and keys are those of the ' +
        'gateway: DATABASE_URL and ENCRYPTION_KEYS (see npm start -- --help).',
    );
  command
    .command('verify')
    .description('Report each event that was changed, or that no gateway recorded. A removed event does not show')
    .action(() => {
      const config = loadSettings(modules);
      const ring = requireKeyRing(config);
      return withStore(config, async ({ db }) => {
        const { keys, isForeign } = await loadAuditKeys(db, ring);
        if (isForeign) throw new FailureError(OTHER_KEYS);
        const verdict = await verifyAuditTrail(db, keys);
        print(verdict, output);
        if (verdict.problems.length > 0) throw new FailureError();
      });
    });
  command
    .command('export')
    .description('Write every event as one line of JSON, oldest first')
    .option('--since <time>', 'only events from this time on, such as 2026-01-31 or 2026-01-31T12:00:00Z', parseTime)
    .option('--until <time>', 'only events before this time', parseTime)
    .action((options: ExportOptions) =>
      withStore(loadSettings(modules), (store) => exportEvents(store, options, output)),
    );
  return addHelpTable(command, 'Examples', {
    'utg audit verify': 'regularly',
    'utg audit export > events.jsonl': 'every event',
  });
}

function print({ verified, problems }: AuditVerdict, { out, err }: Output): void {
  for (const problem of problems) err(`BROKEN ${problem}.\n`);
  out(`Events as a gateway recorded them: ${verified.toLocaleString('en')}\n`);
  if (problems.length === 0) {
    out('None was changed or invented. Removed events show only where a copy is kept: docs/guides/monitoring.md.\n');
  }
}

/** Writes each event as one line of JSON. */
async function exportEvents({ db }: Store, filter: ExportOptions, { out }: Output): Promise<void> {
  for await (const event of readAuditEvents(db, filter)) {
    const { created_at: _, details, ...members } = event;
    out(`${JSON.stringify({ time: timeOf(event), ...members, details: parsed(details) })}\n`);
  }
}

/** Parses the details. Returns them as text if someone has replaced them with text that is not JSON. */
function parsed(details: string): unknown {
  try {
    return JSON.parse(details);
  } catch {
    return details;
  }
}

function parseTime(text: string): number {
  const time = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError('Use a date, or a time with a time zone.');
  return time;
}
