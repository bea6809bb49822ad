/** Name and version of the program. */

import manifest from '../package.json' with { type: 'json' };

export const PRODUCT = { name: manifest.name, version: manifest.version } as const;

/** MCP `Implementation` of the server. */
export const SERVER_INFO = { ...PRODUCT, title: 'Unified Tool Gateway' } as const;

/** `User-Agent` of every outgoing request. */
export const USER_AGENT = `${manifest.name}/${manifest.version}`;
