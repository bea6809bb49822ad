/** The drift command: reports where responses differ from their descriptors, and writes an overlay that allows them. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import type { Store } from '../../server/base/store/index.ts';
import { definitionsOf } from '../../server/call/tools/catalogue/provenance.ts';
import { loadServices, withStore } from '../../server/cli/with-store.ts';
import type { Connector } from '../../server/contract/index.ts';
import { type DriftSum, listDrift } from '../../server/modules/drift/tallies.ts';
import { addHelpTable, createCommand, wholeNumber } from '../../shared/cli/command.ts';
import { type Output, PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError, UsageError } from '../../shared/cli/run.ts';
import { updateConnector } from '../connector/update.ts';
import { loadSettings } from '../store/settings.ts';
import { buildProposal, loadOverlaid, writeOverlay } from './propose.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 40;
const MAX_ROWS = 1000;

interface DriftOptions {
  readonly days: number;
  /** Minimum number of responses for a place to be reported. */
  readonly min: number;
}

/** The surroundings of the command, for tests. */
interface DriftPlace {
  /** The folder that contains `specs/` and `generated/`. Default: this project. */
  readonly root?: string;
  /** Default: the connectors of this project. */
  readonly connectors?: () => Promise<readonly Connector[]>;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
}

/** `utg drift`. */
export function createDriftCommand(output: Output = PROCESS_OUTPUT, place: DriftPlace = {}): Command {
  const { root = process.cwd(), connectors = () => loadServices(root), now = Date.now } = place;
  const command = createCommand('drift', output)
    .usage('<command> [options]')
    .summary('where answers differ from their descriptors')
    .description(
      'Shows where answers of upstreams differ from their descriptors, by place and type, and proposes the change. The gateway ' +
        'may be running: its counts are written every minute. The database is that of the gateway: DATABASE_URL (see npm start -- --help).',
    );
  const find = (
    options: DriftOptions,
    work: (found: readonly DriftSum[], all: readonly Connector[]) => Promise<void>,
  ) =>
    withStore(loadSettings(), async (store) => {
      const all = await connectors();
      await work(await findCurrent(store, all, options, now()), all);
    });
  withOptions(command.command('list').description('Print what differs')).action((options: DriftOptions) =>
    find(options, async (found) => {
      for (const drift of found) output.out(`${toLine(drift)}\n`);
      if (found.length === 0) output.out('Every answer matched its descriptor.\n');
    }),
  );
  withOptions(
    command
      .command('propose')
      .description('Write the change into specs/<service>/overlay.yaml, generate, and print the report')
      .argument('<service>', 'name of a folder in specs/'),
  ).action((service: string, options: DriftOptions) =>
    find(options, async (found, all) => {
      const connector = all.find(({ name }) => name === service);
      const folder = path.join(root, 'specs', service);
      if (connector === undefined || !existsSync(folder)) throw new UsageError(`There is no connector ${service}.`);
      await propose({ root, folder, connector, found: found.filter((drift) => drift.service === service) }, output);
    }),
  );
  return addHelpTable(command, 'Examples', {
    'utg drift list': 'what differs with the current definitions',
    'utg drift propose crm --min 20': 'an overlay for what at least 20 answers showed, and its report',
  });
}

function withOptions(command: Command): Command {
  return command
    .option('--days <n>', `number of days up to today, 1 to ${MAX_DAYS}`, wholeNumber(1, MAX_DAYS), 30)
    .option('--min <n>', 'leave out what fewer answers showed', wholeNumber(1), 5);
}

/** Drift from the current definitions only: a definition that changed since may already allow it. */
async function findCurrent({ db }: Store, connectors: readonly Connector[], options: DriftOptions, now: number) {
  const definitions = new Set(connectors.flatMap((connector) => [...definitionsOf(connector).values()]));
  const drifts = await listDrift(db, { since: now - options.days * DAY_MS, limit: MAX_ROWS });
  return drifts.filter(({ definition, answers }) => definitions.has(definition) && answers >= options.min);
}

function toLine({ tool, place, found, keyword, answers }: DriftSum): string {
  return `${tool}  ${place === '' ? '(the whole answer)' : place}  found ${found}, refused by "${keyword}"  answers: ${answers}`;
}

async function propose(
  given: {
    readonly root: string;
    readonly folder: string;
    readonly connector: Connector;
    readonly found: readonly DriftSum[];
  },
  output: Output,
): Promise<void> {
  const { root, folder, connector, found } = given;
  const service = connector.name;
  if (found.length === 0) {
    output.out(`Nothing to propose: the answers of ${service} match its descriptor.\n`);
    return;
  }
  const { actions, left } = buildProposal(await loadOverlaid(root, service), connector, found);
  for (const { drift, why } of left) output.err(`Left: ${toLine(drift)}: ${why}.\n`);
  if (actions.length === 0) {
    output.out(
      `Nothing to propose: what ${service} answers is already in its overlay, or has no place in its descriptor.\n`,
    );
    return;
  }
  const name = await writeOverlay(folder, connector.title, actions);
  output.out(`specs/${service}/${name}: ${actions.length} actions added.\n`);
  const isDone = await updateConnector({ root, service, source: null, isKept: true, allowPrivate: false }, output);
  if (!isDone) throw new FailureError();
}
