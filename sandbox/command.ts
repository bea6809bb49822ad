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
import type { SandboxDescriptor, SandboxOperation } from './descriptor/operations.ts';
import { type OpenSandbox, openSandbox } from './index.ts';
import { MISBEHAVIOURS } from './misbehaviour.ts';
import { OAUTH_SETTINGS } from './oauth/grants.ts';

const DEFAULT_PORT = 3001;
const DEFAULT_WORLD = 1000;

interface SandboxCommandOptions {
  readonly port: number;
  readonly credential?: string | null;
  readonly tokenSeconds?: number;
  readonly world: number;
}

/** `utg sandbox`: serves the descriptors in `specs/` as upstreams on this machine. */
export function createSandboxCommand(output = PROCESS_OUTPUT): Command {
  const serviceNames = listDescribedServices(path.resolve('specs'));
  const services = new Argument('[service...]', 'which services; default: all');
  const command = createCommand('sandbox', output)
    .summary('serve descriptors as upstreams on this machine')
    .description(
      'Serves the descriptors in specs/ as upstreams on this machine. Requests are checked against the descriptor, a ' +
        'credential is required, answers match the descriptor, lists are paged, filtered and sorted, and writes are ' +
        'kept until it stops. Each service has a path of its own: ' +
        '/retrieval, /crm, ... OAuth 2.0 of a descriptor or its connector is served too: an authorize page, ' +
        'token and revocation endpoints at the paths of their own URLs, and access tokens that are checked.',
    )
    .addArgument(serviceNames.length === 0 ? services : services.choices(serviceNames))
    .option('--port <port>', 'port to listen on; 0: any free one', wholeNumber(0, 65_535), DEFAULT_PORT)
    .option('--credential <secret>', 'the only secret that is accepted; default: any that is not empty')
    .option(
      '--world <people>',
      'people and companies there are; 0: only the examples',
      wholeNumber(0, 5000),
      DEFAULT_WORLD,
    )
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

async function open(services: readonly string[], { port, credential = null, world }: SandboxCommandOptions) {
  requireSpecs(process.cwd());
  try {
    const chosen = services.length > 0 ? { services } : {};
    return await openSandbox({ root: process.cwd(), port, credential, world: world === 0 ? null : world, ...chosen });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw new FailureError(message);
    const free = await findFreePort(port + 1, '127.0.0.1');
    throw new FailureError(`Port ${port} is taken. Stop what uses it, or choose another: --port ${free}`);
  }
}

/** Returns the text that the command prints after the sandbox has started. */
function sandboxStarted(sandbox: OpenSandbox, credential: string | null): string {
  const services = [...sandbox.services].map(([name, { descriptor }]) => {
    const settings = Object.entries(sandbox.environment[name] ?? {}).map(([key, value]) => `${key}=${value}`);
    const count = `${descriptor.operations.length} operations`.padStart(14);
    return `  ${name.padEnd(12)}${count}  ${settings.join(' ') || `${sandbox.origin}/${name}`}`;
  });
  const examples = [...sandbox.services].map(([name, { descriptor }]) =>
    exampleCurl(sandbox.origin, name, descriptor, credential),
  );
  const accepted =
    credential === null ? 'Any credential that is not empty is accepted.' : `Accepted secret: ${credential}`;
  return `Sandbox at ${sandbox.origin} (open it in a browser to see requests and to make services fail)

${services.join('\n')}

${accepted}

Try a request:    ${examples.find((line) => line !== null) ?? `curl ${sandbox.origin}${CONTROL_PATH}`}
See what was asked:  curl ${sandbox.origin}${CONTROL_PATH}/requests
Make it fail once:   curl -X POST ${sandbox.origin}${CONTROL_PATH}/misbehave -d '{"kind": "unavailable"}'
More:                utg sandbox --help

Ctrl-C stops it.`;
}

/** A call that works without changes: the first GET without required parameters; null if there is none. */
function exampleCurl(
  origin: string,
  name: string,
  descriptor: SandboxDescriptor,
  credential: string | null,
): string | null {
  const operation = descriptor.operations.find(
    ({ method, path, key, parameters }) =>
      method === 'GET' && !path.includes('{') && key.query.length === 0 && !parameters.some(({ required }) => required),
  );
  if (operation === undefined) return null;
  const { option, query } = exampleCredential(operation, descriptor, credential ?? 'any');
  return `curl ${option}'${origin}/${name}${operation.route}${query}'`;
}

function exampleCredential(
  operation: SandboxOperation,
  descriptor: SandboxDescriptor,
  secret: string,
): { option: string; query: string } {
  const scheme = descriptor.securitySchemes[Object.keys(operation.security[0] ?? {})[0] ?? ''];
  if (scheme === undefined) return { option: '', query: '' };
  if (scheme.type === 'apiKey' && scheme.in === 'query') return { option: '', query: `?${scheme.name}=${secret}` };
  if (scheme.type === 'apiKey' && scheme.in === 'header')
    return { option: `-H '${scheme.name}: ${secret}' `, query: '' };
  if (scheme.type === 'apiKey') return { option: `-b '${scheme.name}=${secret}' `, query: '' };
  if (scheme.scheme === 'basic') return { option: `-u 'demo:${secret}' `, query: '' };
  return { option: `-H 'Authorization: Bearer ${secret}' `, query: '' };
}
