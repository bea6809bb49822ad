/** `npm run demo`: the whole gateway on this machine, with a sandbox in place of the real services. */

import { parseArgs } from 'node:util';
import { checkDemo } from './demo/check.ts';
import { type Demo, startDemo } from './demo/start.ts';
import { DEMO_HELP, demoStarted } from './demo/text.ts';

try {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      'sandbox-port': { type: 'string' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(DEMO_HELP);
  } else {
    const ports = {
      port: toPort('--port', values.port),
      sandboxPort: toPort('--sandbox-port', values['sandbox-port']),
    };
    const demo = await startDemo(ports);
    if (values.check) await check(demo);
    else show(demo);
  }
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\nnpm run demo -- --help says how to use it.`);
  process.exitCode = 1;
}

function toPort(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new Error(`${option} ${text} is not a port: use a whole number from 1 to 65535.`);
}

async function check(demo: Demo): Promise<void> {
  try {
    await checkDemo(demo.facts, (line) => console.log(`${line}\n`));
  } finally {
    await demo.close();
  }
}

/** The first Ctrl-C stops and tidies up, a second one ends at once. */
function show(demo: Demo): void {
  console.log(demoStarted(demo.facts));
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
