/** Says whether this Node can run the gateway. */

import manifest from '../package.json' with { type: 'json' };

const OLDEST = manifest.engines.node.replace('>=', '');

/** @returns what to do about a Node that is older than `engines` of package.json says, or null. */
export function describeOldNode(version: string): string | null {
  if (version.localeCompare(OLDEST, 'en', { numeric: true }) >= 0) return null;
  return (
    `This is Node ${version}; the gateway needs ${OLDEST} or later. ` +
    'Run it through npm ("npm start"), which uses the Node that "npm ci" installed.'
  );
}
