/** `npm run sandbox`: serves descriptors of `specs/` as upstreams on this machine. */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openSandbox } from './open.ts';
import { sandboxHelp, sandboxStarted } from './text.ts';

const DEFAULT_PORT = 3001;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: 'string' }, credential: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) console.log(sandboxHelp(DEFAULT_PORT));
  else await run(positionals, toPort(values.port), values.credential ?? null);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\nnpm run sandbox -- --help says how to use it.`);
  process.exitCode = 1;
}

function toPort(text: string | undefined): number {
  const port = Number(text ?? DEFAULT_PORT);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`--port ${text} is not a port: use a whole number from 0 to 65535.`);
}

async function run(services: string[], port: number, credential: string | null): Promise<void> {
  const root = resolve(import.meta.dirname, '..');
  const sandbox = await openSandbox({ root, port, credential, ...(services.length > 0 ? { services } : {}) }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new Error(`Port ${port} is taken. Stop what uses it, or choose another: --port ${port + 1}`);
    },
  );
  console.log(sandboxStarted(sandbox, credential));
  const stop = (): void => void sandbox.close();
  process.once('SIGINT', stop).once('SIGTERM', stop);
}
