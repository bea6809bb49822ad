/** The module from which generated and hand-written tools import their types, by the name of this package. */

import manifest from '../package.json' with { type: 'json' };

/** Resolves to `server/contract/` in this repository, and to the installed package in another project. */
export const CONTRACT_MODULE = `${manifest.name}/contract`;
