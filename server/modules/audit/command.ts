/** The audit command: verifies and exports the audit trail. */

import { readFile, rename, writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { addHelpTable, createCommand } from '../../../shared/cli/command.ts';
import { requireFolderOf } from '../../../shared/cli/folders.ts';
import { type Output, PROCESS_OUTPUT } from '../../../shared/cli/output.ts';
import { FailureError } from '../../../shared/cli/run.ts';
import type { Store } from '../../base/store/index.ts';
import { loadSettings, requireKeyRing, withStore } from '../../cli/with-store.ts';
import type { AnyModule } from '../../module.ts';
import { readAuditEvents } from './export.ts';
import { loadAuditKeys } from './keys.ts';
import { type AuditVerdict, verifyAuditTrail } from './verify.ts';
import type { ChainHead } from './verify-chain.ts';

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
    .description('Report which events were changed, added or removed, other than by retention')
    .option(
      '--heads <file>',
      'compare with the ends of chains in this file, such as lines of the log, then write the current ones into it',
    )
    .action((options: { readonly heads?: string }) => {
      if (options.heads !== undefined) requireFolderOf(options.heads, '--heads');
      const config = loadSettings(modules);
      const ring = requireKeyRing(config);
      return withStore(config, async (store) => {
        const { keys } = await loadAuditKeys(store.db, ring);
        const heads = options.heads === undefined ? [] : await readHeads(options.heads);
        const verdict = await verifyAuditTrail(store.db, keys, heads);
        print(verdict, output);
        if (verdict.problems.length > 0) throw new FailureError();
        if (options.heads !== undefined) await writeHeads(options.heads, verdict);
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
    'utg audit verify --heads ../heads': 'regularly, with a file that the gateway cannot write',
    'utg audit export > events.jsonl': 'every event',
  });
}

function print({ chains, problems }: AuditVerdict, { out, err }: Output): void {
  for (const { number, node, events, removed, head } of chains) {
    const gone = removed === 0 ? '' : `, ${removed} before them removed by retention`;
    out(`chain ${number}  ${node ?? '(missing)'}  intact events: ${events}${gone}  head: ${head.seq} ${head.mac}\n`);
  }
  for (const problem of problems) err(`BROKEN ${problem}.\n`);
  if (problems.length === 0) out('The audit trail is intact.\n');
}

/** Writes each event as one line of JSON. */
async function exportEvents({ db }: Store, filter: ExportOptions, { out }: Output): Promise<void> {
  for await (const { created_at: createdAt, details, ...event } of readAuditEvents(db, filter)) {
    out(`${JSON.stringify({ time: new Date(createdAt).toISOString(), ...event, details: parsed(details) })}\n`);
  }
}

/** Someone may have replaced the details with text that is not JSON. */
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

const HEAD = z.object({ chain: z.int().min(1), seq: z.int().min(0), mac: z.string() });

/** @returns an empty list if the file does not exist. @throws {FailureError} if the file contains anything else. */
async function readHeads(file: string): Promise<ChainHead[]> {
  try {
    const text = await readFile(file, 'utf8');
    return text.split('\n').flatMap((line) => (line === '' ? [] : [HEAD.parse(JSON.parse(line))]));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    if (error instanceof z.ZodError || error instanceof SyntaxError) {
      throw new FailureError(`${file} does not contain the ends of chains. Name another file.`);
    }
    throw error;
  }
}

/** Replaces the whole file. */
async function writeHeads(file: string, { chains }: AuditVerdict): Promise<void> {
  const lines = chains.map(({ head }) => `${JSON.stringify(head)}\n`);
  await writeFile(`${file}.new`, lines.join(''), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
