/**
 * Limits of clients that use the official MCP SDK for TypeScript: one invalid tool makes them reject the whole list.
 */

import type { Profile } from './types.ts';

const TYPES = 'https://github.com/modelcontextprotocol/typescript-sdk/blob/v1.x/src/types.ts';

export const SDK: Profile = {
  id: 'sdk',
  title: 'MCP SDK clients',
  rules: [
    {
      id: 'input-root-type',
      kind: 'input-root-type',
      effect: 'refuses',
      because: '`ListToolsResultSchema` of every version wants `type: object`; measured with 1.32 and 2.4.',
      sources: [TYPES],
    },
    {
      id: 'output-root-type',
      kind: 'output-root-type',
      effect: 'refuses',
      because: '`ListToolsResultSchema` wants `type: object` in every revision before 2026-07-28; measured with 1.32.',
      sources: [TYPES],
    },
    {
      id: 'boolean-schemas',
      kind: 'boolean-schemas',
      effect: 'refuses',
      because: '`ListToolsResultSchema` of version 1 takes only objects as schemas of properties; measured with 1.32.',
      sources: [TYPES],
    },
  ],
  notDocumented: [],
};
