/** What `utg sandbox` prints after it has started. */

import { CONTROL_PATH } from './control.ts';
import type { SandboxDescriptor, SandboxOperation } from './descriptor/operations.ts';
import type { OpenSandbox } from './open.ts';

export function sandboxStarted(sandbox: OpenSandbox, credential: string | null): string {
  const services = [...sandbox.services].map(([name, { descriptor }]) => {
    const settings = Object.entries(sandbox.environment[name] ?? {}).map(([key, value]) => `${key}=${value}`);
    const count = `${descriptor.operations.length} operations`.padStart(14);
    return `  ${name.padEnd(12)}${count}  ${settings.join(' ') || `${sandbox.origin}/${name}`}`;
  });
  const first = [...sandbox.services].map(([name, { descriptor }]) =>
    exampleCurl(sandbox.origin, name, descriptor, credential),
  );
  const accepted =
    credential === null ? 'Any credential that is not empty is accepted.' : `Accepted secret: ${credential}`;
  return `Sandbox at ${sandbox.origin} (open it in a browser to see requests and to make services fail)

${services.join('\n')}

${accepted}

Try a request:    ${first.find((line) => line !== null) ?? `curl ${sandbox.origin}${CONTROL_PATH}`}
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
