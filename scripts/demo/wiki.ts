/** A sample service that is a remote MCP server: the list that was locked, as `utg add` writes it to `mcp.json`, and its connector. */

import type { LockedServer, LockedTool } from '../../sandbox/mcp/lock.ts';
import type { Connector, Tool } from '../../server/contract/index.ts';
import { definitionDigest, type McpTool } from '../../shared/mcp/lock.ts';

const ADDRESS = 'https://mcp.wiki.example/mcp';
const SERVER = '{base_url}';

const PAGE = {
  type: 'object',
  required: ['title', 'text'],
  properties: {
    title: { type: 'string', description: 'The heading of the page.' },
    text: { type: 'string', description: 'The text of the page, in Markdown.' },
  },
} as const;

const PAGES = [
  { title: 'Expenses', text: 'Send receipts within 30 days.' },
  { title: 'On call', text: 'Hand over on Monday at 10:00.' },
];

const SEARCH = {
  name: 'search-pages',
  description: 'Searches the pages of the wiki.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'Words to search for.' } },
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    required: ['pages'],
    properties: { pages: { type: 'array', items: PAGE } },
    examples: [{ pages: PAGES }],
  },
} as const satisfies LockedTool & McpTool;

const ADD = {
  name: 'add-page',
  description: 'Adds a page to the wiki.',
  inputSchema: { ...PAGE, additionalProperties: false },
} as const satisfies LockedTool & McpTool;

export const WIKI_LOCK: LockedServer = {
  url: ADDRESS,
  serverInfo: { name: 'sample-wiki', version: '1.0.0' },
  tools: [ADD, SEARCH],
};

const SEARCH_PAGES: Tool = {
  name: 'wiki_search_pages',
  title: 'Search pages',
  description: SEARCH.description,
  operation: { id: SEARCH.name, method: 'POST', path: `/tools/${SEARCH.name}`, server: SERVER },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: { ...SEARCH.inputSchema, required: [] },
  request: { body: { mediaType: 'application/json', members: { query: 'query' } } },
  call: { kind: 'mcp', tool: SEARCH.name, definition: definitionDigest(SEARCH) },
  outputSchema: { type: 'object', properties: { pages: { items: { properties: PAGE.properties } } } },
};

const ADD_PAGE: Tool = {
  name: 'wiki_add_page',
  title: 'Add a page',
  description: ADD.description,
  operation: { id: ADD.name, method: 'POST', path: `/tools/${ADD.name}`, server: SERVER },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: ADD.inputSchema,
  request: { body: { mediaType: 'application/json', members: { title: 'title', text: 'text' } } },
  call: { kind: 'mcp', tool: ADD.name, definition: definitionDigest(ADD) },
  outputSchema: { type: 'object' },
};

export const WIKI: Connector = {
  name: 'wiki',
  title: 'Sample Wiki',
  description: 'A sample wiki, to try a remote MCP server.',
  categories: ['Productivity'],
  credential: { parts: [{ id: 'token', type: 'bearer', label: 'Access token' }], help: '', url: null },
  verify: { tool: 'wiki_search_pages', arguments: {} },
  servers: [
    {
      url: SERVER,
      variables: [{ name: 'base_url', env: 'WIKI_BASE_URL', default: ADDRESS, derive: null }],
    },
  ],
  errors: { message: [], code: [], details: [], invalidCredential: [], inSuccess: null },
  tools: [ADD_PAGE, SEARCH_PAGES],
};
