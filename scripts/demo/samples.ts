/** Adapts a connector for the demo: tells the user where to find the sandbox's key. */

import type { Connector, CredentialKind } from '../../server/contract/index.ts';

/** The connector with a help text about the sandbox instead of the real service. OAuth keeps its text. */
export function toSample(connector: Connector): Connector {
  const { title, credential } = connector;
  const help =
    `This is a sample of ${title}, which runs on this machine: a key of your own account does not work here. ` +
    'Copy the API key from the page of the application. The terminal that runs the demo shows it too.';
  const withHelp = <Kind extends Pick<CredentialKind, 'parts' | 'help' | 'url'>>(kind: Kind): Kind =>
    kind.parts.some(({ type }) => type === 'oauth2') ? kind : { ...kind, help, url: null };
  const { alternatives } = credential;
  return {
    ...connector,
    credential: {
      ...withHelp(credential),
      ...(alternatives === undefined ? {} : { alternatives: alternatives.map(withHelp) }),
    },
  };
}
