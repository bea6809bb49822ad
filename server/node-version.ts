/** Checks whether this version of Node can run the gateway. */

import manifest from '../package.json' with { type: 'json' };

const OLDEST = manifest.engines.node.replace('>=', '');

/** @returns what to do when Node is older than `engines` in package.json requires, or null. */
export function describeOldNode(version: string): string | null {
  if (version.localeCompare(OLDEST, 'en', { numeric: true }) >= 0) return null;
  return (
    `This is Node ${version}; the gateway needs ${OLDEST} or later: install one. ` +
    'In the repository of the gateway, "npm ci" installs one, which its npm scripts use.'
  );
}
