/** The demo command: runs the whole gateway on this machine, with a sandbox in place of the real services. */

import type { Command } from 'commander';
import { addHelpTable, createCommand, wholeNumber } from '../../shared/cli/command.ts';
import { requireSpecs } from '../../shared/cli/folders.ts';
import { FailureError } from '../../shared/cli/run.ts';
import { checkDemo } from './check.ts';
import { type Demo, startDemo } from './start.ts';
import { demoStarted } from './text.ts';

interface DemoCommandOptions {
  readonly port?: number | null;
  readonly sandboxPort?: number | null;
  readonly appPort?: number | null;
  readonly check?: boolean;
  readonly verbose?: boolean;
}

/** `npm run demo`. */
export function createDemoCommand(): Command {
  const port = wholeNumber(1, 65_535);
  const command = createCommand('demo')
    .summary('try the gateway on this machine')
    .description(
      'Starts the gateway, a sandbox that stands in for the real services, and the portal for a company’s people, on this ' +
        'machine only, and prints how to use them. Everything that it keeps is removed when it stops.',
    )
    .option('--port <port>', 'of the gateway; default: 3000, or any free port if that is taken', port)
    .option('--sandbox-port <port>', 'of the sandbox; default: 3001, or any free port if that is taken', port)
    .option('--app-port <port>', 'of the portal; default: 3002, or any free port if that is taken', port)
    .option('--verbose', 'also print commands to paste')
    .option('--check', 'send the requests of the printed commands, print the answers, and stop')
    .action((options: DemoCommandOptions) =>
      run(options).catch((error: Error) => {
        throw new FailureError(error.message);
      }),
    );
  return addHelpTable(command, 'Examples', {
    'utg demo': 'runs until Ctrl-C',
    'utg demo --port 8080 --check': 'check it on another port, and stop',
  });
}

async function run({
  port = null,
  sandboxPort = null,
  appPort = null,
  check = false,
  verbose = false,
}: DemoCommandOptions): Promise<void> {
  requireSpecs(process.cwd());
  const demo = await startDemo({ port, sandboxPort, appPort });
  if (!check) return show(demo, verbose);
  try {
    await checkDemo(demo.facts, (line) => console.log(`${line}\n`));
  } finally {
    await demo.close();
  }
}

/** The first Ctrl-C stops the demo and cleans up; a second one exits at once. */
function show(demo: Demo, isVerbose: boolean): void {
  console.log(demoStarted(demo.facts, isVerbose));
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    console.log('\nStopping.');
    void demo.close();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}
