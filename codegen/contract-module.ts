/** The module that generated and hand-written tools import their types from, by the name of this package. */

import manifest from '../package.json' with { type: 'json' };

/** Resolves to `server/contract/` here, and to the installed package in a project of its own. */
export const CONTRACT_MODULE = `${manifest.name}/contract`;
