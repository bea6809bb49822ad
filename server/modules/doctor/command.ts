/** The doctor command: reports what is wrong with a gateway, and how to fix it. */

import { styleText } from 'node:util';
import { type Command, InvalidArgumentError } from 'commander';
import { addHelpTable, createCommand, wholeNumber } from '../../../shared/cli/command.ts';
import { type Output, PROCESS_OUTPUT } from '../../../shared/cli/output.ts';
import { FailureError, UsageError } from '../../../shared/cli/run.ts';
import { type CheckResult, count, error, type Finding, ok, skipped } from '../../base/checks.ts';
import { createReach } from '../../base/guarded-fetch/reach.ts';
import type { Resolve } from '../../base/guarded-fetch/resolver.ts';
import { loadConnectors, NoConnectorsError } from '../../call/tools/catalogue/connectors.ts';
import { findOneUser } from '../../cli/find-user.ts';
import { findKeys } from '../../cli/with-store.ts';
import { processEnvironment } from '../../config/index.ts';
import type { Connector } from '../../contract/index.ts';
import type { AnyModule } from '../../module.ts';
import { describeOldNode } from '../../node-version.ts';
import { toJson } from './json.ts';
import { type Inside, planChecks } from './plan.ts';
import { runChecks } from './run-checks.ts';
import { checkReviewed, hasSettings, readSettings } from './settings.ts';
import { inspectStore } from './store/inspect.ts';

const TIMEOUT_SECONDS = 15;

interface DoctorOptions {
  /** An origin. */
  readonly url?: string;
  readonly json?: boolean;
  /** Time limit of one check, in seconds. */
  readonly timeout: number;
  readonly verifyAs?: string;
  readonly partner?: string;
}

/** Dependencies that tests replace. */
export interface Surroundings {
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the generated connectors. */
  readonly connectors?: readonly Connector[];
  readonly resolve?: Resolve;
  readonly ca?: string;
}

const NOT_HERE = skipped(
  'no setting of a gateway is here, so only the checks from outside run; without --url, those from inside run too',
);

const COLORS = { ok: 'green', warning: 'yellow', error: 'red', skipped: 'gray' } as const;

/** `utg doctor`. */
export function createDoctorCommand(
  modules: readonly AnyModule[],
  output = PROCESS_OUTPUT,
  surroundings: Surroundings = {},
): Command {
  const command = createCommand('doctor', output)
    .summary('find what is wrong with a gateway, and how to fix it')
    .description(
      'Checks the gateway from inside (settings, store, keys, services) and from outside, as clients see it. It changes ' +
        'nothing, and works with or without a running gateway. On another machine, --url alone checks from outside.',
    )
    .option('--url <url>', 'where clients reach the gateway; default: PUBLIC_URL', parseUrl)
    .option('--json', 'print the findings as JSON, without secrets, names and paths: also for support')
    .option('--timeout <seconds>', 'that one check may take', wholeNumber(1, 600), TIMEOUT_SECONDS)
    .option('--verify-as <user>', 'try the credentials that this user has stored, at their services')
    .option('--partner <id>', 'client_id of the partner, needed when several partners have such a user')
    .action((options: DoctorOptions) => examine(options, output, { ...surroundings, modules }));
  return addHelpTable(command, 'Examples', {
    'utg doctor': 'where the gateway runs',
    'utg doctor --url https://tools.example.com': 'on any machine',
    'utg doctor --json > support.json': 'a file for support',
  });
}

