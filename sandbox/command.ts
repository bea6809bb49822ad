/** The sandbox command: its arguments and its output. */

import path from 'node:path';
import { Argument, type Command } from 'commander';
import { addHelpTable, createCommand, wholeNumber } from '../shared/cli/command.ts';
import { requireSpecs } from '../shared/cli/folders.ts';
import { findFreePort } from '../shared/cli/free-port.ts';
import { PROCESS_OUTPUT } from '../shared/cli/output.ts';
import { FailureError } from '../shared/cli/run.ts';
import { CONTROL_HELP, CONTROL_PATH } from './control.ts';
import { listDescribedServices } from './descriptor/load.ts';
import { MISBEHAVIOURS } from './misbehaviour.ts';
import { OAUTH_SETTINGS } from './oauth/settings.ts';
import { openSandbox } from './open.ts';
import { sandboxStarted } from './text.ts';

const DEFAULT_PORT = 3001;

interface SandboxCommandOptions {
  readonly port: number;
  readonly credential?: string | null;
  readonly tokenSeconds?: number;
}

/** `utg sandbox`: serves the descriptors in `specs/` as upstreams on this machine. */
export function createSandboxCommand(output = PROCESS_OUTPUT): Command {
  const known = listDescribedServices(path.resolve('specs'));
  const services = new Argument('[service...]', 'which services; default: all');
  const command = createCommand('sandbox', output)
    .summary('serve descriptors as upstreams on this machine')
    .description(
      'Serves the descriptors in specs/ as upstreams on this machine. Requests are checked against the descriptor, a ' +
        'credential is required, answers match the descriptor, lists are paged. Each service has a path of its own: ' +
        '/retrieval, /crm, ... OAuth 2.0 of a descriptor or its connector is served too: an authorize page, ' +
        'token and revocation endpoints at the paths of their own URLs, and access tokens that are checked.',
    )
    .addArgument(known.length === 0 ? services : services.choices(known))
    .option('--port <port>', 'port to listen on; 0: any free one', wholeNumber(0, 65_535), DEFAULT_PORT)
    .option('--credential <secret>', 'the only secret that is accepted; default: any that is not empty')
    .option('--token-seconds <seconds>', 'lifetime of OAuth access tokens', wholeNumber(0, 1e9))
    .action(async (services: string[], options: SandboxCommandOptions) => {
      const sandbox = await open(services, options);
      output.out(`${sandboxStarted(sandbox, options.credential ?? null)}\n`);
      const { tokenSeconds } = options;
      for (const name of tokenSeconds === undefined ? [] : sandbox.oauthOrigins.keys()) {
        sandbox.authorizationServer(name).change({ accessTokenSeconds: tokenSeconds });
      }
      const stop = (): void => void sandbox.close();
      process.once('SIGINT', stop).once('SIGTERM', stop);
    });
  addHelpTable(command, 'While it runs', CONTROL_HELP);
  addHelpTable(command, 'Failures that can be planned ("times": how many calls, default 1)', MISBEHAVIOURS);
  addHelpTable(command, `Settings of OAuth 2.0, for POST ${CONTROL_PATH}/oauth`, OAUTH_SETTINGS);
  return addHelpTable(command, 'Examples', {
    'utg sandbox crm billing': 'two services',
    [`curl 127.0.0.1:${DEFAULT_PORT}${CONTROL_PATH}/misbehave -d '{"kind": "unavailable"}'`]: 'the next call fails',
  });
}

async function open(services: readonly string[], { port, credential = null }: SandboxCommandOptions) {
  requireSpecs(process.cwd());
  try {
    return await openSandbox({ root: process.cwd(), port, credential, ...(services.length > 0 ? { services } : {}) });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw new FailureError(message);
    const free = await findFreePort(port + 1, '127.0.0.1');
    throw new FailureError(`Port ${port} is taken. Stop what uses it, or choose another: --port ${free}`);
  }
}
