/** Limits of Cursor, whichever model it uses, and of clients that use the official MCP SDK for TypeScript. */

import type { Profile } from './types.ts';

export const CURSOR: Profile = {
  id: 'cursor',
  title: 'Cursor',
  rules: [
    {
      kind: 'name-length',
      maximum: 58,
      effect: 'refuses',
      because: 'With a server name of one character that makes 59; at 60 Cursor hides the tool.',
      sources: ['https://github.com/ComposioHQ/composio/issues/2788'],
    },
    {
      kind: 'full-name-length',
      before: '',
      after: '',
      maximum: 59,
      effect: 'degrades',
      because: 'Cursor hides the tool from the model; a shorter name for the server, which the user chooses, fixes it.',
      sources: [
        'https://github.com/ComposioHQ/composio/issues/2788',
        'https://github.com/aashari/mcp-server-atlassian-confluence/issues/16',
      ],
    },
    {
      kind: 'tool-count',
      maximum: 80,
      effect: 'degrades',
      because: 'Cursor warns and leaves tools out. The limit covers all servers of a user; it was 40 before.',
      sources: ['https://github.com/Snowflake-Labs/mcp/issues/77', 'https://github.com/anyproto/anytype-mcp/issues/5'],
    },
  ],
  notDocumented: [
    'name-pattern',
    'description-length',
    'root-keywords',
    'property-keys',
    'keywords',
    'schema-depth',
    'property-count',
    'enum-count',
  ],
};

const TYPES = 'https://github.com/modelcontextprotocol/typescript-sdk/blob/v1.x/src/types.ts';

export const SDK: Profile = {
  id: 'sdk',
  title: 'MCP SDK clients',
  rules: [
    {
      kind: 'input-root-type',
      effect: 'refuses',
      because: '`ListToolsResultSchema` of every version wants `type: object`; measured with 1.32 and 2.4.',
      sources: [TYPES],
    },
    {
      kind: 'output-root-type',
      effect: 'refuses',
      because: '`ListToolsResultSchema` wants `type: object` in every revision before 2026-07-28; measured with 1.32.',
      sources: [TYPES],
    },
    {
      kind: 'boolean-schemas',
      effect: 'refuses',
      because: '`ListToolsResultSchema` of version 1 takes only objects as schemas of properties; measured with 1.32.',
      sources: [TYPES],
    },
  ],
  notDocumented: [],
};
