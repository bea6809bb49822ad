/** Stage `access`: whether this token may call this tool. */

import { mayRead, mayWrite } from '../../../base/principal/scopes.ts';
import type { Connector } from '../../../contract/index.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { isPermitted } from '../catalogue/permitted.ts';
import type { Call, CallDependencies } from './call.ts';
import { type Ending, refuse } from './ending.ts';

/** The service must be connected, the grant must include the tool, and the token needs the scope to read or write. */
export function checkAccess({ principal, entry }: Call, { catalogue }: CallDependencies): Ending | null {
  const { connector, tool } = entry;
  if (!principal.connections.has(connector.name)) return notConnected(catalogue, connector, principal.services);
  if (!isPermitted(entry, principal.permission)) {
    return refuse('not_allowed', { message: `The user has not allowed this client to call ${tool.name}.` });
  }
  if (!mayRead(principal.scopes)) {
    return refuse('insufficient_scope', { message: 'This access token has no scope of this gateway.' });
  }
  if (tool.annotations.readOnlyHint || mayWrite(principal.scopes)) return null;
  return refuse('insufficient_scope', { message: 'This access token may only read, and the tool writes.' });
}

function notConnected(catalogue: Catalogue, connector: Connector, services: readonly string[]): Ending {
  const connected = services.map((service) => catalogue.findConnector(service)?.title ?? service);
  return refuse('not_connected', {
    message: `${connector.title} is not connected for this user.`,
    advice: `Ask the user to connect it in the application that manages the connections, then call again. ${
      connected.length === 0 ? 'No service is connected.' : `Connected: ${connected.join(', ')}.`
    }`,
  });
}
