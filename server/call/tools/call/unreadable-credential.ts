/** Handles a stored credential that cannot be opened, or that no request can carry. */

import { CredentialUnreadableError } from '../../../base/credentials/index.ts';
import type { UnusableCredentialError } from '../../upstream/index.ts';
import type { AnyTool } from '../catalogue/hand-written.ts';
import type { UpstreamDependencies, UpstreamUse } from './call.ts';
import { type Ending, refuse } from './ending.ts';

/** Reports the fault, and says who can fix it: the operator with the key, or the user by connecting again. */
export function unreadableCredential(
  { entry: { connector, tool } }: Pick<UpstreamUse<AnyTool>, 'entry'>,
  error: CredentialUnreadableError | UnusableCredentialError,
  deps: Pick<UpstreamDependencies, 'onFault'>,
): Ending {
  deps.onFault({ kind: 'credential_unreadable', tool: tool.name, error });
  const lostKey = error instanceof CredentialUnreadableError && error.reason === 'unknown-key';
  return refuse('credential_unreadable', {
    message: `The gateway cannot read the credential of this connection to ${connector.title}.`,
    advice: lostKey
      ? 'Calling again will not help: the operator of the gateway has to restore its encryption key.'
      : `Calling again will not help: the user must connect ${connector.title} again in the application that manages the connection.`,
  });
}