async function examine(
  options: DoctorOptions,
  output: Output,
  surroundings: Surroundings & { readonly modules: readonly AnyModule[] },
): Promise<void> {
  const { env = processEnvironment(), modules } = surroundings;
  const { connectors, findings: connectorFindings } = await loadGenerated(surroundings);
  const here = { env, connectors, modules };
  const isHere = options.url === undefined || hasSettings(here);
  const { config, findings: settingsFindings } = isHere ? readSettings(here) : { config: null, findings: [NOT_HERE] };
  const reach = createReach({
    networks: config?.outgoingNetworks ?? [],
    proxy: config?.outgoingProxy ?? null,
    ...surroundings,
  });
  const inspected = config === null ? null : await inspectStore(config.databaseUrl, config.modules);
  try {
    if (options.verifyAs !== undefined && !inspected?.store)
      throw new UsageError('--verify-as needs the store of the gateway.');
    const inside: Inside | null =
      config === null || inspected === null
        ? null
        : { config, connectors, inspected, keys: findKeys(config), user: await findUser(options, inspected) };
    const origin = options.url ?? config?.publicUrl;
    const outside = { origin: origin ?? '', isAsked: options.url !== undefined };
    const plannedChecks = origin === undefined ? [] : await planChecks(outside, inside, reach);
    const checks = [
      { name: 'Node', run: async () => [judgeNode()] },
      { name: 'connectors', run: async () => connectorFindings },
      {
        name: 'settings',
        run: async () => {
          const reviewFindings = config === null ? [] : await checkReviewed(config, connectors);
          return [...settingsFindings, ...reviewFindings];
        },
      },
      ...plannedChecks,
    ];
    const progress = createProgress(output, checks.length);
    const findings = await runChecks(checks, { timeoutMs: options.timeout * 1000, onDone: progress.onDone });
    progress.end();
    output.out(options.json === true ? toJson(findings, here) : toText(findings, output));
    if (findings.some(({ state }) => state === 'error')) throw new FailureError();
  } finally {
    await inspected?.store?.close();
    await Promise.all([reach.anywhere.destroy(), reach.guarded.destroy()]);
  }
}

async function loadGenerated({
  connectors: testConnectors,
}: Surroundings): Promise<{ connectors: readonly Connector[]; findings: CheckResult[] }> {
  try {
    const connectors = testConnectors ?? (await loadConnectors());
    return { connectors, findings: [ok(`${connectors.length} services are generated`)] };
  } catch (problem) {
    if (!(problem instanceof NoConnectorsError)) throw problem;
    return { connectors: [], findings: [skipped('no services are generated here (npm run codegen)')] };
  }
}

async function findUser({ verifyAs: user, partner }: DoctorOptions, { store }: Inside['inspected']) {
  if (user === undefined || store === null) return null;
  return findOneUser(store, partner === undefined ? { user } : { user, partner });
}

function judgeNode(): CheckResult {
  const old = describeOldNode(process.versions.node);
  return old === null ? ok(`Node ${process.versions.node}`) : error(old, 'install a newer Node');
}

/** One line on a terminal, which is overwritten. */
function createProgress({ err, isTerminal = false }: Output, total: number) {
  let done = 0;
  const write = isTerminal ? err : () => {};
  return {
    onDone(name: string): void {
      done += 1;
      write(`\r\u001b[K${done} of ${total} checks: ${name}`);
    },
    end: () => write('\r\u001b[K'),
  };
}

function toText(findings: readonly Finding[], { hasColors = false }: Output): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.map(({ check, state, seen, fix }) => {
    const word = state.padEnd('skipped'.length);
    const coloredState = hasColors ? styleText(COLORS[state], word, { validateStream: false }) : word;
    const advice = fix === undefined ? '' : `\n${' '.repeat(width + 11)}-> ${fix}`;
    return `${coloredState}  ${check.padEnd(width)}  ${seen}${advice}\n`;
  });
  const errors = findings.filter(({ state }) => state === 'error').length;
  const warnings = findings.filter(({ state }) => state === 'warning').length;
  return `${lines.join('')}\n${count(findings.length, 'finding')}: ${count(errors, 'error')}, ${count(warnings, 'warning')}\n`;
}

function parseUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '') return url.origin;
  throw new InvalidArgumentError('Use an address such as https://tools.example.com.');
}
